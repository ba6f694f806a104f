import {
  bfloat16ToNumber,
  halfToNumber,
  type Kernel,
  numberToBfloat16,
  numberToHalf,
  type Operand,
} from "@sw/tensor/seam";
import fc from "fast-check";
import { expect } from "vitest";
import { jsKernels } from "../src/index.js";

export type DType = Operand["dtype"];
export type Value = number | bigint;

export const FLOATS = ["float32", "float64"] as const satisfies readonly DType[];
export const INTEGERS = [
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "int64",
  "uint32",
  "uint64",
] as const satisfies readonly DType[];

const ARRAYS = {
  float32: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
  float16: Uint16Array,
  float64: Float64Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bfloat16: Uint16Array,
};

export function isBig(dtype: DType): boolean {
  return dtype === "int64" || dtype === "uint64";
}

/** The element types' bits and signs, of integers only. */
export function bitsOf(dtype: DType): { readonly bits: number; readonly signed: boolean } {
  return { bits: ARRAYS[dtype].BYTES_PER_ELEMENT * 8, signed: dtype.startsWith("int") };
}

/** Wraps an exact integer to a dtype, as the value that its array holds. */
export function wrapped(dtype: DType, exact: bigint): Value {
  const { bits, signed } = bitsOf(dtype);
  const value = signed ? BigInt.asIntN(bits, exact) : BigInt.asUintN(bits, exact);
  return isBig(dtype) ? value : Number(value);
}

/** Rounds a float64 to a float dtype, once. */
export function rounded(dtype: DType, value: number): number {
  if (dtype === "float16") return halfToNumber(numberToHalf(value));
  if (dtype === "bfloat16") return bfloat16ToNumber(numberToBfloat16(value));
  return dtype === "float32" ? Math.fround(value) : value;
}

/** What an array holds of a value, and the value of what it holds. */
function stored(dtype: DType, value: Value): Value {
  if (isBig(dtype)) return BigInt(value);
  if (dtype === "float16") return numberToHalf(Number(value));
  return dtype === "bfloat16" ? numberToBfloat16(Number(value)) : Number(value);
}

function valueOfStored(dtype: DType, held: Value): Value {
  if (dtype === "float16") return halfToNumber(Number(held));
  return dtype === "bfloat16" ? bfloat16ToNumber(Number(held)) : held;
}

/** 16-bit floats, whose operands hold bits. */
export const HALVES = ["float16", "bfloat16"] as const satisfies readonly DType[];

/** How an operand lies in its memory. */
export type Placing = "contiguous" | "transposed" | "reversed" | "offset" | "gapped";
export const PLACINGS: readonly Placing[] = ["contiguous", "transposed", "reversed", "offset", "gapped"];

/** Fills what an operand does not own; every dtype holds it. */
const CANARY = 77;

/** Allocates an operand, its own elements and its surroundings filled with canaries. */
export function allocate(dtype: DType, shape: readonly number[], placing: Placing = "contiguous"): Operand {
  const gap = placing === "gapped" ? 3 : 1;
  const pad = placing === "contiguous" ? 0 : 5;
  const axes = shape.map((_, axis) => axis);
  if (placing === "transposed") axes.reverse();
  const strides = shape.map(() => 0);
  let size = gap;
  for (const axis of [...axes].reverse()) {
    strides[axis] = size;
    size *= Math.max(1, shape[axis]!);
  }
  let offset = pad;
  if (placing === "reversed") {
    for (const axis of axes) {
      offset += strides[axis]! * Math.max(0, shape[axis]! - 1);
      strides[axis] = -strides[axis]!;
    }
  }
  const data = new ARRAYS[dtype](size + 2 * pad + 3);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.fill(BigInt(CANARY));
  else data.fill(CANARY);
  return { dtype, data, offset, shape, strides };
}

/** The positions of an operand's elements, row-major. */
export function positions(o: Operand, shape: readonly number[] = o.shape): number[] {
  let found = [o.offset];
  for (let axis = 0; axis < shape.length; axis++) {
    const stride = o.strides[axis]!;
    found = found.flatMap((at) => Array.from({ length: shape[axis]! }, (_, i) => at + i * stride));
  }
  return found;
}

/** Reads one element, by its position in the operand's memory. */
export function readAt(o: Operand, at: number): Value {
  const value = o.data[at];
  if (value === undefined) throw new Error(`position ${at} is outside the operand's memory`);
  return valueOfStored(o.dtype, value);
}

/** Reads an operand, row-major. */
export function read(o: Operand): Value[] {
  return positions(o).map((at) => readAt(o, at));
}

/** Makes an operand that reads `values`, row-major. */
export function operand(
  dtype: DType,
  shape: readonly number[],
  values: readonly Value[],
  placing: Placing = "contiguous",
): Operand {
  const o = allocate(dtype, shape, placing);
  const at = positions(o);
  expect(values).toHaveLength(at.length);
  at.forEach((position, i) => {
    o.data[position] = stored(dtype, values[i]!);
  });
  return o;
}

/** The same operand with one stride 0 for every axis where `shape` has a larger extent than it, or an axis more. */
export function broadcast(o: Operand, shape: readonly number[]): Operand {
  const added = shape.length - o.shape.length;
  const strides = shape.map((extent, axis) => {
    if (axis < added) return 0;
    return o.shape[axis - added] === extent ? o.strides[axis - added]! : 0;
  });
  return { ...o, shape, strides };
}

/** An operand with its axes in another order. */
export function permuted(o: Operand, order: readonly number[]): Operand {
  return { ...o, shape: order.map((axis) => o.shape[axis]!), strides: order.map((axis) => o.strides[axis]!) };
}

export function kernel(name: string): Kernel {
  const found = jsKernels.kernels[name];
  if (found === undefined) throw new Error(`no kernel ${name}`);
  return found;
}

/** The bytes of an operand's whole memory. */
function bytes(o: Operand): Uint8Array {
  return new Uint8Array(o.data.buffer, o.data.byteOffset, o.data.byteLength).slice();
}

/** Fails where bytes changed. A loop, since comparing large arrays by value takes seconds. */
function expectUntouched(what: string, after: Uint8Array, before: Uint8Array): void {
  for (let i = 0; i < before.length; i++) {
    if (after[i] !== before[i]) expect.fail(`${what} changed at byte ${i}`);
  }
}

/** Runs a kernel that supports its operands, and checks that it changed no input and nothing outside its outputs. */
export function run(
  name: string,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[] = [],
  floats: readonly number[] = [],
): void {
  expect(jsKernels.supports?.(name, outputs, inputs, ints, floats)).toBe(true);
  const before = inputs.map(bytes);
  const around = outputs.map(bytes);
  kernel(name)(outputs, inputs, ints, floats);
  inputs.forEach((input, i) => {
    if (!outputs.some((out) => out.data === input.data)) expectUntouched(`input ${i}`, bytes(input), before[i]!);
  });
  outputs.forEach((out, i) => {
    const width = out.data.BYTES_PER_ELEMENT;
    const after = bytes(out);
    // An output repeats its elements by strides of 0 where it is reduced into: each is looked at once.
    const own = out.shape.map((extent, axis) => (out.strides[axis] === 0 ? 1 : extent));
    for (const at of positions(out, own)) after.set(around[i]!.subarray(at * width, (at + 1) * width), at * width);
    expectUntouched(`memory around output ${i}`, after, around[i]!);
  });
}

/** Compares lists bit for bit: NaN equals NaN, 0 differs from -0. */
export function expectSame(got: readonly Value[], expected: readonly Value[]): void {
  expect(got).toHaveLength(expected.length);
  const at = got.findIndex((value, i) => !Object.is(value, expected[i]));
  if (at >= 0) expect.fail(`first difference at ${at}: got ${show(got[at]!)}, expected ${show(expected[at]!)}`);
}

function show(value: Value): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

export const SPECIALS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  -2.5,
  3e38,
  -3e38,
  1e-45,
  -1e-40,
  1e300,
  5e-324,
  16777216,
  16777217,
  Infinity,
  -Infinity,
  NaN,
];

/** Values that a dtype holds, its limits often among them. */
export function anyValueOf(dtype: DType): fc.Arbitrary<Value> {
  if (dtype === "bool") return fc.constantFrom(0, 1);
  if (dtype.includes("float")) {
    return fc.oneof(fc.double({ min: -8, max: 8 }), fc.constantFrom(...SPECIALS)).map((value) => rounded(dtype, value));
  }
  const { bits, signed } = bitsOf(dtype);
  const min = signed ? -(2n ** BigInt(bits - 1)) : 0n;
  const max = signed ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n;
  return fc
    .oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n, 1n, max / 2n))
    .map((value) => (isBig(dtype) ? value : Number(value)));
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((size, extent) => size * extent, 1);
}

export const shapes: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 });
export const placings: fc.Arbitrary<Placing> = fc.constantFrom(...PLACINGS);

/** An input of `shape`, of any placing, some of its axes broadcast. */
export function inputOf(dtype: DType, shape: readonly number[]): fc.Arbitrary<Operand> {
  return fc
    .record({
      placing: placings,
      repeated: fc.array(fc.boolean(), { minLength: shape.length, maxLength: shape.length }),
    })
    .chain(({ placing, repeated }) => {
      const own = shape.map((extent, axis) => (repeated[axis] && extent > 0 ? 1 : extent));
      return fc
        .array(anyValueOf(dtype), { minLength: sizeOf(own), maxLength: sizeOf(own) })
        .map((values) => broadcast(operand(dtype, own, values, placing), shape));
    });
}
