import { wasmKernelsSync } from "@sw/kernels-wasm";
import type { Operand } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indices, noise } from "../operands.js";

const backend = wasmKernelsSync({ initialBytes: 2 ** 24 });
const { memory } = backend;

interface Wide extends Operand {
  readonly data: Float64Array;
}

const CANARY = 12345.678;

/** An operand of float64 in the memory, or on the heap, with its strides given by row and column. */
function wide(
  shape: readonly [number, number],
  value: (i: number) => number,
  way: { readonly order?: "columns"; readonly gap?: number; readonly reversed?: boolean; readonly heap?: boolean } = {},
): Wide {
  const [rows, columns] = shape;
  const { gap = 1 } = way;
  const [row, column] = way.order === "columns" ? [gap, gap * rows] : [gap * columns, gap];
  const length = gap * rows * columns + 3;
  let data: Float64Array = new Float64Array(length);
  if (way.heap !== true) {
    const block = memory.allocate(length * 8);
    data = new Float64Array(memory.bytes(block), block.address, length);
  }
  data.fill(CANARY);
  const strides = way.reversed === true ? [row, -column] : [row, column];
  const offset = way.reversed === true ? 1 + column * Math.max(0, columns - 1) : 1;
  const operand = { dtype: "float64", data, offset, shape, strides } as const;
  for (const [ordinal, at] of indices(operand).entries()) data[at] = value(ordinal);
  return operand;
}

function valuesOf(operand: Wide): number[] {
  return indices(operand).map((at) => operand.data[at]!);
}

function multiply(out: Wide, a: Wide, b: Wide): number[] {
  expect(backend.supports("matmul", [out], [a, b])).toBe(true);
  backend.kernels.matmul([out], [a, b], [], []);
  const own = new Set(indices(out));
  expect(out.data.every((value, at) => own.has(at) || value === CANARY)).toBe(true);
  return valuesOf(out);
}

function check(out: Wide, a: Wide, b: Wide): void {
  const [m, k] = a.shape as [number, number];
  const n = b.shape[1]!;
  const got = multiply(out, a, b);
  const [left, right] = [valuesOf(a), valuesOf(b)];
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      let size = 0;
      for (let p = 0; p < k; p++) {
        sum += left[i * k + p]! * right[p * n + j]!;
        size += Math.abs(left[i * k + p]! * right[p * n + j]!);
      }
      // Both have rounded.
      expect(Math.abs(got[i * n + j]! - sum)).toBeLessThanOrEqual(2 * (k + 2) * 2 ** -53 * size);
    }
  }
}

describe("matmul of float64", () => {
  test("every size around the tile", () => {
    for (let m = 0; m <= 11; m++) {
      for (let n = 0; n <= 9; n++) {
        for (const k of [0, 1, 7])
          check(
            wide([m, n], () => -1),
            wide([m, k], noise(1)),
            wide([k, n], noise(2)),
          );
      }
    }
  });

  test("sizes around the blocks", () => {
    check(
      wide([123, 7], () => -1),
      wide([123, 259], noise(1)),
      wide([259, 7], noise(2)),
    );
    check(
      wide([3, 1030], () => -1),
      wide([3, 5], noise(1)),
      wide([5, 1030], noise(2)),
    );
  });

  test("any strides, in the memory or on the heap", () => {
    const way = fc.record(
      {
        order: fc.constant("columns" as const),
        gap: fc.integer({ min: 1, max: 3 }),
        reversed: fc.boolean(),
        heap: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const size = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(size, size, size, way, way, way, (m, n, k, out, a, b) => {
        check(
          wide([m, n], () => -1, out),
          wide([m, k], noise(1), a),
          wide([k, n], noise(2), b),
        );
      }),
      { numRuns: 80 },
    );
  });

  test("the same product has the same bits in every placing of the operands", () => {
    const product = (a: Parameters<typeof wide>[2], b: Parameters<typeof wide>[2]): number[] =>
      multiply(
        wide([67, 45], () => 0),
        wide([67, 300], noise(5), a),
        wide([300, 45], noise(6), b),
      );
    const plain = product({}, {});
    expect(product({ order: "columns" }, { order: "columns" })).toEqual(plain);
    expect(product({ gap: 2 }, { reversed: true })).toEqual(plain);
    expect(product({ heap: true }, { heap: true, gap: 3 })).toEqual(plain);
  });

  test("operands of two dtypes are declined, and so are the other kernels", () => {
    const [double, single] = [wide([2, 2], () => 1), { ...wide([2, 2], () => 1), dtype: "float32" as const }];
    const narrow: Operand = { ...single, data: new Float32Array(8) };
    expect(backend.objection("matmul", [double], [double, narrow])).toBe("dtype");
    expect(backend.objection("matmul", [narrow], [narrow, double])).toBe("dtype");
    expect(backend.objection("add", [double], [double, double])).toBe("dtype");
    expect(() => backend.kernels.matmul([double], [double, narrow], [], [])).toThrow(/does not take these operands/);
  });
});
