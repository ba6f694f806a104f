import { OPERATIONS, type OperationKind, type OperationSpec } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KernelDTypeError } from "../src/index.js";
import {
  allocate,
  bitsOf,
  broadcast,
  type DType,
  expectSame,
  FLOATS,
  HALVES,
  INTEGERS,
  inputOf,
  kernel,
  operand,
  PLACINGS,
  placings,
  read,
  rounded,
  run,
  SPECIALS,
  shapes,
  type Value,
  wrapped,
} from "./operands.js";

type Model = (...values: number[]) => number | boolean;
type IntegerModel = (...values: bigint[]) => bigint | boolean;

const FLOAT_MODELS: { readonly [kernel: string]: Model } = {
  add: (a, b) => a! + b!,
  sub: (a, b) => a! - b!,
  mul: (a, b) => a! * b!,
  div: (a, b) => a! / b!,
  minimum: (a, b) => Math.min(a!, b!),
  maximum: (a, b) => Math.max(a!, b!),
  reluBackward: (g, y) => (y! > 0 ? g! : 0),
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a! < b!,
  le: (a, b) => a! <= b!,
  gt: (a, b) => a! > b!,
  ge: (a, b) => a! >= b!,
  isNaN: (a) => Number.isNaN(a),
  isFinite: (a) => Number.isFinite(a),
  isInfinite: (a) => a === Infinity || a === -Infinity,
  neg: (a) => -a!,
  abs: (a) => Math.abs(a!),
  sign: (a) => Math.sign(a!),
  relu: (a) => (a! < 0 ? 0 : a!),
  exp: (a) => Math.exp(a!),
  log: (a) => Math.log(a!),
  sqrt: (a) => Math.sqrt(a!),
  rsqrt: (a) => 1 / Math.sqrt(a!),
  reciprocal: (a) => 1 / a!,
  tanh: (a) => Math.tanh(a!),
  floor: (a) => Math.floor(a!),
  ceil: (a) => Math.ceil(a!),
  trunc: (a) => Math.trunc(a!),
};

const INTEGER_MODELS: { readonly [kernel: string]: IntegerModel } = {
  add: (a, b) => a! + b!,
  sub: (a, b) => a! - b!,
  mul: (a, b) => a! * b!,
  minimum: (a, b) => (a! < b! ? a! : b!),
  maximum: (a, b) => (a! > b! ? a! : b!),
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a! < b!,
  le: (a, b) => a! <= b!,
  gt: (a, b) => a! > b!,
  ge: (a, b) => a! >= b!,
  neg: (a) => -a!,
  abs: (a) => (a! < 0n ? -a! : a!),
  sign: (a) => (a! > 0n ? 1n : a! < 0n ? -1n : 0n),
};

const specOf = (name: string): OperationSpec => OPERATIONS[name as OperationKind];
const arity = (name: string): number => specOf(name).inputs.length;
const resultOf = (name: string, dtype: DType): DType => (specOf(name).outputs[0] === "r:bool" ? "bool" : dtype);

function expectedOf(name: string, dtype: DType, inputs: readonly Value[][]): Value[] {
  return inputs[0]!.map((_, i) => {
    const values = inputs.map((list) => list[i]!);
    const exact = dtype.includes("float")
      ? FLOAT_MODELS[name]!(...(values as number[]))
      : INTEGER_MODELS[name]!(...values.map(BigInt));
    if (typeof exact === "boolean") return Number(exact);
    return typeof exact === "number" ? rounded(dtype, exact) : wrapped(dtype, exact);
  });
}

function agreesWithModel(name: string, dtype: DType): void {
  const cases = fc.record({ shape: shapes, placing: placings }).chain(({ shape, placing }) =>
    fc.record({
      out: fc.constant(null).map(() => allocate(resultOf(name, dtype), shape, placing)),
      inputs: fc.tuple(...Array.from({ length: arity(name) }, () => inputOf(dtype, shape))),
    }),
  );
  fc.assert(
    fc.property(cases, ({ out, inputs }) => {
      run(name, [out], inputs);
      expectSame(read(out), expectedOf(name, dtype, inputs.map(read)));
    }),
    { numRuns: 40 },
  );
}

describe("element-wise kernels agree with a model, element by element, on operands of any strides", () => {
  for (const name of Object.keys(FLOAT_MODELS)) {
    for (const dtype of [...FLOATS, ...HALVES]) it(`${name} of ${dtype}`, () => agreesWithModel(name, dtype));
  }
  for (const name of Object.keys(INTEGER_MODELS)) {
    for (const dtype of INTEGERS) it(`${name} of ${dtype} is exact, and wraps`, () => agreesWithModel(name, dtype));
  }
});

describe("element-wise kernels on special values", () => {
  it("every pair of NaN, infinities, zeros and subnormals, in every placing", () => {
    const a = SPECIALS.flatMap((x) => SPECIALS.map(() => x));
    const b = SPECIALS.flatMap(() => SPECIALS);
    for (const dtype of [...FLOATS, ...HALVES]) {
      for (const name of Object.keys(FLOAT_MODELS)) {
        for (const placing of PLACINGS) {
          const inputs = [operand(dtype, [17, 17], a, placing), operand(dtype, [17, 17], b, placing)];
          const used = inputs.slice(0, arity(name));
          const out = allocate(resultOf(name, dtype), [17, 17], placing);
          run(name, [out], used);
          expectSame(read(out), expectedOf(name, dtype, used.map(read)));
        }
      }
    }
  });

  it("relu passes NaN and -0, and stops -Infinity", () => {
    const out = allocate("float32", [5]);
    run("relu", [out], [operand("float32", [5], [NaN, -0, -Infinity, Infinity, -1e-45])]);
    expectSame(read(out), [NaN, -0, 0, Infinity, 0]);
  });

  it("reluBackward lets nothing through where the output is NaN, 0 or -0", () => {
    const out = allocate("float64", [5]);
    const cotangent = operand("float64", [5], [NaN, 2, Infinity, NaN, -0]);
    run("reluBackward", [out], [cotangent, operand("float64", [5], [NaN, 0, -0, 1, 1])]);
    expectSame(read(out), [0, 0, 0, NaN, -0]);
  });

  it("neg of the lowest integer is itself, of an unsigned one its complement", () => {
    const out = allocate("int32", [2]);
    run("neg", [out], [operand("int32", [2], [-2147483648, 5])]);
    expectSame(read(out), [-2147483648, -5]);
    const unsigned = allocate("uint8", [2]);
    run("neg", [unsigned], [operand("uint8", [2], [0, 1])]);
    expectSame(read(unsigned), [0, 255]);
  });
});

it.each(["contiguous", "gapped"] as const)("field case 24: 9223372036854775807n + 1n wraps, %s", (placing) => {
  const out = allocate("int64", [2], placing);
  const largest = operand("int64", [2], [9223372036854775807n, -9223372036854775808n]);
  run("add", [out], [largest, operand("int64", [2], [1n, -1n])]);
  expectSame(read(out), [-9223372036854775808n, 9223372036854775807n]);
});

describe("integer products", () => {
  it("field case 17: int32 products wrap and are never rounded", () => {
    const out = allocate("int32", [2]);
    run("mul", [out], [operand("int32", [2], [65537, 123456789]), operand("int32", [2], [65537, 987654321])]);
    expectSame(read(out), [131073, -67153019]);
  });

  it("every dtype multiplies its limits exactly", () => {
    for (const dtype of INTEGERS) {
      const { bits, signed } = bitsOf(dtype);
      const max = 2n ** BigInt(signed ? bits - 1 : bits) - 1n;
      const min = signed ? -max - 1n : 0n;
      const values = [max, max, min, min, max - 2n];
      const others = [max, min, min, 3n, 7n];
      const out = allocate(dtype, [5], "gapped");
      run("mul", [out], [operand(dtype, [5], values), operand(dtype, [5], others)]);
      expectSame(
        read(out),
        values.map((value, i) => wrapped(dtype, value * others[i]!)),
      );
    }
  });
});

describe("accumulate", () => {
  it("adds into its target, of every dtype and placing", () => {
    for (const dtype of [...FLOATS, ...HALVES, ...INTEGERS]) {
      for (const placing of PLACINGS) {
        const target = operand(dtype, [2, 3], [1, 2, 3, 4, 5, 6], placing);
        run("accumulate", [target], [operand(dtype, [2, 3], [10, 20, 30, 40, 50, 60], placing)]);
        expect(read(target).map(Number)).toEqual([11, 22, 33, 44, 55, 66]);
      }
    }
  });

  it("wraps integers", () => {
    const target = operand("int64", [1], [2n ** 63n - 1n]);
    run("accumulate", [target], [operand("int64", [1], [1n])]);
    expectSame(read(target), [-(2n ** 63n)]);
  });

  it("field case 14: windows that overlap add up, in order", () => {
    const cells = allocate("float32", [5]);
    cells.data.fill(0 as never);
    const windows = { ...cells, shape: [3, 3], strides: [1, 1] };
    run("accumulate", [windows], [operand("float32", [3, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9])]);
    expectSame(read(cells), [1, 6, 15, 14, 9]);
  });

  it("field case 14: each addition of 16-bit floats is rounded, so that small terms may be lost one by one", () => {
    // 2048 + 1 is a tie, and goes to the even 2048; the sum of both ones at once would be 2050.
    const cell = operand("float16", [], [2048]);
    run("accumulate", [broadcast(cell, [2])], [operand("float16", [2], [1, 1])]);
    expectSame(read(cell), [2048]);
    const wide = operand("bfloat16", [], [1]);
    run("accumulate", [broadcast(wide, [3])], [operand("bfloat16", [3], [2 ** -8, 2 ** -7, 2 ** -100])]);
    expectSame(read(wide), [1 + 2 ** -7]);
  });

  it("field case 14: one cell takes everything that was broadcast from it", () => {
    const cell = operand("float64", [], [0]);
    run("accumulate", [broadcast(cell, [4])], [operand("float64", [4], [1, 2, 3, 4])]);
    expectSame(read(cell), [10]);
  });
});

describe("element-wise kernels and their operands", () => {
  it("write over one of their inputs, element by element", () => {
    const a = operand("float32", [2, 3], [1, 2, 3, 4, 5, 6], "transposed");
    run("mul", [a], [a, a]);
    expectSame(read(a), [1, 4, 9, 16, 25, 36]);
  });

  it("take a shape of no loops as one element, and empty shapes as none", () => {
    const out = allocate("float32", []);
    run("add", [out], [operand("float32", [], [2]), operand("float32", [], [3], "offset")]);
    expectSame(read(out), [5]);
    for (const shape of [[0], [0, 3], [3, 0], [2, 0, 2]]) {
      run("add", [allocate("float32", shape)], [allocate("float32", shape), allocate("float32", shape)]);
      run("neg", [allocate("float32", shape)], [allocate("float32", shape)]);
    }
  });

  it("every length around the usual vector widths", () => {
    for (let n = 1; n <= 67; n++) {
      const values = Array.from({ length: n }, (_, i) => i - 30);
      const out = allocate("float32", [n], "offset");
      run("add", [out], [operand("float32", [n], values), operand("float32", [n], values)]);
      expectSame(
        read(out),
        values.map((value) => value + value),
      );
    }
  });

  it("refuse a dtype without a loop, before they write", () => {
    const out = operand("int32", [1], [7]);
    const call = () => kernel("exp")([out], [out], [], []);
    expect(call).toThrow(KernelDTypeError);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(
      "exp: no loop for this dtype: got int32, expected one of float32, float64, float16, bfloat16.",
    );
    expect(call).toThrow(
      expect.objectContaining({ code: "SW_KERNELS_DTYPE", kernel: "exp", dtype: "int32", name: "KernelDTypeError" }),
    );
    expectSame(read(out), [7]);
  });
});
