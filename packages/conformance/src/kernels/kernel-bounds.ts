import type { AccumulatedBound, Bound } from "../bounds.js";
import { kernelModels } from "./models.js";

/**
 * How far a conforming kernel may be from the exact result, in words.
 *
 * @since 0.1.0
 */
export interface KernelBound {
  readonly kernel: string;
  /** Of floats; integers and bool are always exact. */
  readonly bound: string;
}

/**
 * Lists the bounds that the cases of `kernelKit` hold a backend to, by kernel: for documentation. `u` is the unit roundoff
 * of the dtype, of float32 for 16-bit floats, and n the number of terms.
 *
 * @since 0.1.0
 */
export function kernelBounds(): readonly KernelBound[] {
  const found = new Map<string, string>();
  for (const { spec, bound } of kernelModels()) {
    const text = describeBound(bound);
    const known = found.get(spec.kind);
    found.set(spec.kind, known === undefined || known === text ? text : `${known}; ${text}`);
  }
  return [...found].map(([kernel, bound]) => ({ kernel, bound }));
}

function describeBound(bound: Bound): string {
  if (bound.rule === "rounded") return "the exact result, rounded once";
  if (bound.rule === "ulp") return `${bound.ulp} ulp, ${bound.ulp + 1} of float64`;
  const { perTerm, perTermOfFloat64, of } = bound;
  const text = `½ ulp + ${countsOf(bound, perTerm)}·u·(${of})`;
  return perTermOfFloat64 === perTerm
    ? text
    : `${text}, of float64 ½ ulp + ${countsOf(bound, perTermOfFloat64)}·u·(${of})`;
}

function countsOf({ constant, perDoubling, perDistance, distance }: AccumulatedBound, perTerm: number): string {
  const times = (count: number, what: string) => (count === 0 ? [] : [count === 1 ? what : `${count}·${what}`]);
  const counts = [
    ...(constant === 0 ? [] : [String(constant)]),
    ...times(perTerm, "n"),
    ...times(perDoubling, "⌈log2 n⌉"),
    ...times(perDistance, `(${distance})`),
  ];
  return counts.length === 1 ? (counts[0] as string) : `(${counts.join(" + ")})`;
}
