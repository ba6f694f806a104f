import { type Bound, wide } from "../../bounds.js";

/** The bounds of what no host computes exactly. */
export function ofUlp(ulp: number, of: string): { readonly bound: Bound; readonly exactBound: Bound } {
  return { bound: { rule: "ulp", ulp }, exactBound: wide(of, { constant: 2 * ulp }) };
}

/** The bounds of the transcendental functions. */
export function ofTwoUlp(of: string): { readonly bound: Bound; readonly exactBound: Bound } {
  return ofUlp(2, of);
}
