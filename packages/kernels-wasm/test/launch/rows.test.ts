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
