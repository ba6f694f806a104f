import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Operand } from "../../src/backend.js";
import { numberToBfloat16 } from "../../src/convert/bfloat16.js";
import { castInto } from "../../src/convert/cast.js";
import { numberToHalf } from "../../src/convert/half.js";
import { DTYPES, type DType, type TypedArray } from "../../src/dtype.js";
import { createGenerator, type Generator } from "../../src/generator.js";
import vectors from "../vectors/cast.json" with { type: "json" };
import {
  arrayOf,
  bytesOf,
  castValue,
  type Formats,
  firstDifference,
  format16,
  indicesOf,
  NAMES,
  operand,
  readElement,
} from "./reference.js";

const SHORT: { readonly [name: string]: DType } = {
  u8: "uint8",
  i8: "int8",
  u16: "uint16",
  i16: "int16",
  u32: "uint32",
  i32: "int32",
  u64: "uint64",
  i64: "int64",
  bool: "bool",
  f16: "float16",
  bf16: "bfloat16",
  f32: "float32",
  f64: "float64",
};

let formats: Formats;
beforeAll(() => {
  formats = { float16: format16("float16"), bfloat16: format16("bfloat16") };
});

/** An element of a dtype from the text or number of a vector. */
function elementOf(dtype: DType, value: string | number | bigint): number | bigint {
  if (DTYPES[dtype].array === BigInt64Array || DTYPES[dtype].array === BigUint64Array) return BigInt(value);
  const x = Number(value);
  return dtype === "float16" ? numberToHalf(x) : dtype === "bfloat16" ? numberToBfloat16(x) : x;
}

function fromElements(dtype: DType, values: readonly (string | number | bigint)[]): TypedArray {
  const data = arrayOf(dtype, values.length) as TypedArray & { [index: number]: number | bigint };
  values.forEach((value, k) => {
    data[k] = elementOf(dtype, value);
  });
  return data;
}

/** Casts into fresh memory and returns it. */
function cast(to: DType, input: Operand): TypedArray {
  const size = input.shape.reduce((product, extent) => product * extent, 1);
  const out = arrayOf(to, size);
  castInto(rowMajor(to, out, input.shape), input);
  return out;
}

function rowMajor(dtype: DType, data: TypedArray, shape: readonly number[]): Operand {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, extent) => product * extent, 1));
  return operand(dtype, data, shape, strides);
}

/** Compares elements; all quiet NaNs of a 16-bit format count as one, since the model has no payloads. */
function same(dtype: DType, got: number | bigint, expected: number | bigint): boolean {
  if (typeof expected === "number" && Number.isNaN(expected)) {
    const value = readElement(dtype, fromRaw(dtype, got), 0);
    return typeof value === "number" && Number.isNaN(value);
  }
  return Object.is(got, expected);
}

function fromRaw(dtype: DType, raw: number | bigint): TypedArray {
  const data = arrayOf(dtype, 1) as TypedArray & { [index: number]: number | bigint };
  data[0] = raw;
  return data;
}

/** Elements that meet every rule: limits of all widths, halves, ties, zeros and what is not finite; then noise. */
function interesting(dtype: DType, length: number, generator: Generator): TypedArray {
  const data = arrayOf(dtype, length);
  const bytes = bytesOf(data);
  for (let k = 0; k < bytes.length; k++) bytes[k] = generator.integer(256);
  if (dtype === "bool") for (let k = 0; k < length; k++) bytes[k] = generator.integer(3);
  const special: (number | bigint)[] = [];
  for (const power of [7, 8, 15, 16, 24, 30, 31, 32, 53, 63, 64]) {
    for (const delta of [-1, -0.5, 0, 0.5, 1]) special.push(2 ** power + delta, -(2 ** power) + delta);
  }
  special.push(
    0,
    -0,
    0.5,
    -0.5,
    1.9,
    -1.9,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    65519,
    65520,
  );
  special.push(2 ** 30 + 2 ** 22 + 1, 2 ** 32 + 2 ** 24 + 1, 1e-40, 1e-310, 1e20, 1e300);
  const info = DTYPES[dtype];
  const target = data as TypedArray & { [index: number]: number | bigint };
  special.forEach((x, k) => {
    if (k >= length || dtype === "bool") return;
    if (info.kind === "float") target[k] = elementOf(dtype, x);
    else if (Number.isInteger(x)) target[k] = info.byteLength === 8 ? BigInt(x) : Number(x);
  });
  return data;
}

describe("castInto", () => {
  test("OneModel 10: every pair of the vectors, next to each other and one at a time", () => {
    for (const { from: f, to: t, pairs } of vectors.cases) {
      if (pairs === undefined) continue;
      const from = SHORT[f]!;
      const to = SHORT[t]!;
      const column = (dtype: DType, k: number): TypedArray =>
        fromElements(
          dtype,
          pairs.map((pair) => pair[k]!),
        );
      const input = column(from, 0);
      const expected = column(to, 1);
      const got = cast(to, operand(from, input));
      for (let k = 0; k < input.length; k++) {
        const one = cast(to, operand(from, input, [], [], k));
        for (const element of [got[k]!, one[0]!]) {
          if (!Object.is(element, expected[k]!)) expect.unreachable(`${f} to ${t} of ${pairs[k]}: got ${element}`);
        }
      }
    }
  });

  test("OneModel 10, D10: float64 to 16 bits rounds twice where the vectors say so, and a number does not", () => {
    let count = 0;
    for (const { rows } of vectors.cases) {
      for (const [x, twice, once, short] of rows ?? []) {
        const to = SHORT[short as string]!;
        const input = operand("float64", Float64Array.of(Number(x)));
        expect([x, cast(to, input)[0]]).toEqual([x, elementOf(to, twice!)]);
        expect([x, elementOf(to, x!)]).toEqual([x, elementOf(to, once!)]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(0);
  });

  test("all 169 pairs agree with exact arithmetic, on runs longer than a chunk", () => {
    const generator = createGenerator(7);
    for (const from of NAMES) {
      const input = interesting(from, 2500, generator);
      for (const to of NAMES) {
        const got = cast(to, operand(from, input));
        for (let k = 0; k < input.length; k++) {
          const expected = castValue(readElement(from, input, k), to, formats);
          if (!same(to, got[k]!, expected)) {
            expect.unreachable(
              `${from} to ${to} of ${readElement(from, input, k)}: got ${got[k]}, expected ${expected}`,
            );
          }
        }
      }
    }
  });

  test("OneModel 10: many elements, which tables cast, give bit for bit what few give, for every pattern", () => {
    for (const from of NAMES.filter((name) => DTYPES[name].byteLength <= 2)) {
      const patterns = arrayOf(from, 65536);
      for (let k = 0; k < 65536; k++) (patterns as Uint16Array)[k] = k;
      for (const to of NAMES) {
        const few = arrayOf(to, 65536);
        for (let k = 0; k < 65536; k += 4096) {
          castInto(operand(to, few, [4096], [1], k), operand(from, patterns, [4096], [1], k));
        }
        const many = cast(to, operand(from, patterns));
        const difference = firstDifference(bytesOf(many), bytesOf(few));
        if (difference >= 0) expect.unreachable(`${from} to ${to}: byte ${difference} differs`);
      }
    }
  });

  test("strided, reversed, broadcast and offset operands give what contiguous ones give", () => {
    const axis = fc.record({
      extent: fc.integer({ min: 0, max: 5 }),
      out: fc.integer({ min: 1, max: 2 }),
      step: fc.integer({ min: -2, max: 2 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.constantFrom(...NAMES),
        fc.array(axis, { maxLength: 4 }),
        fc.boolean(),
        fc.nat(1000),
        (from, to, axes, columnMajor, seed) => {
          const shape = axes.map(({ extent }) => extent);
          const order = shape.map((_, k) => k);
          if (!columnMajor) order.reverse();
          const strides = shape.map(() => 0);
          let next = 1;
          for (const k of order) {
            strides[k] = next * axes[k]!.out;
            next = strides[k]! * Math.max(1, shape[k]!);
          }
          const inStrides = axes.map(({ step }, k) => step * (k + 1));
          const reach = inStrides.map((stride, k) => stride * Math.max(0, shape[k]! - 1));
          const offset = 3 - reach.reduce((sum, r) => sum + Math.min(0, r), 0);
          const length = offset + reach.reduce((sum, r) => sum + Math.max(0, r), 0) + 2;
          const input = interesting(from, length, createGenerator(seed));
          const out = arrayOf(to, next + 4);
          const bytes = bytesOf(out);
          bytes.fill(0xa5);
          const before = bytes.slice();
          castInto(operand(to, out, shape, strides, 2), operand(from, input, shape, inStrides, offset));

          const expected = arrayOf(to, next + 4);
          bytesOf(expected).set(before);
          const sources = indicesOf(shape, inStrides, offset);
          const gathered = arrayOf(from, sources.length);
          sources.forEach((index, k) => {
            (gathered as { [k: number]: number | bigint })[k] = input[index]!;
          });
          bytesOf(gathered).set(
            sources.flatMap((index) => [...bytesOf(input.subarray(index, index + 1) as TypedArray)]),
          );
          const dense = cast(to, operand(from, gathered));
          const width = DTYPES[to].byteLength;
          indicesOf(shape, strides, 2).forEach((index, k) => {
            bytesOf(expected).set(bytesOf(dense).subarray(k * width, (k + 1) * width), index * width);
          });
          expect(firstDifference(bytes, bytesOf(expected))).toBe(-1);
        },
      ),
      { numRuns: 400 },
    );
  });

  test("a large transposed operand is cast tile by tile, on both sides", () => {
    const rows = 70;
    const columns = 130;
    const input = interesting("float32", rows * columns, createGenerator(3));
    for (const to of ["int32", "float64", "float16", "int64"] as const) {
      const transposed = arrayOf(to, rows * columns);
      castInto(
        operand(to, transposed, [columns, rows], [rows, 1]),
        operand("float32", input, [columns, rows], [1, columns]),
      );
      const scattered = arrayOf(to, rows * columns);
      castInto(
        operand(to, scattered, [rows, columns], [1, rows]),
        operand("float32", input, [rows, columns], [columns, 1]),
      );
      const dense = cast(to, operand("float32", input));
      for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
          const expected = dense[r * columns + c]!;
          if (!Object.is(transposed[c * rows + r], expected)) expect.unreachable(`${to} transposed at ${r}, ${c}`);
          if (!Object.is(scattered[c * rows + r], expected)) expect.unreachable(`${to} scattered at ${r}, ${c}`);
        }
      }
    }
  });

  test("field case 19: float to integer truncates, saturates and makes 0 of NaN, at every position and length", () => {
    const inputs = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      3e9,
      -3e9,
      1.9,
      -1.9,
      2147483647.5,
      -0.5,
    ];
    const expected = [0, 2147483647, -2147483648, 2147483647, -2147483648, 1, -1, 2147483647, 0];
    for (const from of ["float64", "float32"] as const) {
      for (let length = 1; length <= 40; length++) {
        for (let shift = 0; shift < inputs.length; shift++) {
          const at = (k: number): number => (k + shift) % inputs.length;
          const input = arrayOf(from, length);
          for (let k = 0; k < length; k++) (input as Float64Array)[k] = inputs[at(k)]!;
          const want = Array.from({ length }, (_, k) => expected[at(k)]);
          expect(Array.from(cast("int32", operand(from, input)) as Int32Array)).toEqual(want);
          const strided = operand(from, input, [length], [-1], length - 1);
          expect(Array.from(cast("int32", strided) as Int32Array)).toEqual(want.reverse());
        }
      }
    }
    const small = operand("float64", Float64Array.of(300.5, -1, 255.9, Number.NaN));
    expect(cast("uint8", small)).toEqual(Uint8Array.of(255, 0, 255, 0));
    const wide = operand("float64", Float64Array.of(1e20, -1e20, Number.NaN, -1.5, 2 ** 63));
    expect(cast("int64", wide)).toEqual(BigInt64Array.of(2n ** 63n - 1n, -(2n ** 63n), 0n, -1n, 2n ** 63n - 1n));
    expect(cast("uint64", wide)).toEqual(BigUint64Array.of(2n ** 64n - 1n, 0n, 0n, 0n, 2n ** 63n));
  });

  test("field case 16, D10: a float64 tensor reaches float16 through float32, so it rounds twice", () => {
    const input = Float64Array.of(1 + 2 ** -11 + 2 ** -40, 65519.999999);
    expect(cast("float16", operand("float64", input))).toEqual(Uint16Array.of(0x3c00, 0x7c00));
  });

  test("D10: integers are rounded once to every float format", () => {
    const big = BigInt64Array.of(2n ** 54n + 2n ** 30n + 1n, -(2n ** 54n + 2n ** 30n + 1n), 2n ** 32n + 2n ** 24n + 1n);
    expect(cast("float32", operand("int64", big))).toEqual(
      Float32Array.of(2 ** 54 + 2 ** 31, -(2 ** 54 + 2 ** 31), 2 ** 32 + 2 ** 24),
    );
    const justAboveTie = Int32Array.of(2 ** 30 + 2 ** 22 + 1);
    expect(cast("bfloat16", operand("int32", justAboveTie))[0]).toBe(numberToBfloat16(2 ** 30 + 2 ** 23));
    expect(cast("bfloat16", operand("int64", big))[2]).toBe(numberToBfloat16(2 ** 32 + 2 ** 25));
  });

  test("OneModel 10: a NaN keeps its sign and top payload bits among formats of 16 and 32 bits", () => {
    const float32 = new Float32Array(new Uint32Array([0x7f800001, 0xffa46000, 0x7fffffff]).buffer);
    expect(cast("float16", operand("float32", float32))).toEqual(Uint16Array.of(0x7e00, 0xff23, 0x7fff));
    expect(cast("bfloat16", operand("float32", float32))).toEqual(Uint16Array.of(0x7fc0, 0xffe4, 0x7fff));
    const half = Uint16Array.of(0x7c01, 0xfe23);
    expect(new Uint32Array(cast("float32", operand("float16", half)).buffer)).toEqual(
      Uint32Array.of(0x7fc02000, 0xffc46000),
    );
    expect(cast("bfloat16", operand("float16", half))).toEqual(Uint16Array.of(0x7fc0, 0xffc4));
    expect(cast("float32", operand("float32", float32)).buffer).toEqual(float32.buffer);
  });

  test("any byte but 0 is true, and reads as 1", () => {
    const bytes = operand("bool", Uint8Array.of(0, 1, 2, 255));
    expect(cast("bool", bytes)).toEqual(Uint8Array.of(0, 1, 1, 1));
    expect(cast("uint8", bytes)).toEqual(Uint8Array.of(0, 1, 1, 1));
    expect(cast("float32", bytes)).toEqual(Float32Array.of(0, 1, 1, 1));
  });

  test("an empty operand is left alone, whatever its other extents", () => {
    const out = Float32Array.of(5);
    castInto(operand("float32", out, [3, 0], [1, 1]), operand("uint8", new Uint8Array(1), [3, 0], [1, 1]));
    expect(out).toEqual(Float32Array.of(5));
  });
});
