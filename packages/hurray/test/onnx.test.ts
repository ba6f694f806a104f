import { describe, expect, test } from "vitest";
import { readOnnxTensor } from "../src/interchange/index.js";
import { fixture, fixtures, foreign, storedOf, thrown } from "./support-interchange.js";

/** A number as a varint. */
function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

/** A field with a number, or with bytes. */
const number = (field: number, value: number | bigint): number[] => [...varint(field * 8), ...varint(value)];
const bytesField = (field: number, ...bytes: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(bytes.length),
  ...bytes,
];
const message = (...fields: readonly (readonly number[])[]): Uint8Array => Uint8Array.from(fields.flat());

const DIMS = 1;
const TYPE = 2;
const INT32_DATA = 5;
const NAME = 8;
const RAW = 9;
const INT8 = number(TYPE, 3);

describe("tensors of onnx", () => {
  test.each(fixtures(".onnx"))("%s reads as it was written", (file, [expected]) => {
    const { name, tensor } = readOnnxTensor(fixture(file));
    expect(name).toBe(expected!.name);
    expect(tensor).toEqual(storedOf(expected!));
  });

  test("elements of whole bytes are shared", () => {
    const bytes = fixture("float64-raw.onnx");
    expect(readOnnxTensor(bytes).tensor.buffers[0]!.buffer).toBe(bytes.buffer);
  });

  test.each([
    ["refused-text.onnx", "string_data", "text has no counterpart"],
    ["refused-external.onnx", "data_location", "the elements are in another file"],
    ["refused-FLOAT8E4M3FNUZ.onnx", "data_type", "the type has one zero and its NaN elsewhere"],
    ["refused-FLOAT8E5M2FNUZ.onnx", "data_type", "the type has one zero and its NaN elsewhere"],
  ])("SW_HURRAY_FOREIGN_UNSUPPORTED %s is refused with the reason", async (file, field, reason) => {
    const error = await thrown(() => readOnnxTensor(fixture(file)));
    expect([error["code"], error["format"], error["field"]]).toEqual(["SW_HURRAY_FOREIGN_UNSUPPORTED", "onnx", field]);
    expect(error.message).toContain(reason);
  });
});

describe("messages", () => {
  test("fields come in any order, unknown ones are passed over, numbers come packed or one by one", () => {
    const expected = readOnnxTensor(message(bytesField(DIMS, 2, 2), INT8, bytesField(RAW, 1, 2, 3, 0xfc)));
    for (const fields of [
      [bytesField(RAW, 1, 2, 3, 0xfc), INT8, number(DIMS, 2), number(DIMS, 2)],
      [number(200, 7), number(DIMS, 2), bytesField(12, 1, 2, 3), number(DIMS, 2), INT8, bytesField(RAW, 1, 2, 3, 0xfc)],
      [
        [13, 0, 0, 0, 0].map((byte, k) => (k === 0 ? 0x6d : byte)),
        bytesField(DIMS, 2, 2),
        INT8,
        bytesField(RAW, 1, 2, 3, 0xfc),
      ],
      [bytesField(DIMS, 2, 2), INT8, bytesField(INT32_DATA, 1, 2), number(INT32_DATA, 3), number(INT32_DATA, -4)],
    ]) {
      expect(readOnnxTensor(message(...fields))).toEqual(expected);
    }
  });

  test("a tensor without a name has an empty one; one without elements, or without dimensions, is one", () => {
    const empty = readOnnxTensor(message(number(DIMS, 0), INT8));
    expect([empty.name, empty.tensor.descriptor.shape, empty.tensor.buffers]).toEqual(["", [0n], [new Uint8Array()]]);
    const scalar = readOnnxTensor(message(INT8, bytesField(RAW, 7)));
    expect([scalar.tensor.descriptor.shape, scalar.tensor.buffers]).toEqual([[], [Uint8Array.of(7)]]);
  });

  const two = [bytesField(DIMS, 2), INT8];
  test.each<[string, number[][], string, number, string]>([
    [
      "no shape of its elements",
      [...two, bytesField(RAW, 1, 2, 3)],
      "raw_data",
      7,
      "got 3 bytes, expected 2 for 2 elements",
    ],
    [
      "too few numbers",
      [...two, bytesField(INT32_DATA, 1)],
      "int32_data",
      0,
      "got 1, expected 2 for 2 elements of int8",
    ],
    ["no elements", two, "int32_data", 0, "got 0, expected 2"],
    [
      "a number that does not fit",
      [...two, bytesField(INT32_DATA, 1, 0x80, 1)],
      "int32_data",
      8,
      "got 128, expected a number of 8 bits",
    ],
    [
      "a negative number of an unsigned type",
      [bytesField(DIMS, 1), number(TYPE, 2), number(INT32_DATA, -1)],
      "int32_data",
      6,
      "got -1",
    ],
    [
      "the field of another type",
      [...two, bytesField(7, 1, 2)],
      "int64_data",
      0,
      "got int64_data, expected int32_data",
    ],
    [
      "two fields of elements",
      [...two, bytesField(RAW, 1, 2), bytesField(INT32_DATA, 1, 2)],
      "int32_data",
      0,
      "in two fields",
    ],
    ["a negative dimension", [number(DIMS, -1), INT8], "dims", 1, "got -1, expected a whole number"],
    ["a dimension that no number holds", [number(DIMS, 2n ** 53n + 1n), INT8], "dims", 1, "got 9007199254740993"],
    [
      "dimensions that overflow",
      [bytesField(DIMS, ...varint(2 ** 32), ...varint(2 ** 32)), INT8],
      "dims",
      0,
      "at most 2^53 - 1",
    ],
    ["a name that is no text", [...two, bytesField(NAME, 0xff)], "name", 7, "the name is no text"],
    ["a shape as text", [[DIMS * 8 + 5, 0, 0, 0, 0]], "dims", 1, "got wire type 5, expected 0 or 2"],
    ["a type as bytes", [bytesField(TYPE, 3)], "data_type", 2, "got wire type 2, expected 0"],
    ["raw elements as a number", [...two, number(RAW, 1)], "raw_data", 6, "got wire type 0, expected 2"],
    ["numbers of another width", [...two, [INT32_DATA * 8 + 5, 0, 0, 0, 0]], "int32_data", 6, "got wire type 5"],
    ["a group", [[DIMS * 8 + 3]], "field", 0, "got 3, expected 0, 1, 2 or 5"],
    ["field 0", [[0, 1]], "field", 0, "no field has this number"],
    ["a field number beyond all", [varint(2 ** 33)], "field", 0, "no field has this number"],
    ["bytes that end within a number", [[DIMS * 8, 0x80]], "field", 1, "the bytes end within a number"],
    [
      "a number of 11 bytes",
      [[DIMS * 8, ...new Array<number>(10).fill(0x80), 1]],
      "field",
      1,
      "the number is too long",
    ],
    ["a number of 65 bits", [[DIMS * 8, ...new Array<number>(9).fill(0xff), 2]], "field", 1, "the number is too long"],
    ["a length beyond the end", [[RAW * 8 + 2, 5, 1]], "field", 2, "got 5, expected at most 1 bytes"],
    ["a length of 2^63", [[RAW * 8 + 2, ...varint(2n ** 63n)]], "field", 1, "this is no count"],
    ["a number of 4 bytes that ends early", [[...varint(20 * 8 + 5), 0]], "field", 2, "got 4, expected at most 1"],
  ])("SW_HURRAY_FOREIGN_INVALID %s is refused", async (_, fields, field, byteOffset, text) => {
    expect(await foreign("INVALID", field, byteOffset, () => readOnnxTensor(message(...fields)))).toContain(text);
  });

  test.each<[string, number[][], string, number | undefined]>([
    ["no type", [number(DIMS, 1)], "data_type", 0],
    ["a type of a later version", [number(TYPE, 99)], "data_type", 0],
    ["a segment", [bytesField(3)], "segment", 2],
    ["more dimensions than the format has", [bytesField(DIMS, ...new Array<number>(65).fill(1)), INT8], "dims", 66],
  ])("SW_HURRAY_FOREIGN_UNSUPPORTED %s is refused", async (_, fields, field, byteOffset) => {
    await foreign("UNSUPPORTED", field, byteOffset, () => readOnnxTensor(message(...fields)));
  });

  test("a shape that lies allocates nothing", async () => {
    const lie = message(number(DIMS, 2 ** 40), number(TYPE, 11));
    await foreign("INVALID", "double_data", 0, () => readOnnxTensor(lie));
    await foreign("INVALID", "raw_data", 11, () => readOnnxTensor(message([...lie], bytesField(RAW, 1))));
  });

  test("the message of an error names the tensor", async () => {
    const error = await thrown(() => readOnnxTensor(message(...two, bytesField(NAME, 98), bytesField(RAW, 1))));
    expect(error.message).toBe(
      'readOnnxTensor: the elements have another length: got 1 bytes, expected 2 for 2 elements of int8 (onnx: raw_data of "b", byte 10).',
    );
  });

  test("TypeError what is no Uint8Array is refused", async () => {
    for (const wrong of [null, 3, [1], new ArrayBuffer(2)]) {
      expect(await thrown(() => readOnnxTensor(wrong as unknown as Uint8Array))).toBeInstanceOf(TypeError);
    }
  });
});
