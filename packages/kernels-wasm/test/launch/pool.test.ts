import { jsKernels } from "@sw/kernels-js";
import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noise, type Placed, place, values } from "../operands.js";

const backend: WasmBackend = wasmKernelsSync({ initialBytes: 2 ** 26 });
const { memory } = backend;
const KINDS = ["maxPool2d", "avgPool2d"] as const;
type Kind = (typeof KINDS)[number];

interface Geometry {
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly pad: readonly [number, number];
}

function intsOf(kind: Kind, { kernel, stride, pad }: Geometry, wholeArea: boolean): number[] {
  return [...kernel, ...stride, ...pad, ...(kind === "avgPool2d" ? [Number(wholeArea)] : [])];
}

/** Pools by both backends and compares: elements exactly, averages as they are rounded once of float64 by both. */
function compare(kind: Kind, x: Placed, geometry: Geometry, wholeArea = false, order?: readonly number[]): void {
  const [images, channels, height, width] = x.shape as [number, number, number, number];
  const extent = (size: number, axis: 0 | 1): number =>
    Math.floor((size + 2 * geometry.pad[axis] - geometry.kernel[axis]) / geometry.stride[axis]) + 1;
  const shape = [images, channels, extent(height, 0), extent(width, 1)];
  const out = place(memory, shape, () => Number.NaN, order === undefined ? {} : { order });
  const reference = { ...out, data: Float32Array.from(out.data) };
  const ints = intsOf(kind, geometry, wholeArea);
  expect(backend.objection(kind, [out], [x], ints, [])).toBe(undefined);
  const { inUse } = memory;
  backend.kernels[kind]([out], [x], ints, []);
  expect(memory.inUse).toBe(inUse);
  const onHeap = { ...x, data: Float32Array.from(x.data) };
  jsKernels.kernels[kind]!([reference], [onHeap], ints, []);
  // With what surrounds the elements, which must be as it was.
  expect([...out.data]).toEqual([...reference.data]);
  if (kind !== "maxPool2d") return;
  const [ours, theirs] = [0, 1].map(() => ({ ...out, dtype: "int32" as const, data: new Int32Array(out.data.length) }));
  backend.kernels.maxPool2d([out, ours!], [x], ints, []);
  jsKernels.kernels["maxPool2d"]!([reference, theirs!], [onHeap], ints, []);
  expect([...ours!.data]).toEqual([...theirs!.data]);
  expect([...out.data]).toEqual([...reference.data]);
}

describe("pooling", () => {
  test.each(KINDS)("%s of any geometry and any strides", (kind) => {
    const pair = (min: number, max: number) => fc.tuple(fc.integer({ min, max }), fc.integer({ min, max }));
    const property = fc.property(
      fc.record({
        images: fc.integer({ min: 1, max: 3 }),
        channels: fc.integer({ min: 1, max: 3 }),
        size: pair(1, 19),
        kernel: pair(1, 4),
        stride: pair(1, 4),
        pad: pair(0, 3),
        wholeArea: fc.boolean(),
        order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        outOrder: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        reversed: fc.subarray([2, 3]),
        seed: fc.integer({ min: 1, max: 99 }),
      }),
      ({ images, channels, size, kernel, stride, pad, wholeArea, order, outOrder, reversed, seed }) => {
        const inside = pad.map((p, i) => Math.min(p, kernel[i]! - 1)) as [number, number];
        fc.pre(size.every((s, i) => s + 2 * inside[i]! >= kernel[i]!));
        const x = place(memory, [images, channels, ...size], noise(seed), { order, reversed });
        compare(kind, x, { kernel, stride, pad: inside }, wholeArea, outOrder);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test.each(KINDS)("%s of 2×2 windows that meet, of many channels", (kind) => {
    for (const [h, w] of [
      [2, 2],
      [8, 8],
      [56, 56],
      [10, 14],
      [9, 11],
    ] as const) {
      compare(kind, place(memory, [2, 5, h, w], noise(h)), { kernel: [2, 2], stride: [2, 2], pad: [0, 0] });
    }
  });

  test("field case 18: NaN wins, the first of zeros stays, -Infinity alone is its own maximum, padding never wins", () => {
    const max = (given: readonly number[], pad = 0): number[] => {
      const x = place(memory, [1, 1, 2, given.length / 2], (i) => given[i]!);
      const columns = Math.floor((given.length / 2 + 2 * pad - 2) / 2) + 1;
      const out = place(memory, [1, 1, 1 + pad, columns], () => 7);
      backend.kernels.maxPool2d([out], [x], [2, 2, 2, 2, pad, pad], []);
      return values(out);
    };
    expect(max([1, Number.NaN, 3, 4, 5, 6, 7, 8])).toEqual([Number.NaN, 8]);
    expect(max([-0, 0, 0, -0, 0, -0, -0, -0])).toEqual([-0, 0]);
    expect(max([-Infinity, -Infinity, -5, -6, -Infinity, -Infinity, -7, -8])).toEqual([-Infinity, -5]);
    expect(max([-1, -2, -3, -4], 1)).toEqual([-1, -2, -3, -4]);
    const specials = [Number.NaN, -Infinity, Infinity, 0, -0, -1];
    const x = place(memory, [1, 1, 12, 12], (i) => specials[(i * 7 + Math.floor(i / 5)) % 6]!);
    compare("maxPool2d", x, { kernel: [2, 2], stride: [2, 2], pad: [0, 0] });
    compare("maxPool2d", x, { kernel: [3, 2], stride: [1, 1], pad: [1, 0] });
    const lowest = place(memory, [1, 1, 9, 9], () => -Infinity);
    compare("maxPool2d", lowest, { kernel: [3, 3], stride: [1, 2], pad: [1, 1] });
  });

  test("windows of nothing are for the next backend", () => {
    const x = place(memory, [1, 1, 4, 4], noise(1));
    const out = place(memory, [1, 1, 2, 2], () => 0);
    expect(backend.objection("avgPool2d", [out], [x], [2, 2, 2, 2, 2, 0, 0], [])).toBe("empty windows");
  });
});
