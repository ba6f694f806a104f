import { DTYPES } from "@sw/tensor";
import { expect, test } from "vitest";
import { packBits, unpackBits } from "../src/bits.js";
import { byteSpanOf } from "../src/elements.js";
import { byteLengthOf, dtypeOfTag, ELEMENT_TYPES, elementTypeNamed, elementTypeOf, tagOfDType } from "../src/index.js";

test("every dtype has an element type of its own, of the same width (bool aside), and finds its way back", () => {
  const tags = new Set<number>();
  for (const info of Object.values(DTYPES)) {
    const tag = tagOfDType(info.name);
    tags.add(tag);
    expect(dtypeOfTag(tag)).toBe(info.name);
    expect(elementTypeOf(tag)?.bits).toBe(info.name === "bool" ? 1 : info.byteLength * 8);
  }
  expect(tags.size).toBe(13);
});

test("element types that tensors do not have are known to the format", () => {
  expect(ELEMENT_TYPES).toHaveLength(26);
  expect(dtypeOfTag(elementTypeNamed("complex64").tag)).toBeUndefined();
  expect(dtypeOfTag(0xf0)).toBeUndefined();
  expect(elementTypeOf(0x47)).toBeUndefined();
});

test("bytes for elements: whole bytes, packed bits, and groups of four 6-bit elements", () => {
  expect(byteLengthOf(32, 5n)).toBe(20n);
  expect(byteLengthOf(1, 10n)).toBe(2n);
  expect(byteLengthOf(2, 5n)).toBe(2n);
  expect(byteLengthOf(4, 3n)).toBe(2n);
  expect(byteLengthOf(6, 5n)).toBe(6n);
  expect(byteLengthOf(64, 0n)).toBe(0n);
  expect(byteLengthOf(64, 2n ** 62n)).toBe(2n ** 65n);
});

test("A35 offsets before the first element of a packed type round down", () => {
  expect(byteSpanOf(1, -1n, 8n)).toEqual({ start: -1n, end: 2n });
  expect(byteSpanOf(1, -8n, -8n)).toEqual({ start: -1n, end: 0n });
  expect(byteSpanOf(4, -3n, -3n)).toEqual({ start: -2n, end: -1n });
  expect(byteSpanOf(6, -1n, 0n)).toEqual({ start: -3n, end: 3n });
  expect(byteSpanOf(16, -2n, 1n)).toEqual({ start: -4n, end: 4n });
});

test("the example of the specification: bool [1,0,1,1,0] is the byte 0D, and its unused bits are 0 (R110)", () => {
  const packed = new Uint8Array(1);
  packBits(Uint8Array.of(1, 0, 1, 1, 0), 0, packed);
  expect(packed).toEqual(Uint8Array.of(0x0d));
  const values = new Uint8Array(5);
  unpackBits(Uint8Array.of(0xed), 0, values);
  expect(values).toEqual(Uint8Array.of(1, 0, 1, 1, 0));
});
