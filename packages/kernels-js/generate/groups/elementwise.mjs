// Element-wise loops, of the formulas.
import { BINARY, COMPARISONS, TERNARY, UNARY } from "../formulas.mjs";
import { rowsOf } from "../rows-of.mjs";

export const title = "Element-wise rows.";

export function family() {
  return rowsOf([...BINARY, ...COMPARISONS, ...UNARY, ...TERNARY]);
}
