import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Descriptor,
  DYNAMIC,
  decodeDescriptor,
  ELEMENT_TYPES,
  encodeDescriptor,
} from "../src/descriptor/index.js";
import { elementPlace, toNumbers, valueAt, valuesOf } from "../src/values/index.js";
import { thrown } from "./support.js";
import { coordinatesOf, denseOf, tensorOf } from "./support-values.js";

const at = (layout: Descriptor["layout"], shape: number[], coordinate: number[]) =>
  elementPlace(denseOf("uint8", shape, { layout }), coordinate).offset;

test("the examples of the specification (section 4)", () => {
  expect(at({ kind: "rowMajor" }, [3, 4], [1, 2])).toBe(6);
  expect(at({ kind: "columnMajor" }, [3, 4], [1, 2])).toBe(7);
  expect(at({ kind: "tiled", tile: [2n, 4n], outer: "rowMajor", inner: "rowMajor" }, [6, 8], [3, 5])).toBe(29);
  expect(at({ kind: "morton", bits: [2, 2] }, [4, 4], [2, 3])).toBe(14);
  const curve = [...coordinatesOf([4, 4])].map((coordinate) => at({ kind: "hilbert", order: 2 }, [4, 4], coordinate));
  expect(curve).toEqual([0, 3, 4, 5, 1, 2, 7, 6, 14, 13, 8, 9, 15, 12, 11, 10]);
  expect(at({ kind: "rowMajor" }, [], [])).toBe(0);
});

test("A35 negative offsets of packed elements round down, bits do not", () => {
  const reversed = denseOf("int4", [5], { layout: { kind: "strided", strides: [-1n] }, byteOffset: 3n });
  expect([0, 1, 2, 3].map((x) => elementPlace(reversed, [x]))).toEqual([
    { offset: 0, byteOffset: 3, bit: 0 },
    { offset: -1, byteOffset: 2, bit: 4 },
    { offset: -2, byteOffset: 2, bit: 0 },
    { offset: -3, byteOffset: 1, bit: 4 },
  ]);
});

test("A39 6-bit elements are found by their group", () => {
  const d = denseOf("float6_e3m2", [9], { byteOffset: 5n });
  expect(elementPlace(d, [6])).toEqual({ offset: 6, byteOffset: 8, bit: 12 });
});

test("A6 tiles that do not divide, and lead below index 0, go by the formula", () => {
  const inner = { tile: [2n], outer: { strides: [-1n] }, inner: { strides: [-1n] } } as const;
  const d = denseOf("uint8", [7], {
    layout: { kind: "tiled", tile: [3n], outer: { strides: [2n] }, inner },
    byteOffset: 64n,
  });
  // Tile t of 3 starts at 6t; its tile u of 2 at -2u, element e of that at -e.
  const expected = [0, -1, -2, 6, 5, 4, 12];
  expect(expected.map((_, x) => elementPlace(d, [x]).offset)).toEqual(expected);
  expect(elementPlace(d, [2]).byteOffset).toBe(62);
});

test("private element types have places by their width, and no values", async () => {
  const extensionType = {
    bitWidth: 24,
    packingFactor: 1,
    isFloat: false,
    isSigned: false,
    signBits: 0,
    exponentBits: 0,
    mantissaBits: 0,
    exponentBias: 0,
    hasNan: false,
    hasInf: false,
  };
  const d = denseOf("uint8", [2, 2], { typeTag: 0xf1, extensionType });
  expect(elementPlace(d, [1, 1])).toEqual({ offset: 3, byteOffset: 9, bit: 0 });
  const t = { descriptor: d, buffers: [new Uint8Array(4096)] };
  const unsupported = { name: "HurrayUnsupportedError", code: "SW_HURRAY_TYPE_UNSUPPORTED", typeTag: 0xf1 };
  expect(await thrown(() => valuesOf(t))).toMatchObject(unsupported);
  expect(await thrown(() => valueAt(t, [0, 0]))).toMatchObject(unsupported);
});

test("what is no coordinate is refused", async () => {
  const d = denseOf("uint8", [2, 3]);
  for (const wrong of [[2, 0], [0, -1], [0], [0, 0, 0], [0.5, 0], [Number.NaN, 0]]) {
    expect(await thrown(() => elementPlace(d, wrong))).toMatchObject({
      name: "HurrayValueError",
      code: "SW_HURRAY_VALUE",
      field: "coordinate",
    });
  }
  expect(await thrown(() => elementPlace(d, 0 as never))).toBeInstanceOf(TypeError);
});

test("what has no place by formula is refused", async () => {
  const unsupported = { name: "HurrayUnsupportedError", code: "SW_HURRAY_LAYOUT_UNSUPPORTED" };
  const place = (patch: Partial<Descriptor>) => thrown(() => elementPlace(denseOf("uint8", [4], patch), [0]));
  expect(await place({ layout: { kind: "coo", nnz: 0n, isSorted: true } })).toMatchObject({
    ...unsupported,
    layoutTag: 6,
  });
  expect(await place({ layout: { kind: "private", tag: 0xf2, id: 1n, data: new Uint8Array(0) } })).toMatchObject({
    ...unsupported,
    layoutTag: 0xf2,
  });
  expect(await place({ opaque: true })).toMatchObject(unsupported);
  expect(await place({ shape: [DYNAMIC] })).toMatchObject({ code: "SW_HURRAY_DYNAMIC_UNSUPPORTED" });
  expect(await place({ byteOffset: 2n ** 60n })).toMatchObject({ name: "HurrayLimitError", code: "SW_HURRAY_LIMIT" });
  expect(await place({ shape: [2n ** 54n] })).toMatchObject({ code: "SW_HURRAY_LIMIT" });
});

/** Shapes with a layout for them, in the words of a descriptor, over a buffer that holds them. */
const placements = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }).chain((shape) => {
  const tiles = fc.array(fc.bigInt(1n, 4n), { minLength: shape.length, maxLength: shape.length });
  const order = fc.oneof(
    fc.constantFrom("rowMajor" as const, "columnMajor" as const),
    fc.record({ strides: fc.array(fc.bigInt(0n, 20n), { minLength: shape.length, maxLength: shape.length }) }),
  );
  const form = fc.record({ tile: tiles, outer: order, inner: order });
  const nested = fc.record({ tile: tiles, outer: order, inner: form });
  const strides = fc.array(fc.bigInt(-9n, 20n), { minLength: shape.length, maxLength: shape.length });
  const layout: fc.Arbitrary<Descriptor["layout"]> = fc.oneof(
    fc.constantFrom({ kind: "rowMajor" } as const, { kind: "columnMajor" } as const),
    strides.map((given) => ({ kind: "strided", strides: given }) as const),
    fc.oneof(form, nested).map((given) => ({ kind: "tiled", ...given }) as const),
    fc.constant({ kind: "morton", bits: shape.map(() => 3) } as const),
  );
  return fc.record({ shape: fc.constant(shape), layout });
});

describe("law", () => {
  test("all values at once are those found one by one, of any type in any dense layout", () => {
    const types = fc.constantFrom(...ELEMENT_TYPES.map((type) => type.name).filter((name) => name !== "float8_e8m0"));
    fc.assert(
      fc.property(
        placements,
        types,
        fc.nat(3),
        fc.infiniteStream(fc.nat(255)),
        ({ shape, layout }, type, shift, bits) => {
          const bytes = new Uint8Array(40_000 + shift).subarray(shift);
          for (let i = 0; i < 600; i++) bytes[i * 16] = bits.next().value as number;
          const t = tensorOf(type, shape, layout, [bytes], { byteOffset: 8000n });
          const values = valuesOf(t);
          expect(values.shape).toEqual(shape);
          const singles = [...coordinatesOf(shape)].flatMap((coordinate) => valueAt(t, coordinate)).map(Number);
          expect([...toNumbers(values.type, values.elements)]).toEqual(singles);
          expect(decodeDescriptor(encodeDescriptor(t.descriptor)).layout).toEqual(layout);
        },
      ),
    );
  });
});

test("values of a row-major tensor share its bytes where they are aligned, and keep the bits of NaN", () => {
  const bytes = Uint8Array.of(1, 0, 0xa0, 0x7f, 2, 0, 0xa0, 0xff);
  const shared = valuesOf(tensorOf("float32", [2], { kind: "rowMajor" }, [bytes]));
  expect([shared.shared, shared.elements.buffer === bytes.buffer]).toEqual([true, true]);
  const odd = new Uint8Array(9).subarray(1);
  odd.set(bytes);
  const moved = valuesOf(tensorOf("float32", [2], { kind: "rowMajor" }, [odd]));
  expect(moved.shared).toBe(false);
  const turned = valuesOf(tensorOf("float32", [2], { kind: "strided", strides: [-1n] }, [bytes], { byteOffset: 4n }));
  expect([...new Uint8Array(turned.elements.buffer)]).toEqual([2, 0, 0xa0, 0xff, 1, 0, 0xa0, 0x7f]);
});

test("empty tensors have no values", () => {
  for (const layout of [
    { kind: "rowMajor" },
    { kind: "morton", bits: [2, 60, 60] },
    { kind: "strided", strides: [9n, 9n, 9n] },
  ] as const) {
    const values = valuesOf(tensorOf("float32", [3, 0, 5], layout, [new Uint8Array(0)]));
    expect([values.elements.length, values.shape]).toEqual([0, [3, 0, 5]]);
  }
});

test("repeated elements are larger than what is stored: the limit is asked first", async () => {
  const layout = { kind: "strided", strides: [0n, 0n] } as const;
  const t = tensorOf("float64", [2 ** 20, 2 ** 20], layout, [new Uint8Array(8)]);
  expect(await thrown(() => valuesOf(t))).toMatchObject({ code: "SW_HURRAY_LIMIT", given: 2n ** 43n });
  const small = tensorOf("uint4", [10], { kind: "strided", strides: [0n] }, [Uint8Array.of(7)]);
  expect(await thrown(() => valuesOf(small, { maximumBytes: 9 }))).toMatchObject({
    code: "SW_HURRAY_LIMIT",
    given: 10n,
  });
  expect(await thrown(() => valuesOf(small, { maximumBytes: Number.NaN }))).toMatchObject({ code: "SW_HURRAY_VALUE" });
  expect([...(valuesOf(small, { maximumBytes: 10 }).elements as Uint8Array)]).toEqual(new Array(10).fill(7));
});

test("buffers that are not those of the descriptor, and other devices, are refused", async () => {
  const d = denseOf("uint8", [4], {}, 4);
  const value = { name: "HurrayValueError", code: "SW_HURRAY_VALUE", field: "buffers" };
  expect(await thrown(() => valuesOf({ descriptor: d, buffers: [] }))).toMatchObject(value);
  expect(await thrown(() => valuesOf({ descriptor: d, buffers: [new Uint8Array(3)] }))).toMatchObject(value);
  const far = { ...d, buffers: [{ ...d.buffers[0]!, deviceTag: 1 }] };
  expect(await thrown(() => valuesOf({ descriptor: far, buffers: [new Uint8Array(4)] }))).toMatchObject({
    code: "SW_HURRAY_DEVICE_UNSUPPORTED",
  });
  const wrong = { ...d, shape: [5n] };
  expect(await thrown(() => valuesOf({ descriptor: wrong, buffers: [new Uint8Array(4)] }))).toMatchObject({
    rule: "R65",
  });
});
