import type { DType } from "../dtype.js";

/** What the memory of a part holds: a dtype, or an element of a file format that no tensor has. @since 0.1.0 */
export type StorageDType = DType | "int4" | "uint4" | "float4_e2m1" | "float8_e8m0";

/** What is known of a storage dtype. @since 0.1.0 */
export interface StorageInfo {
  /** Bits of one element. Below 8 they are packed, lowest bits first. */
  readonly bits: number;
  /** The value of each bit pattern, where no typed array says it. */
  readonly decode?: Float32Array;
}

const MAGNITUDES: readonly number[] = [0, 0.5, 1, 1.5, 2, 3, 4, 6];

/** Powers of two; the patterns 0x00 and 0xFF stand for nothing. */
function powerOfTwo(pattern: number): number {
  return pattern === 0 || pattern === 255 ? Number.NaN : 2 ** (pattern - 127);
}

/** Every storage dtype: those of tensors, and the packed and scaling formats of quantised values. @since 0.1.0 */
export const STORAGE: { readonly [S in StorageDType]: StorageInfo } = {
  float32: { bits: 32 },
  uint8: { bits: 8 },
  int8: { bits: 8 },
  uint16: { bits: 16 },
  int16: { bits: 16 },
  int32: { bits: 32 },
  int64: { bits: 64 },
  bool: { bits: 8 },
  float16: { bits: 16 },
  float64: { bits: 64 },
  uint32: { bits: 32 },
  uint64: { bits: 64 },
  bfloat16: { bits: 16 },
  int4: {
    bits: 4,
    decode: /* @__PURE__ */ Float32Array.from({ length: 16 }, (_, code) => (code < 8 ? code : code - 16)),
  },
  uint4: { bits: 4, decode: /* @__PURE__ */ Float32Array.from({ length: 16 }, (_, code) => code) },
  float4_e2m1: {
    bits: 4,
    decode: /* @__PURE__ */ Float32Array.from([...MAGNITUDES, ...MAGNITUDES.map((magnitude) => -magnitude)]),
  },
  float8_e8m0: { bits: 8, decode: /* @__PURE__ */ Float32Array.from({ length: 256 }, (_, code) => powerOfTwo(code)) },
};

/** Tells whether a value names a storage dtype. @since 0.1.0 */
export function isStorageDType(value: unknown): value is StorageDType {
  return typeof value === "string" && Object.hasOwn(STORAGE, value);
}
