import { describe, expect, test } from "vitest";
import type { Descriptor } from "../src/descriptor/index.js";
import { checkData, pagedOffset, valueAt, valuesOf } from "../src/values/index.js";
import { thrown } from "./support.js";
import { raw, tensorOf } from "./support-values.js";

const PAGED = {
  kind: "blockPaged",
  pageSize: 2,
  numPages: 3n,
  pagedAxis: 0,
  numSeqs: 2,
  kvRole: 0,
  layerIndex: undefined,
  indexBits: 64,
} as const;

/** Two sequences over three pages of two tokens, each token one head of two components. */
const paged = (
  table: number[],
  starts: number[],
  patch: Partial<Descriptor> = {},
  tokens = 5,
  more: Uint8Array[] = [],
) =>
  tensorOf(
    "uint8",
    [tokens, 1, 2],
    PAGED,
    [Uint8Array.from({ length: 12 }, (_, i) => i), table, starts, ...more],
    patch,
  );

describe("block-paged tensors", () => {
  test("pages may repeat, and the tokens of each sequence are told by the caller (A33)", () => {
    const t = paged([2, 0, 2], [0, 2, 3]);
    const values = valuesOf(t, { tokens: [3, 2] });
    expect(values.shape).toEqual([5, 1, 2]);
    expect([...(values.elements as Uint8Array)]).toEqual([8, 9, 10, 11, 0, 1, 8, 9, 10, 11]);
    expect(pagedOffset(t, 0, 2, 0, 1)).toBe(1);
  });

  test("where all slots are tokens nothing need be told", () => {
    expect([...(valuesOf(paged([1, 0], [0, 1, 2], {}, 4)).elements as Uint8Array)]).toEqual([4, 5, 6, 7, 0, 1, 2, 3]);
  });

  test("tokens without components are not gone through, however many there are", () => {
    const layout = { ...PAGED, pageSize: 2 ** 32 - 1, numPages: 1n, numSeqs: 1 };
    const t = tensorOf("uint8", [2 ** 32 - 1, 0, 2], layout, [new Uint8Array(0), [0], [0, 1]]);
    expect(valuesOf(t).elements).toHaveLength(0);
  });

  test("token counts fit the pages and the shape", async () => {
    const t = paged([2, 0, 2], [0, 2, 3]);
    const value = { name: "HurrayValueError", code: "SW_HURRAY_VALUE", field: "tokens" };
    for (const tokens of [[3, 3], [5, 0], [2, 2], [5], [3, 1.5], [-1, 6]]) {
      expect(await thrown(() => valuesOf(t, { tokens }))).toMatchObject(value);
    }
    expect(await thrown(() => valuesOf(t))).toMatchObject({ ...value, given: "no counts" });
  });

  test("what is not there has no offset", async () => {
    const t = paged([2, 0, 2], [0, 2, 3]);
    const field = async (...[sequence, token, head, dim]: [number, number, number, number]) =>
      (await thrown(() => pagedOffset(t, sequence, token, head, dim)))["field"];
    expect(await field(2, 0, 0, 0)).toBe("sequence");
    expect(await field(1, 2, 0, 0)).toBe("token");
    expect(await field(0, 0, 1, 0)).toBe("head");
    expect(await field(0, 0, 0, -1)).toBe("dim");
  });

  test("single values by coordinate need a sequence: pagedOffset gives them", async () => {
    expect(await thrown(() => valueAt(paged([0], [0, 1, 1]), [0, 0, 0]))).toMatchObject({
      code: "SW_HURRAY_LAYOUT_UNSUPPORTED",
      layoutTag: 10,
    });
    const dense = tensorOf("uint8", [1], { kind: "rowMajor" }, [Uint8Array.of(1)]);
    expect(await thrown(() => pagedOffset(dense, 0, 0, 0, 0))).toMatchObject({ code: "SW_HURRAY_LAYOUT_UNSUPPORTED" });
  });

  test("R108 seq_ptr starts at 0, ascends, and ends with the block table", async () => {
    for (const starts of [
      [1, 2, 3],
      [0, 4, 3],
      [0, 1, 2],
    ]) {
      const error = { code: "SW_HURRAY_DATA_INVALID", rule: "R108", field: "buffer 2" };
      expect(await thrown(() => checkData(paged([2, 0, 2], starts)))).toMatchObject(error);
    }
    checkData(paged([2, 0, 2], [0, 1, 2]), { mode: "permissive" });
  });

  test("R109 pages are in the pool", async () => {
    const error = { code: "SW_HURRAY_DATA_INVALID", rule: "R109", field: "buffer 1", byteOffset: 8, given: 3 };
    expect(await thrown(() => checkData(paged([2, 3, 2], [0, 2, 3])))).toMatchObject(error);
  });

  test("a scale and a zero point for each slot of the pool; only those of tokens are looked at (4.9)", async () => {
    const q = {
      scheme: "perBlock",
      axis: 0,
      blockSize: 2,
      scaleBuffer: 3,
      zeroPointBuffer: 4,
      scaleTypeTag: 3,
    } as const;
    const scales = Float32Array.of(1, 0.5, NaN, 0, 2, 4);
    const zeros = Int32Array.of(0, 1, 0, 999, 8, 10);
    const t = paged([2, 0, 2], [0, 2, 3], { quantisation: q }, 5, [raw(scales), raw(zeros)]);
    const expected = [0, 2, 0, 4, 0, 1, 0, 2, 0, 4];
    expect([...(valuesOf(t, { tokens: [3, 2] }).elements as Float32Array)]).toEqual(expected);
    const broken = paged([1, 0, 2], [0, 2, 3], { quantisation: q }, 5, [raw(scales), raw(zeros)]);
    expect(await thrown(() => valuesOf(broken, { tokens: [3, 2] }))).toMatchObject({ rule: "R97", field: "buffer 3" });
  });

  test("a scale for each component goes by its place in the shape", () => {
    const q = { scheme: "perChannel", axis: 2, scaleBuffer: 3 } as const;
    const t = paged([1, 0], [0, 1, 2], { quantisation: q }, 4, [raw(Float32Array.of(1, 10))]);
    expect([...(valuesOf(t).elements as Float32Array)]).toEqual([4, 50, 6, 70, 0, 10, 2, 30]);
  });
});
