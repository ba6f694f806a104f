import type { Operand } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KernelDTypeError } from "../src/index.js";
import {
  allocate,
  type DType,
  expectSame,
  FLOATS,
  INTEGERS,
  inputOf,
  kernel,
  operand,
  PLACINGS,
  permuted,
  placings,
  positions,
  read,
  rounded,
  run,
  shapes,
  sizeOf,
  type Value,
} from "./operands.js";

/** An output for the first `kept` loops of `shape`, with stride 0 in the others; and the operand of its own shape. */
function reducedOutput(dtype: DType, shape: readonly number[], kept: number, placing = PLACINGS[0]!) {
  const own = allocate(dtype, shape.slice(0, kept), placing);
  const strides = shape.map((_, axis) => (axis < kept ? own.strides[axis]! : 0));
  const loops: Operand = { ...own, shape, strides };
  return { own, loops };
}

/** Runs a reduction over all loops from `kept` on. */
function reduce(name: string, out: DType, input: Operand, kept: number, placing = PLACINGS[0]!): Value[] {
  const { own, loops } = reducedOutput(out, input.shape, kept, placing);
  run(name, [loops], [input]);
  return read(own);
}

/** The elements of each sum, in the order of the loops. */
function groups(input: Operand, kept: number): Value[][] {
  const inner = { ...input, shape: input.shape.slice(kept), strides: input.strides.slice(kept) };
  return positions(input, input.shape.slice(0, kept)).map((offset) => read({ ...inner, offset }));
}

const total = (values: readonly Value[]): number => values.reduce<number>((sum, value) => sum + (value as number), 0);
const exact = (values: readonly Value[]): bigint => values.reduce<bigint>((sum, value) => sum + BigInt(value), 0n);

const reductions = (dtype: DType) =>
  fc
    .record({ shape: shapes, placing: placings, part: fc.double({ min: 0, max: 1, noNaN: true }) })
    // An output without elements is no kernel's business: the dispatch returns before it.
    .filter(({ shape, part }) => !shape.slice(0, Math.round(part * shape.length)).includes(0))
    .chain(({ shape, placing, part }) =>
      fc.record({
        kept: fc.constant(Math.round(part * shape.length)),
        placing: fc.constant(placing),
        input: inputOf(dtype, shape),
      }),
    );

describe("sum", () => {
  for (const dtype of FLOATS) {
    it(`of ${dtype} is the sequential float64 sum, rounded once`, () => {
      fc.assert(
        fc.property(reductions(dtype), ({ input, kept, placing }) => {
          expectSame(
            reduce("sum", dtype, input, kept, placing),
            groups(input, kept).map((values) => rounded(dtype, total(values))),
          );
        }),
      );
    });
  }

  for (const dtype of [...INTEGERS, "bool"] as const) {
    it(`of ${dtype} is exact in int64`, () => {
      fc.assert(
        fc.property(reductions(dtype), ({ input, kept, placing }) => {
          expectSame(
            reduce("sum", "int64", input, kept, placing),
            groups(input, kept).map((values) => BigInt.asIntN(64, exact(values))),
          );
        }),
        { numRuns: 40 },
      );
    });
  }

  it("field case 17: float32 16777216 and a thousand ones, as a row, a reversed row and two columns", () => {
    const values = [16777216, ...new Array<number>(1000).fill(1)];
    for (const placing of PLACINGS) {
      expectSame(reduce("sum", "float32", operand("float32", [1001], values, placing), 0), [16777216 + 1000]);
      const columns = operand(
        "float32",
        [1001, 2],
        values.flatMap((value) => [value, value]),
        placing,
      );
      expectSame(reduce("sum", "float32", permuted(columns, [1, 0]), 1), [16778216, 16778216]);
    }
  });

  it("field case 17: int32 and int64 sums past 2^24, 2^31 and 2^53", () => {
    expectSame(reduce("sum", "int64", operand("int32", [2], [16777217, 1]), 0), [16777218n]);
    expectSame(reduce("sum", "int64", operand("int32", [2], [2147483647, 2147483647]), 0), [4294967294n]);
    expectSame(reduce("sum", "int64", operand("int64", [2], [9007199254740993n, 1n]), 0), [9007199254740994n]);
  });

  it("stays exact when millions of uint32 pass 2^53", () => {
    const data = new Uint32Array(3_000_000).fill(4294967295);
    const input: Operand = { dtype: "uint32", data, offset: 0, shape: [3_000_000], strides: [1] };
    expectSame(reduce("sum", "int64", input, 0), [4294967295n * 3_000_000n]);
    const split: Operand = { ...input, shape: [2, 1500, 1000], strides: [1_500_000, 1000, 1] };
    expectSame(reduce("sum", "int64", split, 1), [4294967295n * 1_500_000n, 4294967295n * 1_500_000n]);
  });

  it("wraps at 64 bits", () => {
    expectSame(reduce("sum", "int64", operand("int64", [2], [2n ** 63n - 1n, 1n]), 0), [-(2n ** 63n)]);
    expectSame(reduce("sum", "int64", operand("uint64", [2], [2n ** 64n - 1n, 2n]), 0), [1n]);
  });

  it("more sums than are carried at once, along either axis, of every dtype, give the same values", () => {
    for (const dtype of [...FLOATS, ...INTEGERS, "bool"] as const) {
      const out = dtype === "float32" || dtype === "float64" ? dtype : "int64";
      const values = Array.from({ length: 600 * 9 }, (_, i) => ((i * 37) % 101) % (dtype === "bool" ? 2 : 101));
      const rows = Array.from({ length: 600 }, (_, i) => total(values.slice(i * 9, i * 9 + 9)));
      const columns = Array.from({ length: 9 }, (_, j) => total(values.filter((_, i) => i % 9 === j)));
      for (const placing of PLACINGS) {
        const input = operand(dtype, [600, 9], values, placing);
        expect(reduce("sum", out, input, 1, placing).map(Number)).toEqual(rows);
        expect(reduce("sum", out, permuted(input, [1, 0]), 1).map(Number)).toEqual(columns);
      }
    }
  });

  it("of no elements is +0, and so is a sum of -0", () => {
    expectSame(reduce("sum", "float32", operand("float32", [2, 0], []), 1), [0, 0]);
    expectSame(reduce("sum", "int64", operand("uint8", [0], []), 0), [0n]);
    expectSame(reduce("sum", "float64", operand("float64", [2], [-0, -0]), 0), [0]);
  });

  it("spreads NaN, and makes it of infinities of both signs", () => {
    const values = [1, NaN, 2, Infinity, -Infinity, 0, Infinity, 1, 2];
    expectSame(reduce("sum", "float32", operand("float32", [3, 3], values), 1), [NaN, NaN, Infinity]);
  });

  it("takes a kept loop of extent 1 whose stride is 0", () => {
    const input = operand("float32", [1, 2, 3], [1, 2, 3, 4, 5, 6]);
    const out = allocate("float32", [2]);
    run("sum", [{ ...out, shape: [1, 2, 3], strides: [0, 1, 0] }], [input]);
    expectSame(read(out), [6, 15]);
  });

  it("refuses an integer sum that is not int64", () => {
    const call = () => kernel("sum")([operand("int32", [], [7])], [operand("int32", [], [1])], [], []);
    expect(call).toThrow(KernelDTypeError);
    expect(call).toThrow("sum: no loop for this dtype: got int32, expected one of int64.");
  });
});

describe("mean", () => {
  for (const dtype of FLOATS) {
    it(`of ${dtype} is the sequential float64 sum divided once`, () => {
      fc.assert(
        fc.property(reductions(dtype), ({ input, kept, placing }) => {
          const count = sizeOf(input.shape.slice(kept));
          expectSame(
            reduce("mean", dtype, input, kept, placing),
            groups(input, kept).map((values) => rounded(dtype, total(values) / count)),
          );
        }),
      );
    });
  }

  it("field case 17: large values do not overflow on the way", () => {
    expectSame(reduce("mean", "float32", operand("float32", [2], [3e38, 3e38]), 0), [Math.fround(3e38)]);
    expectSame(reduce("mean", "float64", operand("int32", [2], [2147483647, 2147483647]), 0), [2147483647]);
    expectSame(reduce("mean", "float32", operand("int32", [2], [2147483647, 2147483647]), 0), [2147483648]);
  });

  it("of integers of up to 32 bits and bool is exact before it is divided", () => {
    for (const dtype of [...INTEGERS, "bool"] as const) {
      if (dtype === "int64" || dtype === "uint64") continue;
      expectSame(reduce("mean", "float64", operand(dtype, [2, 3], [1, 1, 0, 1, 0, 1], "gapped"), 1), [2 / 3, 2 / 3]);
    }
  });

  it("of no elements is NaN", () => {
    expectSame(reduce("mean", "float32", operand("float32", [0], []), 0), [NaN]);
    expectSame(reduce("mean", "float64", operand("float64", [2, 3, 0], []), 1), [NaN, NaN]);
  });
});
