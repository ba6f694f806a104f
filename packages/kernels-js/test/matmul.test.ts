import type { Operand } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allocate,
  broadcast,
  type DType,
  expectSame,
  FLOATS,
  HALVES,
  inputOf,
  operand,
  PLACINGS,
  type Placing,
  permuted,
  placings,
  positions,
  read,
  readAt,
  rounded,
  run,
} from "./operands.js";

/** The definition: one float64 accumulator for each element, from 0, in the order of p; rounded once. */
function model(dtype: DType, shape: readonly number[], a: Operand, b: Operand): number[] {
  const rank = shape.length;
  const [m, n, k] = [shape[rank - 2]!, shape[rank - 1]!, a.shape[rank - 1]!];
  const as = positions(a, shape.slice(0, -2));
  const bs = positions(b, shape.slice(0, -2));
  return as.flatMap((aAt, batch) => {
    const found: number[] = [];
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let p = 0; p < k; p++) {
          const x = readAt(a, aAt + i * a.strides[rank - 2]! + p * a.strides[rank - 1]!) as number;
          const y = readAt(b, bs[batch]! + p * b.strides[rank - 2]! + j * b.strides[rank - 1]!) as number;
          sum += x * y;
        }
        found.push(rounded(dtype, sum));
      }
    }
    return found;
  });
}

function check(dtype: DType, shape: readonly number[], a: Operand, b: Operand, placing: Placing): void {
  const out = allocate(dtype, shape, placing);
  run("matmul", [out], [a, b]);
  expectSame(read(out), model(dtype, shape, a, b));
}

/** Values that make sums whose rounding depends on their order. */
function uneven(dtype: DType, shape: readonly number[], placing: Placing, seed: number): Operand {
  const size = shape.reduce((product, extent) => product * extent, 1);
  const values = Array.from({ length: size }, (_, i) => Math.sin(seed + i * 12.9898) * 10 ** ((i * 7) % 9));
  return operand(dtype, shape, values, placing);
}

describe("matmul is the sequential float64 sum, rounded once, bit for bit", () => {
  for (const dtype of [...FLOATS, ...HALVES]) {
    it(`${dtype}, small, of any strides and batch`, () => {
      const extents = fc.integer({ min: 0, max: 7 });
      const batches = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 });
      const cases = fc.tuple(batches, extents, extents, extents, placings).chain(([batch, m, n, k, placing]) =>
        fc.record({
          shape: fc.constant([...batch, m, n]),
          a: inputOf(dtype, [...batch, m, k]),
          b: inputOf(dtype, [...batch, k, n]),
          placing: fc.constant(placing),
        }),
      );
      fc.assert(
        fc.property(cases, ({ shape, a, b, placing }) => check(dtype, shape, a, b, placing)),
        { numRuns: 200 },
      );
    });

    it(`${dtype}, across the edges of every block, in every placing`, () => {
      const sizes = [
        [65, 5, 513],
        [4, 258, 7],
        [67, 13, 30],
        [3, 2051, 5],
        [9, 1, 514],
        [1, 9, 514],
      ] as const;
      for (const [m, n, k] of sizes) {
        for (const placing of PLACINGS) {
          const a = uneven(dtype, [m, k], placing, 1);
          const b = uneven(dtype, [k, n], placing, 2);
          check(dtype, [m, n], a, b, placing);
        }
      }
    });
  }

  it("takes transposed operands as they are", () => {
    const x = uneven("float32", [6, 70], "contiguous", 3);
    const g = uneven("float32", [6, 9], "gapped", 4);
    check("float32", [70, 9], permuted(x, [1, 0]), g, "contiguous");
    check("float32", [6, 6], x, permuted(x, [1, 0]), "transposed");
  });

  it("repeats an operand over batch axes of stride 0", () => {
    const a = uneven("float64", [2, 1, 5, 4], "contiguous", 5);
    const b = uneven("float64", [3, 4, 6], "offset", 6);
    const wide = broadcast(a, [2, 3, 5, 4]);
    check("float64", [2, 3, 5, 6], wide, broadcast(b, [2, 3, 4, 6]), "contiguous");
  });

  it("every extent from 1 to 20", () => {
    for (let n = 1; n <= 20; n++) {
      check(
        "float32",
        [n, n],
        uneven("float32", [n, n], "contiguous", n),
        uneven("float32", [n, n], "gapped", n),
        "gapped",
      );
    }
  });
});

describe("matmul on special values", () => {
  it("is +0 where there are no products, or only -0", () => {
    const out = allocate("float32", [5, 5]);
    run("matmul", [out], [allocate("float32", [5, 0]), allocate("float32", [0, 5])]);
    expectSame(read(out), new Array<number>(25).fill(0));
    const line = allocate("float32", [1, 5]);
    run("matmul", [line], [allocate("float32", [1, 0]), allocate("float32", [0, 5])]);
    expectSame(read(line), [0, 0, 0, 0, 0]);
    const negative = allocate("float32", [1, 1]);
    run("matmul", [negative], [operand("float32", [1, 1], [-0]), operand("float32", [1, 1], [1])]);
    expectSame(read(negative), [0]);
  });

  it("skips nothing: 0 times infinity is NaN, and NaN reaches its row or column only", () => {
    for (const n of [2, 6]) {
      const a = operand("float32", [n, n], new Array<number>(n * n).fill(0));
      const values = new Array<number>(n * n).fill(1);
      values[1] = Infinity;
      const out = allocate("float32", [n, n]);
      run("matmul", [out], [a, operand("float32", [n, n], values)]);
      expectSame(
        read(out),
        Array.from({ length: n * n }, (_, i) => (i % n === 1 ? NaN : 0)),
      );
    }
  });

  it("does not lose a small sum beside large ones that cancel", () => {
    const out = allocate("float32", [1, 1]);
    run("matmul", [out], [operand("float32", [1, 3], [1e10, 1, -1e10]), operand("float32", [3, 1], [1, 1, 1])]);
    expectSame(read(out), [1]);
  });

  it("writes nothing where the output is empty", () => {
    run("matmul", [allocate("float32", [0, 3])], [allocate("float32", [0, 2]), allocate("float32", [2, 3])]);
    run("matmul", [allocate("float32", [3, 0])], [allocate("float32", [3, 2]), allocate("float32", [2, 0])]);
    const batch = allocate("float32", [0, 3, 3]);
    run("matmul", [batch], [allocate("float32", [0, 3, 2]), allocate("float32", [0, 2, 3])]);
    expect(read(batch)).toEqual([]);
  });
});
