import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Descriptor, ELEMENT_TYPES, type Rule } from "../src/descriptor/index.js";
import { checkData, sparsePosition, toSparse, valueAt, valuesOf } from "../src/values/index.js";
import { thrown } from "./support.js";
import { coordinatesOf, raw, tensorOf } from "./support-values.js";

const floats = (...values: number[]): Uint8Array => raw(Float32Array.from(values));
const dense = (shape: number[], values: number[]) =>
  tensorOf("float32", shape, { kind: "rowMajor" }, [floats(...values)]);

describe("sparse tensors of dense ones", () => {
  // The example of section 4.7, as a matrix.
  const matrix = dense([3, 4], [0, 5, 0, 0, 0, 0, 0, 0, 7, 0, 0, -0]);
  const indices = (t: { buffers: readonly Uint8Array[] }) =>
    t.buffers.slice(1).map((bytes) => [...new BigUint64Array(bytes.slice().buffer)].map(Number));

  test("everything that is not zero bit for bit is stored, a negative zero too", () => {
    const coo = toSparse(matrix, "coo");
    expect(coo.descriptor.layout).toEqual({ kind: "coo", nnz: 3n, isSorted: true });
    expect(new Float32Array(coo.buffers[0]!.slice().buffer)).toEqual(Float32Array.of(5, 7, -0));
    expect(indices(coo)).toEqual([[0, 1, 2, 0, 2, 3]]);
    expect(indices(toSparse(matrix, "csr"))).toEqual([
      [1, 0, 3],
      [0, 1, 1, 3],
    ]);
    expect(indices(toSparse(matrix, "csc"))).toEqual([
      [2, 0, 2],
      [0, 1, 2, 2, 3],
    ]);
  });

  test("CSF has a level for each dimension, in the order asked for, and an empty tensor one of its form (4.8)", () => {
    const cube = dense([2, 1, 2], [1, 2, 0, 3]);
    expect(indices(toSparse(cube, "csf"))).toEqual([
      [0, 2],
      [0, 1],
      [0, 1, 2],
      [0, 0],
      [0, 2, 3],
      [0, 1, 1],
    ]);
    expect(toSparse(cube, "csf", { modeOrder: [2, 0, 1] }).descriptor.layout).toEqual({
      kind: "csf",
      nnz: 3n,
      modeOrder: [2, 0, 1],
    });
    expect(indices(toSparse(dense([2, 1, 2], [0, 0, 0, 0]), "csf"))).toEqual([[0, 0], [], [0], [], [0], []]);
  });

  test("law: they have the values of the dense tensor, all at once and one by one", () => {
    const types = ELEMENT_TYPES.map((type) => type.name).filter((name) => name !== "float8_e8m0");
    const cases = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 }).chain((shape) =>
      fc.record({
        shape: fc.constant(shape),
        type: fc.constantFrom(...types),
        bytes: fc.uint8Array({ minLength: 4096, maxLength: 4096 }),
        mask: fc.uint8Array({ minLength: 64, maxLength: 64 }),
        order: fc.shuffledSubarray([...shape.keys()], { minLength: shape.length }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ shape, type, bytes, mask, order }) => {
        bytes.forEach((_, i) => {
          if (mask[(i >> 3) % 64]! < 170) bytes[i] = 0;
        });
        const t = tensorOf(type, shape, { kind: "rowMajor" }, [bytes]);
        const expected = valuesOf(t);
        const kinds = shape.length === 1 ? ["coo"] : shape.length === 2 ? ["coo", "csr", "csc"] : ["coo", "csf"];
        for (const kind of kinds as ["coo"]) {
          const sparse = toSparse(t, kind, { modeOrder: order });
          checkData(sparse);
          const values = valuesOf(sparse);
          expect(raw(values.elements)).toEqual(raw(expected.elements));
          for (const coordinate of coordinatesOf(shape)) {
            expect(valueAt(sparse, coordinate)).toEqual(valueAt(t, coordinate));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("ranks and orders that the layout does not have are refused", async () => {
    const value = { name: "HurrayValueError", code: "SW_HURRAY_VALUE" };
    expect(await thrown(() => toSparse(dense([2], [1, 2]), "csr"))).toMatchObject({
      ...value,
      field: "kind",
      given: 1,
    });
    expect(await thrown(() => toSparse(matrix, "csf"))).toMatchObject({ ...value, field: "kind" });
    expect(await thrown(() => toSparse(dense([], [1]), "coo"))).toMatchObject({ ...value, field: "kind" });
    const wrong = { modeOrder: [0, 0, 1] };
    expect(await thrown(() => toSparse(dense([1, 1, 1], [1]), "csf", wrong))).toMatchObject({
      ...value,
      field: "modeOrder",
    });
  });
});

describe("indices", () => {
  const values = floats(1, 2);
  const refused = async (
    rule: Rule,
    field: string,
    byteOffset: number,
    shape: number[],
    layout: Descriptor["layout"],
    ...indexes: number[][]
  ) => {
    const t = tensorOf("float32", shape, layout, [values, ...indexes]);
    const expected = { name: "HurrayFormatError", code: "SW_HURRAY_DATA_INVALID", rule, field, byteOffset };
    expect(await thrown(() => checkData(t))).toMatchObject(expected);
    expect(
      await thrown(() =>
        sparsePosition(
          t,
          shape.map(() => 0),
        ),
      ),
    ).toMatchObject(expected);
    // The rules are of those that permissive mode relaxes.
    checkData(t, { mode: "permissive" });
  };
  const coo = (isSorted: boolean) => ({ kind: "coo", nnz: 2n, isSorted }) as const;
  const csr = { kind: "csr", nnz: 2n } as const;
  const csf = { kind: "csf", nnz: 2n, modeOrder: [0, 1, 2] } as const;

  test("R100 COO coordinates are in bounds, also those beyond 2^53", async () => {
    await refused("R100", "buffer 1", 24, [2, 2], coo(false), [0, 1, 1, 2]);
    await refused("R100", "buffer 1", 0, [2, 2], coo(true), [2 ** 60, 1, 1, 1]);
  });

  test("R101 COO coordinates are there once, sorted or not", async () => {
    await refused("R101", "buffer 1", 16, [2, 2], coo(false), [1, 0, 1, 0]);
    await refused("R101", "buffer 1", 16, [2, 2], coo(true), [1, 0, 1, 0]);
  });

  test("R102 sorted COO coordinates ascend, unsorted ones need not", async () => {
    await refused("R102", "buffer 1", 16, [2, 2], coo(true), [1, 0, 0, 1]);
    const t = tensorOf("float32", [2, 2], coo(false), [values, [1, 0, 0, 1]]);
    expect([...coordinatesOf([2, 2])].map((coordinate) => sparsePosition(t, coordinate))).toEqual([
      undefined,
      1,
      0,
      undefined,
    ]);
  });

  test("R103 to R105 of rows and columns", async () => {
    await refused("R103", "buffer 2", 0, [2, 2], csr, [0, 1], [1, 1, 2]);
    await refused("R103", "buffer 2", 16, [2, 2], csr, [0, 1], [0, 2, 1]);
    await refused("R103", "buffer 2", 16, [2, 2], csr, [0, 1], [0, 1, 3]);
    await refused("R104", "buffer 1", 8, [2, 2], csr, [1, 0], [0, 2, 2]);
    await refused("R105", "buffer 1", 8, [2, 2], csr, [0, 2], [0, 1, 2]);
    await refused("R105", "buffer 1", 0, [3, 1], { kind: "csc", nnz: 2n }, [3, 4], [0, 2]);
  });

  test("R106 CSF pointers are as many as nodes above, ascend, and stay in their coordinates", async () => {
    const shape = [2, 2, 2];
    await refused("R106", "buffer 1", 0, shape, csf, [1, 1], [0], [0, 1], [0], [0, 2], [0, 1]);
    await refused("R106", "buffer 3", 16, shape, csf, [0, 2], [0, 1], [0, 1], [0], [0, 2], [0, 1]);
    await refused("R106", "buffer 5", 8, shape, csf, [0, 1], [0], [0, 1], [0], [0, 1], [0, 1]);
    await refused("R106", "buffer 1", 8, shape, csf, [0, 2 ** 40], [0], [0, 1], [0], [0, 2], [0, 1]);
  });

  test("R107 CSF siblings ascend, in bounds", async () => {
    const shape = [2, 2, 2];
    await refused("R107", "buffer 6", 8, shape, csf, [0, 1], [0], [0, 1], [0], [0, 2], [1, 1]);
    await refused("R107", "buffer 2", 0, shape, csf, [0, 1], [2], [0, 1], [0], [0, 2], [0, 1]);
  });

  test("a shape past all memory is looked up, and refused as a whole", async () => {
    const side = 2 ** 40;
    const t = tensorOf("float32", [side, side], coo(true), [values, [3, 4, side - 1, side - 1]]);
    expect(sparsePosition(t, [side - 1, side - 1])).toBe(1);
    expect(valueAt(t, [3, 4])).toBe(1);
    expect(valueAt(t, [3, 5])).toBe(0);
    expect(await thrown(() => valuesOf(t))).toMatchObject({ code: "SW_HURRAY_LIMIT", given: 2n ** 82n });
  });

  test("lookups are of sparse tensors, inside their shape", async () => {
    expect(await thrown(() => sparsePosition(dense([1], [1]), [0]))).toMatchObject({
      code: "SW_HURRAY_LAYOUT_UNSUPPORTED",
    });
    const t = tensorOf("float32", [2, 2], coo(true), [values, [0, 0, 1, 1]]);
    expect(await thrown(() => sparsePosition(t, [0, 2]))).toMatchObject({
      code: "SW_HURRAY_VALUE",
      field: "coordinate",
    });
  });
});

test("R96 stored elements of a sparse e8m0 tensor are powers of two", async () => {
  const t = tensorOf("float8_e8m0", [4], { kind: "coo", nnz: 2n, isSorted: true }, [Uint8Array.of(3, 255), [0, 1]]);
  expect(await thrown(() => checkData(t, { mode: "permissive" }))).toMatchObject({ rule: "R96", byteOffset: 1 });
});
