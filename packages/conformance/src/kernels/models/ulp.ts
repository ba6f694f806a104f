import { type Bound, wide } from "../../bounds.js";

/** The bounds of what no host computes exactly. */
export function ofUlp(ulp: number, of: string): { readonly bound: Bound; readonly exactBound: Bound } {
  return { bound: { rule: "ulp", ulp }, exactBound: wide(of, { constant: 2 * ulp }) };
}
