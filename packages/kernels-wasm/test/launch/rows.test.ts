import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indices, noise, type Placed, place, values } from "../operands.js";

const backend: WasmBackend = wasmKernelsSync({ initialBytes: 2 ** 27 });
const { memory } = backend;
const U = 2 ** -24;
const KINDS = ["softmax", "logSoftmax"] as const;
type Kind = (typeof KINDS)[number];

/** What a row should be, and how far from it the elements may be. */
function expected(kind: Kind, row: readonly number[]): { readonly value: number; readonly bound: number }[] {
  const largest = Math.max(...row);
  const total = row.reduce((sum, x) => sum + Math.exp(x - largest), 0);
  return row.map((x) => {
    const below = largest - x;
    const value = kind === "softmax" ? Math.exp(-below) / total : -below - Math.log(total);
    const size = kind === "softmax" ? (8 + row.length + below) * U * value : (16 + row.length + 2 * below) * U;
    return { value, bound: 2 ** -150 + Math.abs(value) * U + size };
  });
}

function check(kind: Kind, x: Placed, out = place(memory, x.shape, () => Number.NaN)): void {
  const count = x.shape.at(-1)!;
  const given = indices(x).map((at) => x.data[at]!);
  expect(backend.supports(kind, [out], [x], [], [])).toBe(true);
  const { inUse } = memory;
  backend.kernels[kind]([out], [x], [], []);
  expect(memory.inUse).toBe(inUse);
  const got = indices(out).map((at) => out.data[at]!);
  for (let i = 0; i < given.length; i += count) {
    for (const [j, { value, bound }] of expected(kind, given.slice(i, i + count)).entries()) {
      if (Number.isFinite(value)) expect(Math.abs(got[i + j]! - value)).toBeLessThanOrEqual(bound);
      else expect(got[i + j]).toBe(value);
    }
  }
}

describe("softmax and its logarithm", () => {
  test.each(KINDS)("%s of rows of every length around the vectors", (kind) => {
    for (const n of [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 19, 31, 33, 64, 67, 1000, 16_385, 40_000]) {
      check(kind, place(memory, [3, n], noise(n)));
    }
    check(
      kind,
      place(memory, [5, 100], (i) => 90 * Math.sin(i)),
    );
    check(
      kind,
      place(memory, [2, 9], (i) => 1e38 * Math.cos(i)),
    );
  });

  test.each(KINDS)("%s of any strides, here or on the heap, and in place", (kind) => {
    const property = fc.property(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }).chain((shape) => {
        const axes = shape.map((_, i) => i);
        return fc.record({
          shape: fc.constant(shape),
          order: fc.shuffledSubarray(axes, { minLength: shape.length }),
          reversed: fc.subarray(axes),
          gap: fc.constantFrom(1, 2),
          outOrder: fc.shuffledSubarray(axes, { minLength: shape.length }),
          way: fc.constantFrom("apart", "heap", "in place"),
        });
      }),
      ({ shape, order, reversed, gap, outOrder, way }) => {
        const x = place(memory, shape, noise(1), { order, reversed, gap, skip: 1 });
        if (way === "in place") check(kind, x, x);
        else if (way === "apart")
          check(
            kind,
            x,
            place(memory, shape, () => 0, { order: outOrder }),
          );
        else check(kind, { ...x, data: Float32Array.from(x.data) });
      },
    );
    fc.assert(property, { numRuns: 150 });
  });

  const row = (kind: Kind, given: readonly number[]): number[] => {
    const x = place(memory, [1, given.length], (i) => given[i]!);
    const out = place(memory, [1, given.length], () => 0);
    backend.kernels[kind]([out], [x], [], []);
    return values(out);
  };

  test("special values: NaN, +Infinity and -Infinity alone make a row NaN; -Infinity is nothing", () => {
    for (const kind of KINDS) {
      for (const n of [1, 4, 5, 9, 70]) {
        const fill = (value: number, at: number): number[] =>
          Array.from({ length: n }, (_, i) => (i === at ? value : -i));
        for (const at of [0, n - 1]) {
          expect(row(kind, fill(Number.NaN, at))).toEqual(new Array(n).fill(Number.NaN));
          expect(row(kind, fill(Infinity, at))).toEqual(new Array(n).fill(Number.NaN));
        }
        expect(row(kind, new Array(n).fill(-Infinity))).toEqual(new Array(n).fill(Number.NaN));
      }
    }
    expect(row("softmax", [-Infinity, 3, -Infinity])).toEqual([0, 1, 0]);
    expect(row("logSoftmax", [-Infinity, 3, -Infinity, -Infinity, -Infinity])[0]).toBe(-Infinity);
  });

  test("what is subnormal is rounded once, and what is smaller is 0", () => {
    const [, small, none] = row("softmax", [0, -95, -110]);
    expect(Math.abs(small! - Math.exp(-95))).toBeLessThanOrEqual(2 ** -149);
    expect(none).toBe(0);
  });
});

describe("normalised rows", () => {
  type Norm = "layerNorm" | "rmsNorm";
  const NORMS: readonly Norm[] = ["layerNorm", "rmsNorm"];

  /** What rows should be, in float64, and how far from it they may be. */
  function normalised(kind: Norm, row: readonly number[], epsilon: number) {
    const n = row.length;
    const mean = kind === "layerNorm" ? row.reduce((a, b) => a + b, 0) / n : 0;
    const square = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n;
    const inverse = 1 / Math.sqrt(square + epsilon);
    const size = row.reduce((sum, x) => sum + Math.abs(x), 0) / n;
    const share = (16 + 2 * Math.ceil(Math.log2(n))) * U;
    return {
      inverse,
      rows: row.map((x) => ({ value: (x - mean) * inverse, bound: share * (Math.abs(x) + size) * inverse })),
    };
  }

  function checkNorm(kind: Norm, x: Placed, with_: readonly ("weight" | "bias" | "facts")[], epsilon = 1e-5): void {
    const count = x.shape.at(-1)!;
    const has = (name: (typeof with_)[number]): boolean => with_.includes(name);
    const weight = has("weight") || has("bias") ? place(memory, [count], noise(2)) : undefined;
    const bias = has("bias") && kind === "layerNorm" ? place(memory, [count], noise(3), { reversed: [0] }) : undefined;
    const extra = has("facts") ? [place(memory, x.shape, () => 7), place(memory, x.shape.slice(0, -1), () => 7)] : [];
    const out = place(memory, x.shape, () => Number.NaN);
    const given = values(x);
    const inputs = [x, weight, bias].filter((operand) => operand !== undefined);
    expect(backend.supports(kind, [out, ...extra], inputs, [], [epsilon])).toBe(true);
    const { inUse } = memory;
    backend.kernels[kind]([out, ...extra], inputs, [], [epsilon]);
    expect(memory.inUse).toBe(inUse);
    const got = values(out);
    const ws = weight === undefined ? [] : values(weight);
    const bs = bias === undefined ? [] : values(bias);
    const [before, factors] = extra.map((operand) => values(operand));
    for (let i = 0; i < given.length; i += count) {
      const wanted = normalised(kind, given.slice(i, i + count), epsilon);
      for (const [j, { value, bound }] of wanted.rows.entries()) {
        const [w, b] = [ws[j] ?? 1, bs[j] ?? 0];
        const right = value * w + b;
        const error = Math.abs(right) * U + bound * Math.abs(w) + 4 * U * Math.abs(b) + 2 ** -149;
        expect(Math.abs(got[i + j]! - right)).toBeLessThanOrEqual(error);
        if (before) expect(Math.abs(before[i + j]! - value)).toBeLessThanOrEqual(Math.abs(value) * U + bound);
      }
      if (factors) expect(factors[i / count]! / wanted.inverse).toBeCloseTo(1, 6);
    }
  }

  test.each(NORMS)("%s with and without weight, bias and what else it writes", (kind) => {
    for (const n of [1, 2, 3, 4, 5, 8, 33, 64, 67, 768]) {
      for (const parts of [[], ["weight"], ["weight", "bias"], ["facts"], ["weight", "bias", "facts"]] as const) {
        checkNorm(kind, place(memory, [3, n], noise(n)), parts);
      }
    }
    checkNorm(kind, place(memory, [700, 40], noise(5)), ["weight", "bias", "facts"]);
    checkNorm(kind, place(memory, [4, 6, 5], noise(6), { order: [2, 0, 1], reversed: [1] }), ["weight", "bias"]);
  });

  const run = (kind: Norm, given: readonly number[], epsilon: number): number[] => {
    const x = place(memory, [1, given.length], (i) => given[i]!);
    const out = place(memory, [1, given.length], () => 0);
    backend.kernels[kind]([out], [x], [], [epsilon]);
    return values(out);
  };

  test("a row of equal elements is 0, also of those that float32 rounds", () => {
    for (const value of [0.1, 1e10, -3.7e-5]) {
      expect(run("layerNorm", new Array(769).fill(value), 1e-5)).toEqual(new Array(769).fill(0));
    }
  });

  test("NaN and infinity make a row NaN; beside an infinity rmsNorm makes 0 of what is finite", () => {
    for (const value of [Number.NaN, Infinity]) {
      expect(run("layerNorm", [1, 2, value, 4, 5], 1e-5)).toEqual(new Array(5).fill(Number.NaN));
    }
    expect(run("rmsNorm", [1, 2, Number.NaN], 0)).toEqual(new Array(3).fill(Number.NaN));
    expect(run("rmsNorm", [1, -2, Infinity], 0)).toEqual([0, -0, Number.NaN]);
  });

  test("deviations beyond float32, and those whose inverse is, do no harm", () => {
    const large = run("layerNorm", [3e38, 3e38, -3e38], 0);
    expect(large.map((x) => Math.round(x * 1e4))).toEqual([7071, 7071, -14142]);
    expect(run("rmsNorm", [1e-40, -1e-40], 0).map((x) => Math.round(x))).toEqual([1, -1]);
    expect(run("layerNorm", [1e-42, 3e-42], 0).map((x) => Math.round(x))).toEqual([-1, 1]);
  });
});
