import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import type { Operand } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indices, noise, type Placed, place } from "../operands.js";

const backend: WasmBackend = wasmKernelsSync({ initialBytes: 2 ** 27 });
const { memory } = backend;
const U = 2 ** -24;
type Kind = "sum" | "mean" | "max" | "min";
const KINDS: readonly Kind[] = ["sum", "mean", "max", "min"];

/** Splits the loops of a call into those that the output has and those that it lacks (S-22). */
function callOf(x: Operand, kept: number, heap = false): { readonly out: Placed; readonly x: Operand } {
  const { shape } = x;
  const keptShape = shape.slice(0, kept);
  let out = place(memory, keptShape, () => Number.NaN);
  if (heap) out = { ...out, data: Float32Array.from(out.data) };
  const strides = [...out.strides, ...shape.slice(kept).map(() => 0)];
  return { out: { ...out, shape, strides }, x };
}

function results(out: Placed, count: number): number[] {
  return [...out.data.slice(out.offset, out.offset + count)];
}

/** What each kept element should be, and how far from it sums may be. */
function expected(kind: Kind, x: Operand, kept: number): { readonly value: number; readonly bound: number }[] {
  const terms = x.shape.slice(kept).reduce((a, b) => a * b, 1);
  const all = indices(x).map((at) => Number(x.data[at]));
  const results: { value: number; bound: number }[] = [];
  for (let i = 0; i < all.length / Math.max(1, terms); i++) {
    const part = all.slice(i * terms, (i + 1) * terms);
    if (kind === "max") results.push({ value: part.reduce((a, b) => Math.max(a, b)), bound: 0 });
    else if (kind === "min") results.push({ value: part.reduce((a, b) => Math.min(a, b)), bound: 0 });
    else {
      const by = kind === "mean" ? terms : 1;
      const value = part.reduce((a, b) => a + b, 0) / by;
      const size = part.reduce((a, b) => a + Math.abs(b), 0) / by;
      const bound = Math.abs(value) * U + (16 + 2 * Math.ceil(Math.log2(terms))) * U * size + 2 ** -149;
      results.push({ value, bound });
    }
  }
  return results;
}

function check(kind: Kind, x: Operand, kept: number, heap = false): void {
  const call = callOf(x, kept, heap);
  expect(backend.supports(kind, [call.out], [call.x], [], [])).toBe(true);
  const { inUse } = memory;
  backend.kernels[kind]([call.out], [call.x], [], []);
  expect(memory.inUse).toBe(inUse);
  const keptOnly = { ...call.out, shape: x.shape.slice(0, kept), strides: call.out.strides.slice(0, kept) };
  const got = indices(keptOnly).map((at) => call.out.data[at]!);
  const wanted = expected(kind, x, kept);
  expect(got.length).toBe(wanted.length);
  for (const [i, { value, bound }] of wanted.entries()) {
    if (bound === 0 || Number.isNaN(value)) expect(got[i]).toBe(value);
    else expect(Math.abs(got[i]! - value)).toBeLessThanOrEqual(bound);
  }
}

/** An operand whose loops have this order in memory; of each loop: -1 for backwards, 0 for broadcast. */
function laid(
  shape: readonly number[],
  order: readonly number[],
  signs: readonly number[],
  seed: number,
  gap = 1,
): Placed {
  const those = (sign: number): number[] => shape.map((_, i) => i).filter((i) => signs[i] === sign);
  return place(memory, shape, noise(seed), { order, reversed: those(-1), broadcast: those(0), gap });
}

describe("reductions", () => {
  test("S-22 any loops, in any order, reversed, broadcast and with gaps, here or on the heap", () => {
    const extent = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(8, 17, 33, 70));
    const property = fc.property(
      fc.array(extent, { minLength: 1, maxLength: 4 }).chain((shape) =>
        fc.record({
          shape: fc.constant(shape),
          order: fc.shuffledSubarray(
            shape.map((_, i) => i),
            { minLength: shape.length },
          ),
          signs: fc.array(fc.constantFrom(1, 1, 1, 0, -1), { minLength: shape.length, maxLength: shape.length }),
          kept: fc.integer({ min: 0, max: shape.length }),
          kind: fc.constantFrom(...KINDS),
          heap: fc.boolean(),
          gap: fc.constantFrom(1, 1, 3),
        }),
      ),
      ({ shape, order, signs, kept, kind, heap, gap }) => {
        fc.pre(shape.reduce((a, b) => a * b, 1) <= 20_000);
        const x = laid(shape, order, signs, 7, gap);
        check(kind, heap ? { ...x, data: Float32Array.from(x.data) } : x, kept, heap);
      },
    );
    fc.assert(property, { numRuns: 400 });
  });

  test.each(KINDS)("%s of lengths around the blocks, along rows and down columns", (kind) => {
    for (const n of [1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1023, 1025, 16_384, 16_389]) {
      check(kind, laid([3, n], [1, 0], [1, 1], n), 1);
      check(kind, laid([7, n], [0, 1], [1, 1], n), 1);
      check(kind, laid([n, 3], [1, 0], [1, 1], n), 1);
      check(kind, laid([n], [0], [1], n), 0);
    }
    check(kind, laid([2500, 2], [0, 1], [1, 1], 3), 1);
    check(kind, laid([3, 2500, 9], [1, 2, 0], [1, 1, 1], 3), 2);
  });

  test("field case 17: 1,000 ones beside 2^24 are not swallowed, on any axis", () => {
    const value = (i: number): number => (i === 0 ? 2 ** 24 : i <= 1000 ? 1 : 0);
    for (const x of [
      place(memory, [1001], value),
      place(memory, [1001], (i) => value(1000 - i), { reversed: [0] }),
      place(memory, [4, 1001], (i) => value(i % 1001), { order: [1, 0] }),
      place(memory, [3, 1001], (i) => value(i % 1001)),
    ]) {
      const { out } = callOf(x, x.shape.length - 1);
      backend.kernels.sum([out], [x], [], []);
      for (const sum of results(out, x.shape.length === 1 ? 1 : x.shape[0]!)) {
        expect(Math.abs(sum - (2 ** 24 + 1000))).toBeLessThanOrEqual(64);
      }
    }
  });

  test("of no elements are what totals begin with, in the memory and on the heap", () => {
    for (const heap of [false, true]) {
      for (const [kind, value] of [
        ["sum", 0],
        ["mean", Number.NaN],
      ] as const) {
        const { out, x } = callOf(
          place(memory, [3, 0], () => 0),
          1,
          heap,
        );
        backend.kernels[kind]([out], [x], [], []);
        expect(results(out, 3)).toEqual([value, value, value]);
      }
    }
  });

  const single = (kind: Kind, values: readonly number[]): number => {
    const { out, x } = callOf(
      place(memory, [values.length], (i) => values[i]!),
      0,
    );
    backend.kernels[kind]([out], [x], [], []);
    return results(out, 1)[0]!;
  };

  test("special values: NaN spreads, infinities as IEEE has them, of zeros +0 is the larger", () => {
    const fill = (...values: number[]): number[] => [...new Array<number>(70).fill(1), ...values];
    for (const kind of KINDS) {
      expect(single(kind, fill(Number.NaN))).toBe(Number.NaN);
      expect(single(kind, [Number.NaN, ...fill()])).toBe(Number.NaN);
    }
    expect(single("sum", fill(Infinity))).toBe(Infinity);
    expect(single("sum", fill(Infinity, -Infinity))).toBe(Number.NaN);
    expect(single("max", [-0, 0, -0])).toBe(0);
    expect(single("min", [0, -0, 0, 0, 0])).toBe(-0);
    expect(single("max", [-0, -0])).toBe(-0);
    expect(single("sum", [-0, -0])).toBe(0);
    expect(single("max", [-Infinity])).toBe(-Infinity);
  });

  test("nothing overflows that float64 holds", () => {
    const large = [3e38, 3e38, 3e38, 3e38, -3e38, -3e38, -3e38, -3e38];
    const all = Array.from({ length: 1024 }, (_, i) => large[Math.floor(i / 128)]!);
    expect(single("sum", all)).toBe(0);
    expect(single("mean", new Array<number>(100).fill(3e38))).toBe(Math.fround(3e38));
    expect(single("sum", [3e38, 3e38])).toBe(Infinity);
    const columns = place(memory, [4, 64], () => 3e38, { order: [1, 0] });
    const { out } = callOf(columns, 1);
    backend.kernels.mean([out], [columns], [], []);
    expect(results(out, 4)).toEqual(new Array(4).fill(Math.fround(3e38)));
  });

  test("of nothing a sum is 0 and a mean NaN", () => {
    const none = place(memory, [0], () => 1);
    for (const [kind, value] of [
      ["sum", 0],
      ["mean", Number.NaN],
    ] as const) {
      const { out } = callOf({ ...none, shape: [2, 0], strides: [0, 1] }, 1);
      backend.kernels[kind]([out], [{ ...none, shape: [2, 0], strides: [0, 1] }], [], []);
      expect(results(out, 2)).toEqual([value, value]);
    }
  });
});
