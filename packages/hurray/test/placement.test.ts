import { indexOf } from "@sw/layout";
import { expect, test } from "vitest";
import { type Descriptor, DYNAMIC, placementOf } from "../src/index.js";
import { thrown } from "./support.js";

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
  expect(await thrown(() => placementOf(strides(2n ** 60n)))).toMatchObject({ ...exact, given: 2n ** 60n });
  expect(await thrown(() => placementOf(strides(-(2n ** 40n))))).toMatchObject({
    ...exact,
    limit: "the reach of strides",
  });
});

test("a layout beyond the limits of a tensor is a layout all the same", () => {
  expect(placementOf(describe_({ shape: [2n ** 40n] })).size).toBe(2 ** 40);
});
