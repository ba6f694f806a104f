import { type Bound, type Facts, keepsTo, showBound } from "../bounds.js";
import type { FailureFacts } from "../errors.js";
import { coordinateOf } from "../operands/placing.js";
import { type DType, showValue, type Value } from "../values.js";
import type { Expected } from "./sample.js";

/** What an output is compared with. */
export interface Comparison {
  readonly bound: Bound;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly expected: Expected;
}

/** The first element that is wrong, in words and in facts. */
export interface Wrong {
  readonly problem: string;
  readonly facts: FailureFacts;
}

function factsOf(expected: Expected, i: number): Facts {
  const size = Math.abs(Number(expected.values[i]!));
  return {
    terms: expected.terms ?? 1,
    magnitude: expected.magnitudes?.[i] ?? size,
    distance: expected.distances?.[i] ?? 0,
  };
}

/** Compares an output's elements, row-major, with what is expected of them. */
export function compareOutput({ bound, dtype, shape, expected }: Comparison, got: readonly Value[]): Wrong | undefined {
  for (let i = 0; i < got.length; i++) {
    const facts = factsOf(expected, i);
    const value = got[i]!;
    const reference = expected.values[i]!;
    if (keepsTo(bound, dtype, value, reference, facts)) continue;
    const shown = {
      coordinate: coordinateOf(shape, i),
      got: showValue(value),
      expected: showValue(reference),
      bound: showBound(bound, dtype, reference, facts),
    };
    const at = shown.coordinate.join(",");
    return {
      problem: `is wrong at [${at}]: got ${shown.got}, expected ${shown.expected} (bound: ${shown.bound}).`,
      facts: shown,
    };
  }
  return undefined;
}
