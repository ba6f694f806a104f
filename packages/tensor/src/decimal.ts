import { bfloat16ToNumber, numberToBfloat16 } from "./convert/bfloat16.js";
import { halfToNumber, numberToHalf } from "./convert/half.js";

/** The floating dtypes, which differ in how many digits tell two neighbours apart. */
export type FloatDType = "float32" | "float64" | "float16" | "bfloat16";

/** A number `d.ddd… × 10^exponent` without a sign; `digits` has no zeros at its end, except that of zero itself. */
export interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

/**
 * Finds the shortest decimal that reads back as the same value of the dtype, and the nearest of those.
 * `x` is a value of the dtype, finite and not negative.
 */
export function shortestDecimal(x: number, dtype: FloatDType): Decimal {
  const host = x.toExponential();
  const exponent = exponentOf(host);
  if (dtype === "float64" || x === 0) return decimal(host.slice(0, host.indexOf("e")).replace(".", ""), exponent);
  for (let fraction = 0; ; fraction++) {
    const position = exponent - fraction;
    let digits = roundAt(x, position);
    let read = Number(`${digits}e${position}`);
    if (read < x && roundTo(read, dtype) !== x) {
      // Just above a power of two the next value is twice as far as just below it: one decimal up may fit.
      digits += 1n;
      read = Number(`${digits}e${position}`);
    }
    if (roundTo(read, dtype) === x) return fromDigits(digits, position);
  }
}

/** Rounds the exact value to `fraction` digits after the first, ties to even. `x` is finite and not negative. */
export function roundedDecimal(x: number, fraction: number): Decimal {
  if (x === 0) return { digits: "0", exponent: 0 };
  const position = exponentOf(x.toExponential()) - fraction;
  return fromDigits(roundAt(x, position), position);
}

/** Rounds the exact value to `places` digits after the point, ties to even. `x` is finite and not negative. */
export function roundedPlaces(x: number, places: number): Decimal {
  const digits = roundAt(x, -places);
  return digits === 0n ? { digits: "0", exponent: 0 } : fromDigits(digits, -places);
}

/** The integer nearest to `x / 10^position`, ties to even, in exact arithmetic. */
function roundAt(x: number, position: number): bigint {
  let numerator = 1n;
  let denominator = 1n;
  let significand = x;
  // Scaling by two is exact, so this ends with the fraction gone; a float64 has at most 1074 bits of it.
  let shift = 0;
  while (!Number.isInteger(significand)) {
    significand *= 2;
    shift++;
  }
  numerator = BigInt(significand);
  denominator <<= BigInt(shift);
  if (position < 0) numerator *= 10n ** BigInt(-position);
  else denominator *= 10n ** BigInt(position);
  const quotient = numerator / denominator;
  const twice = 2n * (numerator - quotient * denominator);
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

function roundTo(x: number, dtype: FloatDType): number {
  if (dtype === "float32") return Math.fround(x);
  return dtype === "float16" ? halfToNumber(numberToHalf(x)) : bfloat16ToNumber(numberToBfloat16(x));
}

function fromDigits(digits: bigint, position: number): Decimal {
  const text = digits.toString();
  return decimal(text, position + text.length - 1);
}

function decimal(digits: string, exponent: number): Decimal {
  const trimmed = digits.replace(/0+$/, "");
  return { digits: trimmed === "" ? "0" : trimmed, exponent };
}

function exponentOf(text: string): number {
  return Number(text.slice(text.indexOf("e") + 1));
}
