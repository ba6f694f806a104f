import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyInto } from "../../src/convert/copy.js";
import { DTYPES, type DType } from "../../src/dtype.js";
import { createGenerator } from "../../src/generator.js";
import { arrayOf, bytesOf, firstDifference, indicesOf, NAMES, operand } from "./reference.js";

/** Copies and compares with an element-by-element copy of the bytes. */
function checkCopy(
  dtype: DType,
  shape: readonly number[],
  outStrides: readonly number[],
  inStrides: readonly number[],
  seed: number,
): void {
  const place = (strides: readonly number[]): { offset: number; length: number } => {
    const reach = strides.map((stride, axis) => stride * Math.max(0, shape[axis]! - 1));
    const offset = 1 - reach.reduce((sum, r) => sum + Math.min(0, r), 0);
    return { offset, length: offset + reach.reduce((sum, r) => sum + Math.max(0, r), 0) + 2 };
  };
  const target = place(outStrides);
  const source = place(inStrides);
  const width = DTYPES[dtype].byteLength;
  const generator = createGenerator(seed);
  const input = arrayOf(dtype, source.length);
  const out = arrayOf(dtype, target.length);
  for (const bytes of [bytesOf(input), bytesOf(out)]) {
    for (let k = 0; k < bytes.length; k++) bytes[k] = generator.integer(256);
  }
  const expected = bytesOf(out).slice();
  const sources = indicesOf(shape, inStrides, source.offset);
  indicesOf(shape, outStrides, target.offset).forEach((index, k) => {
    const from = sources[k]! * width;
    expected.set(bytesOf(input).subarray(from, from + width), index * width);
  });
  copyInto(
    operand(dtype, out, shape, outStrides, target.offset),
    operand(dtype, input, shape, inStrides, source.offset),
  );
  expect(firstDifference(bytesOf(out), expected)).toBe(-1);
}

describe("copyInto", () => {
  test("copies every bit between any strides, and nothing beside them", () => {
    const axis = fc.record({
      extent: fc.integer({ min: 0, max: 6 }),
      gap: fc.integer({ min: 1, max: 2 }),
      reversed: fc.boolean(),
      step: fc.integer({ min: -3, max: 3 }),
    });
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.array(axis, { maxLength: 4 }), fc.nat(1000), (dtype, axes, seed) => {
        let next = 1;
        const outStrides = axes.map(({ extent, gap, reversed }) => {
          const stride = next * gap;
          next = stride * Math.max(1, extent);
          return reversed ? -stride : stride;
        });
        const shape = axes.map(({ extent }) => extent);
        checkCopy(
          dtype,
          shape,
          outStrides,
          axes.map(({ step }) => step),
          seed,
        );
      }),
      { numRuns: 500 },
    );
  });

  for (const dtype of ["uint8", "float16", "float32", "float64", "int64"] as const) {
    test(`${dtype}: long rows, broadcast rows, gaps and transposed blocks`, () => {
      checkCopy(dtype, [5, 100], [100, 1], [100, 1], 1);
      checkCopy(dtype, [5, 100], [110, 1], [120, 1], 2);
      checkCopy(dtype, [5, 100], [100, 1], [1, 0], 3);
      checkCopy(dtype, [100], [1], [0], 4);
      checkCopy(dtype, [70, 90], [90, 1], [1, 70], 5);
      checkCopy(dtype, [2, 70, 90], [6300, 1, 70], [6300, 90, 1], 6);
      checkCopy(dtype, [3, 100], [-100, -1], [100, 1], 7);
    });
  }

  test("a signalling NaN stays as it is, wherever it stands", () => {
    const float32 = new Float32Array(new Uint32Array([0x7f800001, 0xffa00000, 1, 0x7fa12345]).buffer);
    const reversed = new Float32Array(4);
    copyInto(operand("float32", reversed), operand("float32", float32, [4], [-1], 3));
    expect(new Uint32Array(reversed.buffer)).toEqual(Uint32Array.of(0x7fa12345, 1, 0xffa00000, 0x7f800001));

    const float64 = new Float64Array(new BigUint64Array([0x7ff0000000000001n, 0xfff4000000000002n]).buffer);
    const swapped = new Float64Array(2);
    copyInto(operand("float64", swapped), operand("float64", float64, [2], [-1], 1));
    expect(new BigUint64Array(swapped.buffer)).toEqual(BigUint64Array.of(0xfff4000000000002n, 0x7ff0000000000001n));
  });

  test("a scalar is a shape without axes", () => {
    const out = new Float64Array(3);
    copyInto(operand("float64", out, [], [], 1), operand("float64", Float64Array.of(1, 2, 3), [], [], 2));
    expect(out).toEqual(Float64Array.of(0, 3, 0));
  });

  test("windows into a larger buffer copy only what they show", () => {
    const memory = new Uint8Array(64).fill(9);
    const input = new Int16Array(memory.buffer, 8, 4).fill(-2);
    const out = new Int16Array(memory.buffer, 32, 4);
    copyInto(operand("int16", out, [2], [2], 1), operand("int16", input, [2], [1], 0));
    expect(out).toEqual(Int16Array.of(0x0909, -2, 0x0909, -2));
  });
});
