import { describe } from "@sw/layout";
import { TensorValueError } from "./errors.js";

/** The element types of a tensor. Names are lower case and sized. @since 0.1.0 */
export type DType =
  | "float32"
  | "uint8"
  | "int8"
  | "uint16"
  | "int16"
  | "int32"
  | "int64"
  | "bool"
  | "float16"
  | "float64"
  | "uint32"
  | "uint64"
  | "bfloat16";

/**
 * The typed array that holds each dtype's elements in memory. The 16-bit floats
 * are bit patterns in a `Uint16Array` (D7); `bool` is one byte, 0 or 1.
 * @since 0.1.0
 */
export interface ArrayOf {
  float32: Float32Array;
  uint8: Uint8Array;
  int8: Int8Array;
  uint16: Uint16Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  bool: Uint8Array;
  float16: Uint16Array;
  float64: Float64Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  bfloat16: Uint16Array;
}

/** The typed arrays that tensors are made of. @since 0.1.0 */
export type TypedArray = ArrayOf[DType];

/** What one element reads as in JavaScript. @since 0.1.0 */
export type ValueOf<D extends DType> = D extends "int64" | "uint64" ? bigint : D extends "bool" ? boolean : number;

/** The family a dtype belongs to; `int` is signed, `uint` unsigned. @since 0.1.0 */
export type DTypeKind = "float" | "int" | "uint" | "bool";

/** What is known of a dtype. @since 0.1.0 */
export interface DTypeInfo<D extends DType = DType> {
  readonly name: D;
  /** The ONNX `TensorProto.DataType` code (OneModel section 2). */
  readonly onnx: number;
  /** Bytes of one element. */
  readonly byteLength: number;
  readonly kind: DTypeKind;
  /** The constructor of the typed array that holds it. */
  readonly array: {
    readonly BYTES_PER_ELEMENT: number;
    new (length: number): ArrayOf[D];
    new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): ArrayOf[D];
  };
}

/** Every dtype with its ONNX code, width and array (OneModel section 2). @since 0.1.0 */
export const DTYPES: { readonly [D in DType]: DTypeInfo<D> } = {
  float32: { name: "float32", onnx: 1, byteLength: 4, kind: "float", array: Float32Array },
  uint8: { name: "uint8", onnx: 2, byteLength: 1, kind: "uint", array: Uint8Array },
  int8: { name: "int8", onnx: 3, byteLength: 1, kind: "int", array: Int8Array },
  uint16: { name: "uint16", onnx: 4, byteLength: 2, kind: "uint", array: Uint16Array },
  int16: { name: "int16", onnx: 5, byteLength: 2, kind: "int", array: Int16Array },
  int32: { name: "int32", onnx: 6, byteLength: 4, kind: "int", array: Int32Array },
  int64: { name: "int64", onnx: 7, byteLength: 8, kind: "int", array: BigInt64Array },
  bool: { name: "bool", onnx: 9, byteLength: 1, kind: "bool", array: Uint8Array },
  float16: { name: "float16", onnx: 10, byteLength: 2, kind: "float", array: Uint16Array },
  float64: { name: "float64", onnx: 11, byteLength: 8, kind: "float", array: Float64Array },
  uint32: { name: "uint32", onnx: 12, byteLength: 4, kind: "uint", array: Uint32Array },
  uint64: { name: "uint64", onnx: 13, byteLength: 8, kind: "uint", array: BigUint64Array },
  bfloat16: { name: "bfloat16", onnx: 16, byteLength: 2, kind: "float", array: Uint16Array },
};

/** The bytes of one element, for views: every one of them asks, and a lookup by name costs several times this. */
export function elementBytes(dtype: DType): number {
  switch (dtype) {
    case "float32":
    case "int32":
    case "uint32":
      return 4;
    case "float64":
    case "int64":
    case "uint64":
      return 8;
    case "float16":
    case "bfloat16":
    case "int16":
    case "uint16":
      return 2;
    default:
      return 1;
  }
}

/** ONNX element types that tensors do not have, by code (OneModel section 2). */
const REFUSED_ONNX: { readonly [code: number]: string } = {
  0: "UNDEFINED",
  8: "STRING",
  14: "COMPLEX64",
  15: "COMPLEX128",
  17: "FLOAT8E4M3FN",
  18: "FLOAT8E4M3FNUZ",
  19: "FLOAT8E5M2",
  20: "FLOAT8E5M2FNUZ",
  21: "UINT4",
  22: "INT4",
  23: "FLOAT4E2M1",
  24: "FLOAT8E8M0",
  25: "UINT2",
  26: "INT2",
  27: "FLOAT6E2M3",
  28: "FLOAT6E3M2",
};

/** Tells whether a value names a dtype. @since 0.1.0 */
export function isDType(value: unknown): value is DType {
  return typeof value === "string" && Object.hasOwn(DTYPES, value);
}

/**
 * Finds the dtype of an ONNX `TensorProto.DataType` code.
 *
 * @throws TypeError for what is no integer; TensorValueError `SW_TENSOR_ONNX_TYPE` for a code that no tensor has: the
 * message names the type.
 * @since 0.1.0
 */
export function dtypeFromOnnx(code: number): DType {
  if (!Number.isInteger(code)) {
    throw new TypeError(`dtypeFromOnnx: the code is no integer: got ${describe(code)}, expected an integer.`);
  }
  for (const info of Object.values(DTYPES)) {
    if (info.onnx === code) return info.name;
  }
  const name = REFUSED_ONNX[code];
  throw new TensorValueError(
    "SW_TENSOR_ONNX_TYPE",
    name === undefined
      ? `dtypeFromOnnx: no such ONNX element type: got code ${code}, expected one of 1 to 7, 9 to 13, 16.`
      : `dtypeFromOnnx: tensors do not have the ONNX element type ${name}: got code ${code}, expected one of 1 to 7, 9 to 13, 16.`,
    { given: code },
  );
}

/**
 * Checks that a value names a dtype.
 *
 * @throws TypeError when it does not.
 */
export function checkDType(operation: string, value: unknown): asserts value is DType {
  if (isDType(value)) return;
  throw new TypeError(
    `${operation}: unknown dtype: got ${describe(value)}, expected one of ${Object.keys(DTYPES).join(", ")}.`,
  );
}
