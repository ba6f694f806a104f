import { indexOf } from "@sw/layout";
import { expect, test } from "vitest";
import { type Descriptor, DYNAMIC, decodeDescriptor, dtypeOfTag, load, placementOf } from "../src/index.js";
import { toNumbers, valuesOf } from "../src/values/index.js";
import { bytesOf, thrown } from "./support.js";
import { valuesCases } from "./support-values.js";

const describe_ = (patch: Partial<Descriptor>): Descriptor => ({
  versionMinor: 0,
  typeTag: 3,
  shape: [3n, 4n],
  byteOffset: 0n,
  layout: { kind: "rowMajor" },
  buffers: [{ byteSize: 48n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
  ...patch,
});

test("the examples of the specification: index [1,2] of [3,4] is 6 row-major and 7 column-major", () => {
  expect(indexOf(placementOf(describe_({})), [1, 2])).toBe(6);
  expect(indexOf(placementOf(describe_({ layout: { kind: "columnMajor" } })), [1, 2])).toBe(7);
});

test("strides are kept, signs and zeros included", () => {
  const l = placementOf(describe_({ layout: { kind: "strided", strides: [-4n, 0n] } }));
  expect(l.stride).toEqual([-4, 0]);
  expect(l.shape).toEqual([3, 4]);
});

test("A7 strides of a quantised row-major tensor follow whole blocks, extents do not", () => {
  const l = placementOf(
    describe_({
      typeTag: 0x11,
      shape: [2n, 5n],
      quantisation: { scheme: "perBlock", axis: 1, blockSize: 4, scaleBuffer: 1, scaleTypeTag: 3 },
    }),
  );
  expect([l.shape, l.stride]).toEqual([
    [2, 5],
    [8, 1],
  ]);
});

test("dynamic dimensions and numbers that are not exact have no layout", async () => {
  expect(await thrown(() => placementOf(describe_({ shape: [DYNAMIC] })))).toMatchObject({
    code: "SW_HURRAY_DYNAMIC_UNSUPPORTED",
  });
  const exact = { code: "SW_HURRAY_LIMIT", name: "HurrayLimitError" };
  expect(await thrown(() => placementOf(describe_({ shape: [2n ** 53n] })))).toMatchObject(exact);
  expect(await thrown(() => placementOf(describe_({ shape: [2n ** 30n, 2n ** 30n] })))).toMatchObject(exact);
  const strides = (value: bigint) => describe_({ shape: [2n ** 30n], layout: { kind: "strided", strides: [value] } });
  expect(await thrown(() => placementOf(strides(2n ** 60n)))).toMatchObject({
    ...exact,
    given: (2n ** 30n - 1n) * 2n ** 60n,
  });
  expect(await thrown(() => placementOf(strides(-(2n ** 40n))))).toMatchObject({
    ...exact,
    limit: "the reach of strides",
  });
});

test("a layout beyond the limits of a tensor is a layout all the same", () => {
  expect(placementOf(describe_({ shape: [2n ** 40n] })).size).toBe(2 ** 40);
});

test("tiles that divide and Morton codes are layouts, over whole tiles and powers of two", () => {
  const tiled = placementOf(
    describe_({ layout: { kind: "tiled", tile: [2n, 3n], outer: "columnMajor", inner: "rowMajor" } }),
  );
  expect([tiled.toString(), indexOf(tiled, [2, 3])]).toEqual(["((2,2),(3,2)):((3,6),(1,12))", 18]);
  const morton = placementOf(describe_({ layout: { kind: "morton", bits: [2, 2] } }));
  expect([morton.size, indexOf(morton, [2, 3])]).toEqual([16, 14]);
  // An empty box has no tile to be too large.
  const empty = describe_({
    shape: [0n],
    layout: { kind: "tiled", tile: [2n ** 60n], outer: "rowMajor", inner: "rowMajor" },
  });
  expect(placementOf(empty).size).toBe(0);
});

test("A6 tiles that do not divide the tile around them are no layout, neither are Hilbert curves", async () => {
  const inner = { tile: [2n], outer: "rowMajor", inner: "rowMajor" } as const;
  const nested = describe_({ shape: [6n], layout: { kind: "tiled", tile: [3n], outer: "rowMajor", inner } });
  const unsupported = { code: "SW_HURRAY_LAYOUT_UNSUPPORTED", name: "HurrayUnsupportedError" };
  expect(await thrown(() => placementOf(nested))).toMatchObject({ ...unsupported, layoutTag: 4 });
  const curve = describe_({ shape: [4n, 4n], layout: { kind: "hilbert", order: 2 } });
  expect(await thrown(() => placementOf(curve))).toMatchObject({ ...unsupported, layoutTag: 0x40 });
});

test("tiles that zero strides make as large as they like are past the limit of layouts", async () => {
  const zero = { strides: [0n] };
  const huge = describe_({ shape: [5n], layout: { kind: "tiled", tile: [2n ** 60n], outer: zero, inner: zero } });
  expect(await thrown(() => placementOf(huge))).toMatchObject({ code: "SW_LAYOUT_UNSAFE_INTEGER" });
});

const placed = valuesCases("address")
  .map((c) => [c.id, decodeDescriptor(bytesOf(c))] as const)
  .filter(([, d]) => d.layout.kind === "tiled" || d.layout.kind === "morton")
  .filter(([id, d]) => dtypeOfTag(d.typeTag) !== undefined && id !== "addr-tiled-nested-nondividing");

test.each(placed)("%s is a tensor without a copy, padding left out", (_, descriptor) => {
  const bytes = Uint8Array.from({ length: Number(descriptor.buffers[0]!.byteSize) }, (_, i) => (i * 37) % 127);
  const stored = { descriptor, buffers: [bytes] };
  const isBool = descriptor.typeTag === 0x20;
  const { tensor, copied } = load(stored, { copy: isBool ? "if-needed" : "never" });
  expect([tensor.shape, copied]).toEqual([descriptor.shape.map(Number), isBool]);
  const { type, elements } = valuesOf(stored);
  expect([...tensor.data()].map(Number)).toEqual([...toNumbers(type, elements)]);
  tensor.dispose();
});
