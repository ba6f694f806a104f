import { wasmKernelsSync } from "@sw/kernels-wasm";
import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf, type Operand } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indices, noise } from "../operands.js";

const backend = wasmKernelsSync({ initialBytes: 2 ** 26 });
const { memory } = backend;

const FORMATS = {
  float16: { toNumber: halfToNumber, toBits: numberToHalf, digits: 11 },
  bfloat16: { toNumber: bfloat16ToNumber, toBits: numberToBfloat16, digits: 8 },
} as const;
type Narrow = keyof typeof FORMATS;

const CANARY = 0x7bad;

interface Way {
  /** Axes in the order of their strides, outermost first. */
  readonly order?: readonly number[];
  readonly gap?: number;
  /** An axis that runs backwards. */
  readonly reversed?: number;
  /** An axis of stride 0. */
  readonly broadcast?: number;
  readonly heap?: boolean;
}

function narrow(dtype: Narrow, shape: readonly number[], value: (ordinal: number) => number, way: Way = {}): Operand {
  const { order = shape.map((_, axis) => axis), gap = 1, reversed, broadcast, heap = false } = way;
  const strides = shape.map(() => 0);
  let reach = gap;
  for (const axis of [...order].reverse()) {
    if (axis === broadcast) continue;
    strides[axis] = reach;
    reach *= Math.max(1, shape[axis]!);
  }
  const length = reach + 6;
  let data: Uint16Array = new Uint16Array(length);
  if (!heap) {
    const block = memory.allocate(length * 2);
    data = new Uint16Array(memory.bytes(block), block.address, length);
  }
  data.fill(CANARY);
  let offset = 3;
  if (reversed !== undefined) {
    offset += Math.max(0, shape[reversed]! - 1) * strides[reversed]!;
    strides[reversed] = -strides[reversed]!;
  }
  const operand: Operand = { dtype, data, offset, shape, strides };
  for (const [ordinal, at] of indices(operand).entries()) data[at] = FORMATS[dtype].toBits(value(ordinal));
  return operand;
}

function valuesOf(operand: Operand): number[] {
  const { toNumber } = FORMATS[operand.dtype as Narrow];
  return indices(operand).map((at) => toNumber(operand.data[at] as number));
}

function multiply(out: Operand, a: Operand, b: Operand): number[] {
  expect(backend.supports("matmul", [out], [a, b])).toBe(true);
  const inUse = memory.inUse;
  backend.kernels.matmul([out], [a, b], [], []);
  expect(memory.inUse).toBe(inUse);
  const own = new Set(indices(out));
  expect(out.data.every((bits, at) => own.has(at) || bits === CANARY)).toBe(true);
  return valuesOf(out);
}

/** Compares with float64: the bound of float32, and half a place of the result. */
function check(out: Operand, a: Operand, b: Operand): void {
  const [m, n] = out.shape.slice(-2) as [number, number];
  const k = a.shape[a.shape.length - 1]!;
  const roundings = (Math.min(k, 256) + Math.ceil(k / 256)) * 2 ** -24;
  const gamma = roundings / (1 - roundings);
  const half = 2 ** -FORMATS[out.dtype as Narrow].digits;
  const got = multiply(out, a, b);
  const [left, right] = [valuesOf(a), valuesOf(b)];
  for (const [at, value] of got.entries()) {
    const batch = Math.floor(at / (m * n));
    const i = Math.floor(at / n) % m;
    let sum = 0;
    let size = 0;
    for (let p = 0; p < k; p++) {
      const term = left[(batch * m + i) * k + p]! * right[(batch * k + p) * n + (at % n)]!;
      sum += term;
      size += Math.abs(term);
    }
    const bound = gamma * size + half * Math.abs(sum) + 2 ** -24;
    if (!(Math.abs(value - sum) <= bound)) {
      throw new Error(`[${a.shape}]:[${a.strides}] · [${b.shape}]:[${b.strides}] at ${at}: got ${value}, not ${sum}`);
    }
  }
}

describe.each(["float16", "bfloat16"] as const)("matmul of %s", (dtype) => {
  const checkSize = (m: number, k: number, n: number): void =>
    check(
      narrow(dtype, [m, n], () => -1),
      narrow(dtype, [m, k], noise(1)),
      narrow(dtype, [k, n], noise(2)),
    );

  test("every size around the tile", () => {
    for (let m = 0; m <= 11; m++) for (let n = 0; n <= 9; n++) for (const k of [0, 1, 7]) checkSize(m, k, n);
  });

  test("sizes around the blocks", () => {
    checkSize(3, 5, 1030);
    checkSize(515, 3, 9);
    for (const k of [256, 257, 800]) checkSize(6, k, 10);
    for (const k of [257, 1025]) checkSize(1, k, 10);
    checkSize(514, 258, 6);
  });

  test("any strides, in the memory or on the heap", () => {
    const way = fc.record(
      {
        order: fc.constant([1, 0]),
        gap: fc.integer({ min: 1, max: 3 }),
        reversed: fc.constantFrom(0, 1),
        heap: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const size = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(size, size, size, way, way, way, (m, n, k, out, a, b) => {
        check(
          narrow(dtype, [m, n], () => -1, out),
          narrow(dtype, [m, k], noise(1), a),
          narrow(dtype, [k, n], noise(2), b),
        );
      }),
      { numRuns: 60 },
    );
  });

  test("batches, and operands that stand still along an axis", () => {
    for (const broadcast of [0, 1, 2, 3]) {
      check(
        narrow(dtype, [2, 3, 5, 9], () => -1, { order: [1, 0, 3, 2] }),
        narrow(dtype, [2, 3, 5, 7], noise(1), { broadcast }),
        narrow(dtype, [2, 3, 7, 9], noise(2), { broadcast: 3 - broadcast }),
      );
    }
  });

  test("a sum is rounded once, and its terms not at all", () => {
    // Of 2048 ones, added in the dtype itself, the sum would stand still at a power of two.
    const ones = narrow(dtype, [1, 2048], () => 1);
    const column = narrow(dtype, [2048, 3], () => 1);
    expect(
      multiply(
        narrow(dtype, [1, 3], () => 0),
        ones,
        column,
      ),
    ).toEqual([2048, 2048, 2048]);
  });

  test("NaN, infinities and what is too large reach their row alone", () => {
    const specials = [NaN, Infinity, -Infinity, dtype === "float16" ? 65504 : 3e38];
    const a = narrow(dtype, [6, 4], (i) => (i % 4 === 1 ? (specials[Math.floor(i / 4)] ?? 1) : 1));
    const b = narrow(dtype, [4, 3], () => 2);
    const got = multiply(
      narrow(dtype, [6, 3], () => 0),
      a,
      b,
    );
    expect(got.filter((_, i) => i % 3 === 2)).toEqual([NaN, Infinity, -Infinity, Infinity, 8, 8]);
  });

  test("a depth of 0 writes zeros over what was there", () => {
    const out = narrow(dtype, [3, 4], () => NaN);
    const empty = (shape: readonly number[]): Operand => narrow(dtype, shape, () => 1);
    expect(multiply(out, empty([3, 0]), empty([0, 4]))).toEqual(new Array(12).fill(0));
  });

  test("operands of two dtypes are declined", () => {
    const own = narrow(dtype, [2, 2], () => 1);
    const other = narrow(dtype === "float16" ? "bfloat16" : "float16", [2, 2], () => 1);
    expect(backend.objection("matmul", [own], [own, other])).toBe("dtype");
    expect(backend.objection("matmul", [other], [own, own])).toBe("dtype");
    expect(() => backend.kernels.matmul([own], [own, other], [], [])).toThrow(/does not take these operands/);
  });
});
