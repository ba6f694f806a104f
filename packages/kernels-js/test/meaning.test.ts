import { describe, expect, it } from "vitest";
import {
  allocate,
  type DType,
  expectSame,
  FLOATS,
  HALVES,
  INTEGERS,
  operand,
  read,
  run,
  type Value,
} from "./operands.js";

// What each kernel's documentation says of the corners, by hand.

const inf = Number.POSITIVE_INFINITY;

function unary(name: string, dtype: DType, x: readonly Value[], floats: readonly number[] = []): Value[] {
  const out = allocate(/^is/.test(name) ? "bool" : dtype, [x.length]);
  run(name, [out], [operand(dtype, [x.length], x)], [], floats);
  return read(out);
}

function binary(name: string, dtype: DType, a: readonly Value[], b: readonly Value[], result = dtype): Value[] {
  const out = allocate(result, [a.length]);
  run(name, [out], [operand(dtype, [a.length], a), operand(dtype, [b.length], b)]);
  return read(out);
}

describe("functions of one operand, of every float dtype", () => {
  it.each([
    ["sqrt", [-0, 0, -1, inf, NaN, 4], [-0, 0, NaN, inf, NaN, 2]],
    ["rsqrt", [0, -0, -1, inf, NaN, 4], [inf, -inf, NaN, 0, NaN, 0.5]],
    ["reciprocal", [0, -0, inf, -inf, NaN, 4], [inf, -inf, 0, -0, NaN, 0.25]],
    ["sign", [-3, -0, 0, NaN, inf], [-1, -0, 0, NaN, 1]],
    ["abs", [-3, -0, -inf, NaN], [3, 0, inf, NaN]],
    ["round", [0.5, 1.5, 2.5, -0.5, -1.5, -0, NaN, -inf, 0.25], [0, 2, 2, -0, -2, -0, NaN, -inf, 0]],
    ["floor", [-0.5, -0, 1.75, NaN], [-1, -0, 1, NaN]],
    ["ceil", [-0.5, -0, 1.25, inf], [-0, -0, 2, inf]],
    ["trunc", [-1.75, -0.5, 1.75, NaN], [-1, -0, 1, NaN]],
    ["expm1", [-0, -inf, inf, NaN, 0], [-0, -1, inf, NaN, 0]],
    ["log1p", [-0, -1, -2, inf, NaN], [-0, -inf, NaN, inf, NaN]],
    ["sin", [-0, inf, NaN], [-0, NaN, NaN]],
    ["cos", [0, -inf, NaN], [1, NaN, NaN]],
    ["tanh", [-0, inf, -inf, NaN], [-0, 1, -1, NaN]],
    ["erf", [-0, inf, -inf, NaN], [-0, 1, -1, NaN]],
    ["sigmoid", [0, inf, -inf, NaN], [0.5, 1, 0, NaN]],
    ["silu", [-0, inf, -inf, NaN], [-0, inf, NaN, NaN]],
    ["gelu", [0, -0, inf, -inf, NaN], [0, -0, inf, NaN, NaN]],
    ["geluTanh", [0, -0, inf, -inf, NaN], [0, -0, inf, NaN, NaN]],
    ["softplus", [inf, -inf, NaN], [inf, 0, NaN]],
    ["isNaN", [NaN, inf, 0], [1, 0, 0]],
    ["isFinite", [NaN, inf, -inf, -0], [0, 0, 0, 1]],
    ["isInfinite", [NaN, inf, -inf, 1], [0, 1, 1, 0]],
  ])("%s of %j is %j", (name, x, expected) => {
    for (const dtype of [...FLOATS, ...HALVES]) expectSame(unary(name, dtype, x), expected);
  });

  it("leakyRelu and elu of their numbers", () => {
    for (const dtype of [...FLOATS, ...HALVES]) {
      expectSame(unary("leakyRelu", dtype, [-4, -0, 3, NaN, -inf], [0.25]), [-1, -0, 3, NaN, -inf]);
      expectSame(unary("elu", dtype, [-inf, -0, 3, NaN], [2]), [-2, -0, 3, NaN]);
    }
  });
});

describe("numbers of two", () => {
  it("pow is C's, of every float dtype", () => {
    const a = [1, NaN, -1, -1, -8, 0, 2, -2];
    const b = [NaN, 0, inf, -inf, 0.5, -1, -1, 3];
    for (const dtype of [...FLOATS, ...HALVES]) {
      expectSame(binary("pow", dtype, a, b), [1, 1, 1, 1, NaN, inf, 0.5, -8]);
    }
  });

  it("pow of integers wraps, and is truncated where the exponent is negative", () => {
    expectSame(binary("pow", "int32", [3, -3, 1, -1, -1, 2, 0, 0], [40, 3, -5, -5, -4, -1, -1, 0]), [
      Number(BigInt.asIntN(32, 3n ** 40n)),
      -27,
      1,
      -1,
      1,
      0,
      0,
      1,
    ]);
    expectSame(binary("pow", "uint8", [3, 2, 255], [7, 8, 255]), [Number(3n ** 7n % 256n), 0, 255]);
    expectSame(binary("pow", "int64", [3n, -1n, 7n], [50n, -3n, 2n]), [BigInt.asIntN(64, 3n ** 50n), -1n, 49n]);
    expectSame(binary("pow", "uint64", [3n, 2n], [63n, 64n]), [BigInt.asUintN(64, 3n ** 63n), 0n]);
  });

  it("remainder has the sign of the divisor, of every float dtype", () => {
    const a = [7, -7, 7, -7, -4, 4, 3, -3, 3, inf, 1];
    const b = [3, 3, -3, -3, 2, -2, inf, inf, -inf, 2, 0];
    for (const dtype of [...FLOATS, ...HALVES]) {
      expectSame(binary("remainder", dtype, a, b), [1, 2, -2, -1, 0, -0, 3, inf, -inf, NaN, NaN]);
    }
  });

  it("remainder of integers by 0 is 0, and of the lowest by -1 too", () => {
    for (const dtype of INTEGERS) expectSame(binary("remainder", dtype, [7, 0], [0, 0]).map(Number), [0, 0]);
    expectSame(binary("remainder", "int32", [-2147483648, -7, 7], [-1, 3, -3]), [0, 2, -2]);
    expectSame(binary("remainder", "int64", [-(2n ** 63n), -7n, 7n], [-1n, 3n, -3n]), [0n, 2n, -2n]);
    expectSame(binary("remainder", "int8", [-128, -7], [-1, 3]), [0, 2]);
  });

  it("minimum and maximum give NaN for NaN, and order the zeros", () => {
    for (const dtype of [...FLOATS, ...HALVES]) {
      expectSame(binary("minimum", dtype, [NaN, 1, 0, -0, 2], [1, NaN, -0, 0, 3]), [NaN, NaN, -0, -0, 2]);
      expectSame(binary("maximum", dtype, [NaN, 1, 0, -0, 2], [1, NaN, -0, 0, 3]), [NaN, NaN, 0, 0, 3]);
    }
  });

  it("abs of the lowest integer is itself", () => {
    expectSame(unary("abs", "int8", [-128, -127]), [-128, 127]);
    expectSame(unary("abs", "int64", [-(2n ** 63n), -1n]), [-(2n ** 63n), 1n]);
  });
});

describe("bool", () => {
  it("all but 0 is true", () => {
    expectSame(binary("logicalAnd", "bool", [0, 0, 1, 1], [0, 1, 0, 1]), [0, 0, 0, 1]);
    expectSame(binary("logicalOr", "bool", [0, 0, 1, 1], [0, 1, 0, 1]), [0, 1, 1, 1]);
    expectSame(binary("logicalXor", "bool", [0, 0, 1, 1], [0, 1, 0, 1]), [0, 1, 1, 0]);
    expectSame(unary("logicalNot", "bool", [0, 1]), [1, 0]);
    expectSame(binary("lt", "bool", [0, 0, 1], [0, 1, 0]), [0, 1, 0]);
  });
});

describe("choices", () => {
  it("where takes bits as they are, of every dtype", () => {
    for (const dtype of [...FLOATS, ...HALVES, ...INTEGERS, "bool"] as const) {
      const out = allocate(dtype, [3], "gapped");
      const condition = operand("bool", [3], [1, 0, 1], "reversed");
      run("where", [out], [condition, operand(dtype, [3], [1, 1, 0]), operand(dtype, [3], [0, 0, 1], "offset")]);
      expect(read(out).map(Number)).toEqual([1, 0, 0]);
    }
  });

  it("clamp gives NaN for NaN, and the high end where the ends cross", () => {
    for (const dtype of [...FLOATS, ...HALVES]) {
      const of = (values: number[]) => operand(dtype, [values.length], values);
      const out = allocate(dtype, [6]);
      run("clamp", [out], [of([NaN, 5, -5, 0.5, 0, 1]), of([0, 0, 0, 0, 3, NaN]), of([1, 1, 1, 1, 2, 1])]);
      expectSame(read(out), [NaN, 1, 0, 0.5, 2, NaN]);
    }
  });
});

describe("16-bit floats and narrow integers pass through blocks", () => {
  it("at every length around a block, on operands of any strides", () => {
    for (const n of [1, 511, 512, 513, 1024, 1100]) {
      for (const dtype of ["float16", "bfloat16", "int8", "uint16"] as const) {
        const values = Array.from({ length: n }, (_, i) => i % 100);
        const out = allocate(dtype, [2, n], "gapped");
        const x = operand(dtype, [2, n], [...values, ...values], "transposed");
        run("add", [out], [x, x]);
        expectSame(
          read(out),
          [...values, ...values].map((v) => (dtype === "int8" ? ((v * 2) << 24) >> 24 : v * 2)),
        );
      }
    }
  });

  it("field case 16: a product is rounded once, not through float32 (1.00048828125 is beside a tie of float16)", () => {
    // 1 + 2^-11 + 2^-30 is above the tie between 1 and 1 + 2^-10; in float32 it is on the tie, and rounds down.
    const out = allocate("float16", [1]);
    run("add", [out], [operand("float16", [1], [1]), operand("float16", [1], [2 ** -11 + 2 ** -21])]);
    expectSame(read(out), [1 + 2 ** -10]);
  });

  it("write over one of their inputs", () => {
    const x = operand(
      "float16",
      [600],
      Array.from({ length: 600 }, (_, i) => i),
    );
    run("mul", [x], [x, operand("float16", [600], new Array(600).fill(2))]);
    expectSame(read(x).slice(510, 514), [1020, 1022, 1024, 1026]);
  });
});
