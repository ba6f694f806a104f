import { ByteWriter } from "@sw/kernels-wasm/assembler";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

/** Reads LEB128 as the specification defines it, with BigInt so that nothing wraps. */
function read(bytes: readonly number[], signed: boolean): { value: number; length: number } {
  const { value, length } = readBig(bytes, signed);
  return { value: Number(value), length };
}

function readBig(bytes: readonly number[], signed: boolean): { value: bigint; length: number } {
  let value = 0n;
  let shift = 0n;
  for (let i = 0; i < bytes.length; i++) {
    const byte = BigInt(bytes[i]!);
    value |= (byte & 0x7fn) << shift;
    shift += 7n;
    if ((byte & 0x80n) === 0n) {
      if (signed && (byte & 0x40n) !== 0n) value -= 1n << shift;
      return { value, length: i + 1 };
    }
  }
  throw new Error("the last byte has the continuation bit");
}

describe("the encoder", () => {
  test("an unsigned integer reads back, in as few bytes as it needs", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (n) => {
        const { bytes } = new ByteWriter().unsigned(n);
        expect(read(bytes, false)).toEqual({ value: n, length: bytes.length });
        expect(bytes.length).toBe(Math.max(1, Math.ceil(n.toString(2).length / 7)));
      }),
    );
  });

  test("a signed integer reads back, in at most five bytes", () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (n) => {
        const { bytes } = new ByteWriter().signed(n);
        expect(read(bytes, true)).toEqual({ value: n, length: bytes.length });
        expect(bytes.length).toBeLessThanOrEqual(5);
      }),
    );
  });

  test.each([
    [0, [0]],
    [63, [63]],
    [64, [0xc0, 0]],
    [-1, [0x7f]],
    [-64, [0x40]],
    [-65, [0xbf, 0x7f]],
    [128, [0x80, 1]],
    [2 ** 31, [0x80, 0x80, 0x80, 0x80, 0x78]],
  ])("the signed integer %i is written with its sign bit", (n, bytes) => {
    expect(new ByteWriter().signed(n).bytes).toEqual(bytes);
  });

  test("a signed integer of 64 bits reads back, in at most ten bytes", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        const { bytes } = new ByteWriter().signed64(n);
        expect(readBig(bytes, true)).toEqual({ value: n, length: bytes.length });
        expect(bytes.length).toBeLessThanOrEqual(10);
      }),
    );
    for (const n of [0, 63, 64, -1, -64, -65, 2 ** 31 - 1]) {
      expect(new ByteWriter().signed64(BigInt(n)).bytes).toEqual(new ByteWriter().signed(n).bytes);
    }
  });

  test("names are UTF-8 with their length in bytes", () => {
    expect(new ByteWriter().name("aé").bytes).toEqual([3, 0x61, 0xc3, 0xa9]);
  });

  test("floats are little-endian", () => {
    expect(new ByteWriter().float32(1).bytes).toEqual([0, 0, 0x80, 0x3f]);
    expect(new ByteWriter().float64(-2).bytes).toEqual([0, 0, 0, 0, 0, 0, 0, 0xc0]);
  });
});
