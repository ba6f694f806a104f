import type { ElementTypeName } from "../elements.js";
import { HurrayValueError } from "../errors.js";

/** What becomes of numbers that are too large for their type. @since 0.1.0 */
export type Overflow = "saturate" | "nan";

/** How the bits of a float of at most 16 bits are read: a sign, exponent bits, mantissa bits. */
export interface SmallFloat {
  readonly mantissaBits: number;
  readonly bias: number;
  /** The code of the largest finite number. */
  readonly largest: number;
  /** The code of +infinity, where there is one: every larger code is a NaN. */
  readonly infinity?: number;
  /** The code of a NaN, where there is one. */
  readonly nan?: number;
  /** The bit of the sign. */
  readonly sign: number;
}

const SMALL_FLOATS: { readonly [T in ElementTypeName]?: SmallFloat } = {
  float16: { mantissaBits: 10, bias: 15, largest: 0x7bff, infinity: 0x7c00, nan: 0x7e00, sign: 0x8000 },
  bfloat16: { mantissaBits: 7, bias: 127, largest: 0x7f7f, infinity: 0x7f80, nan: 0x7fc0, sign: 0x8000 },
  float8_e4m3: { mantissaBits: 3, bias: 7, largest: 0x7e, nan: 0x7f, sign: 0x80 },
  float8_e5m2: { mantissaBits: 2, bias: 15, largest: 0x7b, infinity: 0x7c, nan: 0x7e, sign: 0x80 },
  float4_e2m1: { mantissaBits: 1, bias: 1, largest: 7, sign: 8 },
  float6_e2m3: { mantissaBits: 3, bias: 1, largest: 0x1f, sign: 0x20 },
  float6_e3m2: { mantissaBits: 2, bias: 3, largest: 0x1f, sign: 0x20 },
};

/** The make-up of a small float with a sign; `undefined` for every other type. */
export function smallFloatOf(type: ElementTypeName): SmallFloat | undefined {
  return SMALL_FLOATS[type];
}

/** The number that a code means, exactly. */
export function decodeSmallFloat(float: SmallFloat, code: number): number {
  const { mantissaBits, sign } = float;
  const magnitude = code & (sign - 1);
  const signum = (code & sign) === 0 ? 1 : -1;
  if (magnitude > float.largest) return magnitude === float.infinity ? signum * Infinity : Number.NaN;
  const exponent = magnitude >> mantissaBits;
  const mantissa = magnitude & ((1 << mantissaBits) - 1);
  const digits = exponent === 0 ? mantissa : mantissa | (1 << mantissaBits);
  return signum * digits * 2 ** (Math.max(exponent, 1) - float.bias - mantissaBits);
}

/** A double and its halves, the high one second. */
const DOUBLE = new Float64Array(1);
const HALVES = new Int32Array(DOUBLE.buffer);

/** 2 ** exponent for exponents of normal doubles: several times as fast. */
function powerOfTwo(exponent: number): number {
  HALVES[0] = 0;
  HALVES[1] = (exponent + 1023) << 20;
  return DOUBLE[0]!;
}

/** The exponent of a positive double; −1023 for subnormal ones. */
function exponentOf(value: number): number {
  DOUBLE[0] = value;
  return ((HALVES[1]! >>> 20) & 0x7ff) - 1023;
}

/**
 * Rounds a number to a code, once: to nearest, ties to even.
 *
 * @throws RangeError `SW_HURRAY_VALUE` for a NaN that the type does not have.
 */
export function encodeSmallFloat(
  operation: string,
  type: ElementTypeName,
  float: SmallFloat,
  value: number,
  overflow: Overflow | undefined,
): number {
  const { mantissaBits, bias, largest } = float;
  if (Number.isNaN(value)) return nanOf(operation, type, float, value);
  const sign = value < 0 || Object.is(value, -0) ? float.sign : 0;
  const magnitude = Math.abs(value);
  // Below the smallest normal exponent the distance between codes stays what it is there.
  const exponent = Math.max(exponentOf(magnitude), 1 - bias);
  const digits = roundHalfEven(magnitude * powerOfTwo(mantissaBits - exponent));
  // A carry out of the mantissa is the next exponent, as codes go on counting.
  const code = magnitude === Infinity ? Infinity : ((exponent + bias - 1) << mantissaBits) + digits;
  if (code <= largest) return sign | code;
  if (overflow === "nan") return nanOf(operation, type, float, value);
  return sign | (overflow === "saturate" ? largest : (float.infinity ?? largest));
}

function nanOf(operation: string, type: ElementTypeName, float: SmallFloat, value: number): number {
  if (float.nan !== undefined) return float.nan;
  throw new HurrayValueError(operation, "numbers", `${type} has no NaN`, value, "a number");
}

/** The number of an e8m0 code, a power of two; NaN for the codes that no data may hold (R96). */
export function decodeE8m0(code: number): number {
  return code === 0 || code === 0xff ? Number.NaN : 2 ** (code - 127);
}

/** Rounds a positive number to the nearest power of two; halfway between two, to the one of even code. */
export function encodeE8m0(operation: string, value: number): number {
  if (value > 0 && value < Infinity) {
    const exponent = exponentOf(value);
    const above = value / 2 ** exponent;
    const code = exponent + 127 + (above > 1.5 || (above === 1.5 && exponent % 2 === 0) ? 1 : 0);
    if (code >= 1 && code <= 254) return code;
  }
  const expected = "a number from 2^-126 to 2^127";
  throw new HurrayValueError(operation, "numbers", "float8_e8m0 does not hold this number", value, expected);
}

/** Rounds a number from 0 to 2^51: what the sum with 2^52 has no place for is rounded. */
function roundHalfEven(value: number): number {
  return value + 2 ** 52 - 2 ** 52;
}
