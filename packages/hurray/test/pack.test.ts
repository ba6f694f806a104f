import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { byteLengthOf, ELEMENT_TYPES, type ElementTypeName, elementTypeNamed } from "../src/descriptor/index.js";
import { newElements } from "../src/values/arrays.js";
import { packElements, unpackElements } from "../src/values/index.js";
import { bytesOf, thrown } from "./support.js";
import { codesOf, expectValues, valuesCases } from "./support-values.js";

const flat = valuesCases("values").filter((c) => c.codes !== undefined);
const PACKED = ELEMENT_TYPES.filter((type) => type.bits < 8).map((type) => type.name);

test.each(flat.map((c) => [c.id, c] as const))("%s: codes and values as in the manifest, and packed again", (_, c) => {
  const { type, dataOffset, dataLength, shape } = c.expect as {
    type: ElementTypeName;
    dataOffset: number;
    dataLength: number;
    shape: number[];
  };
  const bytes = bytesOf(c).subarray(dataOffset, dataOffset + dataLength);
  const elements = unpackElements(type, bytes, 0, shape[0]!);
  expect(codesOf(type, elements)).toEqual(c.codes);
  expectValues(type, elements, c.values);
  const packed = new Uint8Array(dataLength);
  packElements(type, elements, packed);
  expect(packed).toEqual(bytes);
});

test("the examples of the specification (section 2)", () => {
  const pack = (type: ElementTypeName, ...codes: number[]) => {
    const bytes = new Uint8Array(Number(byteLengthOf(elementTypeNamed(type).bits, BigInt(codes.length))));
    packElements(type, Uint8Array.from(codes), bytes);
    return Buffer.from(bytes).toString("hex");
  };
  expect(pack("bool", 1, 0, 1, 1, 0)).toBe("0d");
  expect(pack("uint4", 5, 12, 3)).toBe("c503");
  expect(pack("uint2", 3, 1, 2)).toBe("27");
  expect(pack("float6_e2m3", 1, 2, 4, 8)).toBe("814020");
  expect(unpackElements("int4", Uint8Array.of(0x8f), 0, 2)).toEqual(Int8Array.of(-1, -8));
  expect(unpackElements("int2", Uint8Array.of(0b00011011), 0, 4)).toEqual(Int8Array.of(-1, -2, 1, 0));
});

/** What a type, a place and some bytes are, the bytes long enough. */
const packings = fc
  .record({
    type: fc.constantFrom(...PACKED),
    first: fc.nat(40),
    count: fc.nat(100),
    shift: fc.nat(7),
    bytes: fc.uint8Array({ minLength: 120, maxLength: 120 }),
  })
  .map(({ bytes, shift, ...rest }) => ({ ...rest, bytes: bytes.subarray(shift) }));

/** The element by the definition: bits of a little-endian string. */
function codeOf(type: ElementTypeName, bytes: Uint8Array, index: number): number {
  const { bits, range } = elementTypeNamed(type);
  let code = 0;
  for (let b = 0; b < bits; b++) {
    const at = index * bits + b;
    code |= ((bytes[at >> 3]! >> (at & 7)) & 1) << b;
  }
  return range !== undefined && code > range[1] ? code - 2 ** bits : code;
}

describe("packed elements", () => {
  test("law: element i is bits i*B to i*B + B - 1 of the bytes, wherever it begins and where it goes", () => {
    fc.assert(
      fc.property(packings, fc.nat(3), ({ type, first, count, bytes }, skip) => {
        const expected = Array.from({ length: count }, (_, i) => codeOf(type, bytes, first + i));
        expect([...unpackElements(type, bytes, first, count)]).toEqual(expected);
        const into = newElements(type, count + skip).subarray(skip);
        expect(unpackElements(type, bytes, first, count, into)).toBe(into);
        expect([...into]).toEqual(expected);
      }),
    );
  });

  test("law: packing writes those elements and no other bit", () => {
    fc.assert(
      fc.property(
        packings,
        fc.uint8Array({ minLength: 120, maxLength: 120 }),
        ({ type, first, count, bytes }, other) => {
          const elements = unpackElements(type, bytes, first, count);
          const target = other.slice();
          packElements(type, elements, target, first);
          const { bits } = elementTypeNamed(type);
          const bitOf = (from: Uint8Array, at: number) => (from[at >> 3]! >> (at & 7)) & 1;
          for (let at = 0; at < target.length * 8; at++) {
            const inside = at >= first * bits && at < (first + count) * bits;
            expect(bitOf(target, at)).toBe(bitOf(inside ? bytes : other, at));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("any byte but 0 is a true bool, and only the low bits of a small integer count", () => {
    for (const count of [19, 97]) {
      const bools = Uint8Array.from({ length: count }, (_, i) => (i % 3 === 0 || i < 40 ? i % 2 : 1 << (i % 8)));
      const bits = new Uint8Array(13);
      packElements("bool", bools, bits);
      expect([...unpackElements("bool", bits, 0, count)]).toEqual([...bools].map((value) => (value === 0 ? 0 : 1)));
    }
    const nibbles = new Uint8Array(5);
    packElements(
      "uint4",
      Uint8Array.from({ length: 10 }, (_, i) => 0xf0 | i),
      nibbles,
    );
    expect([...nibbles]).toEqual([0x10, 0x32, 0x54, 0x76, 0x98]);
  });
});

describe.each(["with vectors", "on a host without WebAssembly"])("many packed elements, %s", (host) => {
  afterEach(() => vi.unstubAllGlobals());

  test("law: they are unpacked and packed as one by one, wherever they begin", async () => {
    vi.resetModules();
    if (host !== "with vectors") vi.stubGlobal("WebAssembly", undefined);
    const values = await import("../src/values/index.js");
    // More than go through the module's memory at a time.
    const bytes = Uint8Array.from({ length: 60_000 }, (_, i) => (i * 2654435761) >>> 13);
    const ranges = fc.record({ type: fc.constantFrom(...PACKED), first: fc.nat(40), count: fc.nat(70_000) });
    fc.assert(
      fc.property(ranges, fc.nat(9), ({ type, first, count }, skip) => {
        const into = newElements(type, count + skip).subarray(skip);
        values.unpackElements(type, bytes, first, count, into);
        expect(into.findIndex((code, i) => code !== codeOf(type, bytes, first + i))).toBe(-1);
        const target = new Uint8Array(bytes.length).fill(0xa5);
        values.packElements(type, into, target, first);
        expect(values.unpackElements(type, target, first, count)).toEqual(into);
        const { bits } = elementTypeNamed(type);
        const end = (first + count) * bits;
        const isKept = (byte: number, i: number) => {
          for (let at = i * 8; at < i * 8 + 8; at++) {
            const isOutside = at < first * bits || at >= end;
            if (isOutside && ((byte ^ 0xa5) >> (at & 7)) & 1) return false;
          }
          return true;
        };
        expect(target.findIndex((byte, i) => !isKept(byte, i))).toBe(-1);
      }),
      { numRuns: 30 },
    );
  });

  test("any byte but 0 is a true bool", async () => {
    vi.resetModules();
    if (host !== "with vectors") vi.stubGlobal("WebAssembly", undefined);
    const values = await import("../src/values/index.js");
    const bools = Uint8Array.from({ length: 1000 }, (_, i) => i);
    const bits = new Uint8Array(125);
    values.packElements("bool", bools, bits);
    expect(values.unpackElements("bool", bits, 0, 1000)).toEqual(bools.map((value) => (value === 0 ? 0 : 1)));
  });
});

test("elements of whole bytes are copied bit for bit, NaN payloads included", () => {
  const bits = Uint8Array.of(1, 0, 0xa0, 0x7f, 0, 0, 0, 0x80);
  const floats = unpackElements("float32", bits, 0, 2);
  const back = new Uint8Array(12);
  packElements("float32", floats, back, 1);
  expect([...back.subarray(4)]).toEqual([...bits]);
  expect(unpackElements("complex64", bits, 0, 1)).toHaveLength(2);
});

test("ranges that the bytes do not hold, and targets of another length, are refused before anything is written", async () => {
  const target = new Uint8Array(4);
  const value = { name: "HurrayValueError", code: "SW_HURRAY_VALUE" };
  expect(await thrown(() => unpackElements("uint4", target, 5, 4))).toMatchObject({ ...value, field: "first" });
  expect(await thrown(() => unpackElements("uint8", target, -1, 1))).toMatchObject({ ...value, field: "first" });
  expect(await thrown(() => unpackElements("uint8", target, 2 ** 60, 2 ** 60))).toMatchObject(value);
  expect(await thrown(() => unpackElements("uint8", target, 0, 2, target))).toMatchObject({ ...value, field: "into" });
  expect(await thrown(() => packElements("uint8", Uint8Array.of(1, 2, 3, 4), target, 1))).toMatchObject(value);
  expect(await thrown(() => packElements("complex64", Float32Array.of(1), new Uint8Array(8)))).toMatchObject({
    ...value,
    field: "elements",
  });
  expect([...target]).toEqual([0, 0, 0, 0]);
});

test("field case 22: the bytes may be a window of a Buffer at any place, of which slice makes no copy", () => {
  for (const type of PACKED) {
    const { bits } = elementTypeNamed(type);
    const bytes = Buffer.from(Uint8Array.from({ length: 101 }, (_, i) => i * 37));
    const count = Math.floor((96 * 8) / bits / 4) * 4;
    const expected = unpackElements(type, Uint8Array.from(bytes.subarray(3, 99)), 0, count);
    expect(unpackElements(type, bytes.subarray(3), 0, count)).toEqual(expected);
    const packed = Buffer.alloc(101);
    packElements(type, expected, packed.subarray(3));
    expect(unpackElements(type, Uint8Array.from(packed.subarray(3)), 0, count)).toEqual(expected);
  }
});
