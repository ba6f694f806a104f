import { bounded, type DType, isFloat, roundTo, smallestOf, ulpOf, unitRoundoff, type Value } from "./values.js";

/**
 * How far an element of a conforming kernel may be from the reference. Integers are always exact, NaN stays NaN, and
 * an infinity the same infinity, whatever the bound.
 *
 * @since 0.1.0
 */
export type Bound = RoundedBound | UlpBound | AccumulatedBound;

/** The exact result, rounded once: one bit pattern, the sign of zero included. @since 0.1.0 */
export interface RoundedBound {
  readonly rule: "rounded";
}

/** A number of units in the last place of the element's dtype. @since 0.1.0 */
export interface UlpBound {
  readonly rule: "ulp";
  readonly ulp: number;
}

/**
 * `½ ulp + (constant + perTerm·n + perDoubling·⌈log2 n⌉ + perDistance·d)·u·magnitude`: the roundings of a computation
 * of n terms, and that of the result.
 * @since 0.1.0
 */
export interface AccumulatedBound {
  readonly rule: "accumulated";
  readonly constant: number;
  readonly perTerm: number;
  readonly perDoubling: number;
  /** The same as `perTerm`, in float64: no wider number is at hand there. */
  readonly perTermOfFloat64: number;
  readonly perDistance: number;
  /** What the magnitude is, for the text. */
  readonly of: string;
  /** What `d` is, where there is one. */
  readonly distance: string;
  /** `u` is the unit roundoff of the dtype, of float32 for 16-bit floats; or that of float64 (exact sets). */
  readonly precision: "dtype" | "float64";
}

/** What the reference knows of one element beside its value; see {@link AccumulatedBound}. */
export interface Facts {
  readonly terms: number;
  readonly magnitude: number;
  readonly distance: number;
}

/** One right answer, to the bit. */
export const ROUNDED: Bound = { rule: "rounded" };

/** What a bound counts; what is left out counts nothing. */
type Counts = Partial<Omit<AccumulatedBound, "rule" | "of">>;

/**
 * The bound of a kernel that adds up. Sums of float32 are wider than float32 or pairwise, so that a large term does not
 * swallow the small ones (field case 17); products of matrices may be summed one after another in their own dtype.
 */
export function accumulated(of: string, counts: Counts): Bound {
  const none = { constant: 0, perTerm: 0, perDoubling: 0, perDistance: 0, distance: "", precision: "dtype" } as const;
  return { rule: "accumulated", ...none, perTermOfFloat64: counts.perTerm ?? 0, ...counts, of };
}

/** The bound of an exact kernel (D8): everything in float64, rounded once. */
export function wide(of: string, counts: Counts): Bound {
  return accumulated(of, { ...counts, precision: "float64" });
}

function precisionOf(bound: AccumulatedBound, dtype: DType): DType {
  if (bound.precision === "float64" || dtype === "float64") return "float64";
  return "float32";
}

function factorOf(bound: AccumulatedBound, dtype: DType, facts: Facts): number {
  const perTerm = dtype === "float64" ? bound.perTermOfFloat64 : bound.perTerm;
  const doublings = facts.terms > 1 ? Math.ceil(Math.log2(facts.terms)) : 0;
  const distance = bound.perDistance === 0 ? 0 : bound.perDistance * facts.distance;
  return bound.constant + perTerm * facts.terms + bound.perDoubling * doublings + distance;
}

/** Tells whether an element keeps to a bound. `expected` is the reference, not yet rounded to the dtype. */
export function keepsTo(bound: Bound, dtype: DType, got: Value, expected: Value, facts: Facts): boolean {
  if (!isFloat(dtype)) return got === expected;
  const value = got as number;
  const reference = expected as number;
  if (Number.isNaN(reference) || Number.isNaN(value)) return Number.isNaN(reference) && Number.isNaN(value);
  const rounded = roundTo(dtype, reference);
  if (Object.is(value, rounded)) return true;
  if (bound.rule === "rounded") return false;
  // A zero of the wrong sign is wrong where the sign says something: nothing was cancelled or lost.
  if (reference === 0 && value === 0) return bound.rule === "accumulated" && bound.precision === "dtype";
  if (!Number.isFinite(reference)) return false;
  const error = Math.abs(bounded(dtype, value) - bounded(dtype, reference));
  return error <= allowed(bound, dtype, reference, facts);
}

function allowed(bound: UlpBound | AccumulatedBound, dtype: DType, reference: number, facts: Facts): number {
  const ulp = ulpOf(dtype, reference);
  // The reference is computed in float64 itself, with an error of up to one ulp of that.
  if (bound.rule === "ulp") return (bound.ulp + (dtype === "float64" ? 1 : 0)) * ulp;
  const precision = precisionOf(bound, dtype);
  const factor = factorOf(bound, dtype, facts);
  const lost = (facts.terms + bound.constant) * smallestOf(precision);
  return ulp / 2 + factor * unitRoundoff(precision) * facts.magnitude + lost;
}

/** Says what a bound allows one element, for the text of a failure. */
export function showBound(bound: Bound, dtype: DType, expected: Value, facts: Facts): string {
  if (!isFloat(dtype)) return "exact";
  if (bound.rule === "rounded") return "the exact result, rounded once";
  const reference = expected as number;
  if (!Number.isFinite(reference)) return "exactly this";
  const limit = allowed(bound, dtype, reference, facts);
  if (bound.rule === "ulp") return `${bound.ulp} ulp, |error| <= ${limit}`;
  const perTerm = dtype === "float64" ? bound.perTermOfFloat64 : bound.perTerm;
  const counts = [
    String(bound.constant),
    ...(perTerm === 0 ? [] : [`${perTerm}·n`]),
    ...(bound.perDoubling === 0 ? [] : [`${bound.perDoubling}·⌈log2 n⌉`]),
    ...(bound.perDistance === 0 ? [] : [`${bound.perDistance}·(${bound.distance})`]),
  ].join(" + ");
  const precision = precisionOf(bound, dtype);
  return `½ ulp + (${counts})·u·(${bound.of}), u of ${precision}, n = ${facts.terms}: |error| <= ${limit}`;
}
