import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import type { ForeignFormat } from "../errors.js";

/** What an element type is called in other formats; a name is absent where the format has no such type. @since 0.1.0 */
export interface TypeMapping {
  readonly type: ElementTypeName;
  /** Kind and bytes, without the byte order in front. */
  readonly npy?: string;
  readonly safetensors?: string;
  readonly onnx?: readonly [number: number, name: string];
}

/**
 * The element types and their counterparts, which have the same values bit for bit; only `bool` is a bit here and a byte
 * there. The order is the one in which safetensors files have their tensors, read from the end.
 *
 * @since 0.1.0
 */
export const TYPE_MAPPINGS: readonly TypeMapping[] = [
  { type: "int2", onnx: [26, "INT2"] },
  { type: "uint2", onnx: [25, "UINT2"] },
  { type: "int4", onnx: [22, "INT4"] },
  { type: "uint4", onnx: [21, "UINT4"] },
  { type: "bool", npy: "b1", safetensors: "BOOL", onnx: [9, "BOOL"] },
  { type: "float4_e2m1", safetensors: "F4", onnx: [23, "FLOAT4E2M1"] },
  { type: "float6_e2m3", onnx: [27, "FLOAT6E2M3"] },
  { type: "float6_e3m2", onnx: [28, "FLOAT6E3M2"] },
  { type: "uint8", npy: "u1", safetensors: "U8", onnx: [2, "UINT8"] },
  { type: "int8", npy: "i1", safetensors: "I8", onnx: [3, "INT8"] },
  { type: "float8_e5m2", safetensors: "F8_E5M2", onnx: [19, "FLOAT8E5M2"] },
  { type: "float8_e4m3", safetensors: "F8_E4M3", onnx: [17, "FLOAT8E4M3FN"] },
  { type: "float8_e8m0", safetensors: "F8_E8M0", onnx: [24, "FLOAT8E8M0"] },
  { type: "int16", npy: "i2", safetensors: "I16", onnx: [5, "INT16"] },
  { type: "uint16", npy: "u2", safetensors: "U16", onnx: [4, "UINT16"] },
  { type: "float16", npy: "f2", safetensors: "F16", onnx: [10, "FLOAT16"] },
  { type: "bfloat16", safetensors: "BF16", onnx: [16, "BFLOAT16"] },
  { type: "int32", npy: "i4", safetensors: "I32", onnx: [6, "INT32"] },
  { type: "uint32", npy: "u4", safetensors: "U32", onnx: [12, "UINT32"] },
  { type: "float32", npy: "f4", safetensors: "F32", onnx: [1, "FLOAT"] },
  { type: "complex64", npy: "c8", safetensors: "C64", onnx: [14, "COMPLEX64"] },
  { type: "float64", npy: "f8", safetensors: "F64", onnx: [11, "DOUBLE"] },
  { type: "int64", npy: "i8", safetensors: "I64", onnx: [7, "INT64"] },
  { type: "uint64", npy: "u8", safetensors: "U64", onnx: [13, "UINT64"] },
  { type: "complex128", npy: "c16", onnx: [15, "COMPLEX128"] },
  { type: "float128" },
];

/** A type of another format that is refused. @since 0.1.0 */
export interface TypeRefusal {
  readonly format: Exclude<ForeignFormat, "npz">;
  /** How the format names it: of npy the kind, or kind and bytes. */
  readonly name: string;
  readonly reason: string;
  readonly advice: string;
}

const UNSIGNED_ZERO = "the type has one zero and its NaN elsewhere, so that its codes mean other numbers";
const SAVE_FLOAT = "Save it as float32 first: x.to(torch.float32).";
const CAST_FLOAT = "Cast it to FLOAT first.";

/** The types of other formats that have no counterpart, and why. @since 0.1.0 */
export const TYPE_REFUSALS: readonly TypeRefusal[] = [
  {
    format: "npy",
    name: "O",
    reason: "Python objects are programs, not numbers",
    advice: 'Save numbers: numpy.save(path, x.astype("float64")).',
  },
  { format: "npy", name: "S", reason: "text has no counterpart", advice: "Save numbers, e.g. categories as int32." },
  { format: "npy", name: "U", reason: "text has no counterpart", advice: "Save numbers, e.g. categories as int32." },
  {
    format: "npy",
    name: "V",
    reason: "bytes without a type may mean anything: bfloat16 and float8 of ml_dtypes are saved like this",
    advice: 'Save a type that NumPy has: x.astype("float32"), or the bits, x.view("uint16").',
  },
  {
    format: "npy",
    name: "[",
    reason: "records of several fields are several tensors",
    advice: 'Save each field: numpy.savez(path, a=x["a"], …).',
  },
  {
    format: "npy",
    name: "f16",
    reason: "a long double has another meaning on each machine",
    advice: 'Save float64: x.astype("float64").',
  },
  {
    format: "npy",
    name: "c32",
    reason: "a complex long double has another meaning on each machine",
    advice: 'Save complex128: x.astype("complex128").',
  },
  {
    format: "npy",
    name: "M",
    reason: "dates have no counterpart",
    advice: 'Save their counts: x.view("int64").',
  },
  {
    format: "npy",
    name: "m",
    reason: "time spans have no counterpart",
    advice: 'Save their counts: x.view("int64").',
  },
  { format: "safetensors", name: "F8_E4M3FNUZ", reason: UNSIGNED_ZERO, advice: SAVE_FLOAT },
  { format: "safetensors", name: "F8_E5M2FNUZ", reason: UNSIGNED_ZERO, advice: SAVE_FLOAT },
  {
    format: "safetensors",
    name: "F6_E2M3",
    reason: "nothing says how four elements lie in three bytes",
    advice: "Save it as F8_E4M3 or F32.",
  },
  {
    format: "safetensors",
    name: "F6_E3M2",
    reason: "nothing says how four elements lie in three bytes",
    advice: "Save it as F8_E5M2 or F32.",
  },
  { format: "onnx", name: "UNDEFINED (0)", reason: "the tensor has no type", advice: "" },
  { format: "onnx", name: "STRING (8)", reason: "text has no counterpart", advice: "" },
  { format: "onnx", name: "FLOAT8E4M3FNUZ (18)", reason: UNSIGNED_ZERO, advice: CAST_FLOAT },
  { format: "onnx", name: "FLOAT8E5M2FNUZ (20)", reason: UNSIGNED_ZERO, advice: CAST_FLOAT },
];

/** Bits of an element in a type of safetensors, also of those that are refused; `undefined` for a type of no meaning yet. */
export function safetensorsBits(dtype: string): number | undefined {
  const type = TYPE_MAPPINGS.find(({ safetensors }) => safetensors === dtype)?.type;
  if (type !== undefined) return foreignBits(type);
  if (!TYPE_REFUSALS.some(({ format, name }) => format === "safetensors" && name === dtype)) return undefined;
  return dtype.startsWith("F6") ? 6 : 8;
}

/** Bits of an element in the bytes of another format: only bool is stored otherwise than here. */
export function foreignBits(type: ElementTypeName): number {
  return type === "bool" ? 8 : elementTypeNamed(type).bits;
}
