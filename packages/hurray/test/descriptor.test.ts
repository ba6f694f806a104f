import { expect, test } from "vitest";
import {
  type Descriptor,
  DYNAMIC,
  dataRange,
  decodeDescriptor,
  descriptorLength,
  elementBits,
  elementCount,
  encodeDescriptor,
  isDynamic,
} from "../src/descriptor/index.js";
import { thrown } from "./support.js";

const HANDLE = { byteSize: 48n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
const PLAIN: Descriptor = {
  versionMinor: 0,
  typeTag: 3,
  shape: [3n, 4n],
  byteOffset: 0n,
  layout: { kind: "rowMajor" },
  buffers: [HANDLE],
};

test("the worked size: float32 [3,4] row-major with one buffer is 61 bytes", () => {
  const bytes = encodeDescriptor(PLAIN);
  expect(bytes).toHaveLength(61);
  expect(decodeDescriptor(bytes)).toEqual(PLAIN);
});

test("ten bytes tell the length, and what follows the descriptor is not looked at", () => {
  const bytes = new Uint8Array(100).fill(0xee);
  bytes.set(encodeDescriptor(PLAIN));
  expect(descriptorLength(bytes.subarray(0, 10))).toBe(61);
  expect(decodeDescriptor(bytes)).toEqual(PLAIN);
});

test("a descriptor that starts at an odd place of a larger buffer decodes, and its bytes are left alone", () => {
  const bytes = new Uint8Array(70);
  bytes.set(encodeDescriptor(PLAIN), 3);
  const before = bytes.slice();
  expect(decodeDescriptor(bytes.subarray(3, 64))).toEqual(PLAIN);
  expect(bytes).toEqual(before);
});

test("R17 an error names rule, field and place, counted from where the descriptor lies in its file", async () => {
  const bytes = encodeDescriptor(PLAIN);
  bytes[36] = 49;
  const error = await thrown(() => decodeDescriptor(bytes, { operation: 'read "w"', base: 1000 }));
  expect(error).toMatchObject({
    name: "HurrayFormatError",
    code: "SW_HURRAY_BUFFER_SIZE",
    rule: "R17",
    field: "byte_offset",
    byteOffset: 1036,
    given: 49n,
  });
  expect(error.message).toBe(
    'read "w": byte_offset is not allowed: got 49, expected at most the 48 bytes of buffer 0 (R17, byte 1036).',
  );
});

test("R65 a size that overflows 64 bits is computed exactly", async () => {
  const wraps = { ...PLAIN, typeTag: 0x11, shape: [4611686018427387905n, 4n] };
  expect(await thrown(() => encodeDescriptor(wraps))).toMatchObject({ rule: "R65", code: "SW_HURRAY_BUFFER_SIZE" });
});

test("R99 strides that leave the buffer at either end are refused", async () => {
  const strided = (strides: bigint[], byteOffset: bigint): Descriptor => ({
    ...PLAIN,
    byteOffset,
    layout: { kind: "strided", strides },
  });
  expect(encodeDescriptor(strided([-4n, 1n], 32n))).toHaveLength(77);
  expect(dataRange(strided([-4n, 1n], 32n))).toEqual({ start: 0n, end: 48n });
  expect(await thrown(() => encodeDescriptor(strided([-4n, 1n], 28n)))).toMatchObject({ rule: "R99" });
  expect(await thrown(() => encodeDescriptor(strided([-4n, 1n], 36n)))).toMatchObject({ rule: "R99" });
});

test("A7 a quantised axis of row-major is stored in whole blocks", async () => {
  const quantised = (byteSize: bigint): Descriptor => ({
    ...PLAIN,
    typeTag: 0x11,
    shape: [2n, 5n],
    buffers: [
      { ...HANDLE, byteSize },
      { ...HANDLE, byteSize: 12n },
    ],
    quantisation: { scheme: "perBlock", axis: 1, blockSize: 2, scaleBuffer: 1, scaleTypeTag: 1 },
  });
  expect(dataRange(quantised(12n))).toEqual({ start: 0n, end: 12n });
  expect(decodeDescriptor(encodeDescriptor(quantised(12n)))).toEqual(quantised(12n));
  expect(await thrown(() => encodeDescriptor(quantised(11n)))).toMatchObject({ rule: "R65" });
  const strided = { ...quantised(10n), layout: { kind: "strided" as const, strides: [5n, 1n] } };
  expect(dataRange(strided)).toEqual({ start: 0n, end: 10n });
});

test("A10 bytes after the fields of a scheme are kept", () => {
  const d: Descriptor = {
    ...PLAIN,
    typeTag: 0x11,
    quantisation: { scheme: "perTensor", scale: 0.5, zeroPoint: 3, padding: Uint8Array.of(1, 2, 3) },
  };
  expect(decodeDescriptor(encodeDescriptor(d))).toEqual(d);
});

test("A2 what a later minor version appends is kept for writing it again", () => {
  const d: Descriptor = { ...PLAIN, versionMinor: 3, tail: Uint8Array.of(9, 8, 7) };
  expect(decodeDescriptor(encodeDescriptor(d))).toEqual(d);
});

test("a NaN of any bits in the statistics comes back with its bits", () => {
  const d: Descriptor = {
    ...PLAIN,
    statistics: {
      computedMask: 4,
      nnz: 0n,
      sparsityRatio: 0,
      valueMin: Number.NaN,
      valueMax: Number.NaN,
      valueAbsMax: 1,
      valueMean: 0,
      valueStddev: 0,
      nmN: 0,
      nmM: 0,
      hasNan: true,
      hasInf: false,
      nanBits: { valueMin: 0xfff8dead00000001n },
    },
  };
  const again = decodeDescriptor(encodeDescriptor(d));
  expect(again).toEqual(d);
  expect(encodeDescriptor(again)).toEqual(encodeDescriptor(d));
});

test("dynamic dimensions have no count and no range until they are known", () => {
  expect(isDynamic([3n, DYNAMIC])).toBe(true);
  expect(elementCount([3n, DYNAMIC])).toBeUndefined();
  expect(elementCount([])).toBe(1n);
  expect(elementCount([3n, 0n, 2n ** 63n])).toBe(0n);
  const d = { ...PLAIN, shape: [DYNAMIC, 4n] };
  expect(dataRange(d)).toBeUndefined();
  expect(decodeDescriptor(encodeDescriptor(d))).toEqual(d);
});

test("a private type has the width that its section gives", () => {
  const extensionType = {
    bitWidth: 4,
    packingFactor: 2,
    isFloat: false,
    isSigned: true,
    signBits: 0,
    exponentBits: 0,
    mantissaBits: 0,
    exponentBias: 0,
    hasNan: false,
    hasInf: false,
  };
  const d: Descriptor = { ...PLAIN, typeTag: 0xf0, extensionType };
  expect(elementBits(d)).toBe(4);
  expect(dataRange(d)).toEqual({ start: 0n, end: 6n });
  expect(elementBits(PLAIN)).toBe(32);
});

test("numbers that their field cannot hold are refused before anything is written", async () => {
  expect(await thrown(() => encodeDescriptor({ ...PLAIN, byteOffset: 2n ** 64n }))).toMatchObject({
    name: "HurrayValueError",
    code: "SW_HURRAY_VALUE",
    field: "byte_offset",
    given: 2n ** 64n,
  });
  expect((await thrown(() => encodeDescriptor({ ...PLAIN, typeTag: 256 })))["code"]).toBe("SW_HURRAY_VALUE");
  expect((await thrown(() => encodeDescriptor({ ...PLAIN, typeTag: 1.5 })))["code"]).toBe("SW_HURRAY_VALUE");
  const alignment = 2 ** 32;
  expect(await thrown(() => encodeDescriptor({ ...PLAIN, buffers: [{ ...HANDLE, alignment }] }))).toMatchObject({
    field: "alignment",
  });
  const many = Array<typeof HANDLE>(256).fill(HANDLE);
  expect((await thrown(() => encodeDescriptor({ ...PLAIN, buffers: many })))["field"]).toBe("buffer_count");
});

test("values of the wrong type are type errors", async () => {
  const wrong = { ...PLAIN, byteOffset: 0 as unknown as bigint };
  expect(await thrown(() => encodeDescriptor(wrong))).toBeInstanceOf(TypeError);
  const text = { ...PLAIN, typeTag: "3" as unknown as number };
  expect(await thrown(() => encodeDescriptor(text))).toBeInstanceOf(TypeError);
});

test("lists that disagree in length are refused", async () => {
  const strided: Descriptor = { ...PLAIN, layout: { kind: "strided", strides: [1n] } };
  expect((await thrown(() => encodeDescriptor(strided)))["field"]).toBe("strides");
  const shard: Descriptor = { ...PLAIN, shard: { parentShape: [3n], offset: [0n] } };
  expect((await thrown(() => encodeDescriptor(shard)))["field"]).toBe("parent_shape");
});

test("a descriptor that breaks a rule cannot be written", async () => {
  expect(await thrown(() => encodeDescriptor({ ...PLAIN, buffers: [] }))).toMatchObject({ rule: "R52" });
  expect(await thrown(() => encodeDescriptor({ ...PLAIN, typeTag: 0xf0 }))).toMatchObject({ rule: "R11" });
  const unaligned = [{ ...HANDLE, alignment: 32 }];
  expect(await thrown(() => encodeDescriptor({ ...PLAIN, buffers: unaligned }))).toMatchObject({ rule: "R56" });
});

const RULES: readonly (readonly [string, number, number])[] = [
  ["R9", 14, 0x00],
  ["R12", 15, 0x00],
  ["R13", 15, 0x0c],
  ["R57", 57, 0xff],
  ["R63", 60, 1],
];
for (const [rule, at, value] of RULES) {
  test(`${rule} byte ${at} = ${value} is refused`, async () => {
    const bytes = encodeDescriptor(PLAIN);
    bytes[at] = value;
    expect(await thrown(() => decodeDescriptor(bytes))).toMatchObject({ rule, byteOffset: at });
  });
}

const QUANTISED: Descriptor = {
  ...PLAIN,
  typeTag: 0x11,
  buffers: [HANDLE, { ...HANDLE, byteSize: 16n }],
  quantisation: { scheme: "perChannel", axis: 1, scaleBuffer: 1 },
};
const START = 20 + 16 + 8 + 1 + 32 + 4;
const QUANTISATION_RULES: readonly (readonly [string, number, number])[] = [
  ["R67", 0, 0],
  ["R70", 1, 0],
  ["R83", 8, 2],
  ["R84", 8, 0],
  ["R76", 4, 2],
];
for (const [rule, at, value] of QUANTISATION_RULES) {
  test(`${rule} byte ${at} = ${value} of the quantisation is refused`, async () => {
    const bytes = encodeDescriptor(QUANTISED);
    bytes[START + at] = value;
    const error = await thrown(() => decodeDescriptor(bytes));
    expect(error["rule"]).toBe(rule);
    expect(error["byteOffset"]).toBe(START + at);
  });
}

test("R85 parameter buffers have exactly the size of their arrays", async () => {
  const bytes = encodeDescriptor(QUANTISED);
  bytes[20 + 16 + 8 + 1 + 16] = 17;
  expect(await thrown(() => decodeDescriptor(bytes))).toMatchObject({ rule: "R85", code: "SW_HURRAY_BUFFER_SIZE" });
});

test("R85 is judged later while another dimension is dynamic", () => {
  const d: Descriptor = {
    ...QUANTISED,
    shape: [DYNAMIC, 4n],
    buffers: [HANDLE, { ...HANDLE, byteSize: 7n }],
    quantisation: { scheme: "perBlock", axis: 1, blockSize: 2, scaleBuffer: 1, scaleTypeTag: 3 },
  };
  expect(decodeDescriptor(encodeDescriptor(d))).toEqual(d);
});
