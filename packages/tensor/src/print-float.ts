import { float32ToHalf, halfToNumber } from "./convert/half.js";
import { type Decimal, type FloatDType, roundedDecimal, roundedPlaces, shortestDecimal } from "./decimal.js";

/** The two sides of the decimal point, sign on the left. */
interface Sides {
  readonly whole: string;
  readonly fraction: string;
}

/** Numbers that stand together, each with its digits: the shortest, or `precision` of them. */
type Notation = (values: readonly number[], dtype: FloatDType, precision: number) => readonly string[];

/** Formats numbers that stand together: one notation, one width, points aligned (NumPy's `maxprec`). */
export function formatFloats(
  values: readonly number[],
  dtype: FloatDType,
  precision: number,
  suppressSmall: boolean,
): readonly string[] {
  return (needsExponent(values, dtype, suppressSmall) ? inScientific : inPositional)(values, dtype, precision);
}

/** Formats a number that stands alone, with all digits that tell it from its neighbours. */
export function formatFloat(x: number, dtype: FloatDType): string {
  if (!Number.isFinite(x)) return nonFinite(x);
  const a = Math.abs(x);
  const shortest = shortestDecimal(a, dtype);
  if (x === 0 || (a >= 1e-4 && a < 1e16)) {
    const { whole, fraction } = positional(x, shortest);
    return `${whole}.${fraction === "" ? "0" : fraction}`;
  }
  const fraction = shortest.digits.slice(1);
  return `${sign(x)}${shortest.digits[0]}${fraction === "" ? "" : "."}${fraction}e${exponentText(shortest.exponent, 2)}`;
}

/** NumPy's test for scientific notation, on what is finite and not zero; the ratio is rounded to the dtype. */
function needsExponent(values: readonly number[], dtype: FloatDType, suppressSmall: boolean): boolean {
  let most = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const x of values) {
    const a = Math.abs(x);
    if (a === 0 || !Number.isFinite(a)) continue;
    most = Math.max(most, a);
    least = Math.min(least, a);
  }
  if (most === 0) return false;
  return most >= 1e8 || (!suppressSmall && (least < 1e-4 || ratio(most, least, dtype) > 1000));
}

function ratio(most: number, least: number, dtype: FloatDType): number {
  if (dtype === "float64") return most / least;
  const narrow = Math.fround(most / least);
  return dtype === "float16" ? halfToNumber(float32ToHalf(narrow)) : narrow;
}

const inPositional: Notation = (values, dtype, precision) => {
  const sides = values.map((x): Sides | undefined => {
    if (!Number.isFinite(x)) return undefined;
    const shortest = shortestDecimal(Math.abs(x), dtype);
    const places = shortest.digits.length - 1 - shortest.exponent;
    // Digits in front of the point are always those of the value, also where fewer would tell it apart.
    const kept = Math.min(Math.max(places, 0), precision);
    return positional(x, places === kept ? shortest : roundedPlaces(Math.abs(x), kept));
  });
  return align(values, sides, (side, right) => side.fraction.padEnd(right));
};

const inScientific: Notation = (values, dtype, precision) => {
  let places = 0;
  let exponentDigits = 2;
  for (const x of values) {
    if (!Number.isFinite(x)) continue;
    const shortest = shortestDecimal(Math.abs(x), dtype);
    const cut = shortest.digits.length - 1 <= precision ? shortest : roundedDecimal(Math.abs(x), precision);
    places = Math.max(places, cut.digits.length - 1);
    exponentDigits = Math.max(exponentDigits, String(Math.abs(cut.exponent)).length);
  }
  const sides = values.map((x): Sides | undefined => {
    if (!Number.isFinite(x)) return undefined;
    const shortest = shortestDecimal(Math.abs(x), dtype);
    const exact = shortest.digits.length - 1 === places;
    const { digits, exponent } = exact ? shortest : roundedDecimal(Math.abs(x), places);
    const fraction = digits.slice(1).padEnd(places, "0");
    return { whole: sign(x) + digits[0], fraction: `${fraction}e${exponentText(exponent, exponentDigits)}` };
  });
  return align(values, sides, (side) => side.fraction);
};

/** Puts the points below each other; what has no point stands at the right end. */
function align(
  values: readonly number[],
  sides: readonly (Sides | undefined)[],
  finish: (side: Sides, right: number) => string,
): readonly string[] {
  let left = 0;
  let right = 0;
  for (const side of sides) {
    if (side === undefined) continue;
    left = Math.max(left, side.whole.length);
    right = Math.max(right, side.fraction.length);
  }
  for (let k = 0; k < values.length; k++) {
    // Room for the point is there in any case.
    if (sides[k] === undefined) left = Math.max(left, nonFinite(values[k]!).length - right - 1);
  }
  return sides.map((side, k) =>
    side === undefined
      ? nonFinite(values[k]!).padStart(left + right + 1)
      : `${side.whole.padStart(left)}.${finish(side, right)}`,
  );
}

function positional(x: number, { digits, exponent }: Decimal): Sides {
  if (exponent < 0) return { whole: `${sign(x)}0`, fraction: digits === "0" ? "" : "0".repeat(-exponent - 1) + digits };
  return {
    whole: sign(x) + digits.slice(0, exponent + 1).padEnd(exponent + 1, "0"),
    fraction: digits.slice(exponent + 1),
  };
}

function sign(x: number): string {
  return x < 0 || Object.is(x, -0) ? "-" : "";
}

function exponentText(exponent: number, digits: number): string {
  return (exponent < 0 ? "-" : "+") + String(Math.abs(exponent)).padStart(digits, "0");
}

function nonFinite(x: number): string {
  return Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
}
