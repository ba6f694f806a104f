import { sizeOf } from "../operands/placing.js";
import type { Value } from "../values.js";
import { type KernelModel, lengths, range } from "./model.js";
import type { Plan } from "./sample.js";

/** Extents of the kernels over one axis: a problem is `[...outer, axis]`. */
export function oneAxis(): Pick<KernelModel, "problems" | "sizes" | "ones" | "empty" | "small" | "randomProblem"> {
  return {
    problems: [[6], [3, 7], [2, 3, 4], [2, 1, 3, 5]],
    sizes: [
      ...lengths().map((n) => [n]),
      ...range(1, 40).flatMap((n) => [
        [3, n],
        [n, 3],
      ]),
    ],
    ones: [[1], [3, 1], [1, 3], [1, 1, 1]],
    empty: [],
    small: [...range(1, 9).map((n) => [n]), [17], [2, 5], [5, 2]],
    randomProblem: (source) => Array.from({ length: source.integer(1, 4) }, () => source.integer(1, 6)),
  };
}

/** Cuts a plan's values into the rows of its last axis. */
export function rowsOf(plan: Plan): readonly (readonly Value[])[] {
  const { shape } = plan.placement;
  const n = shape[shape.length - 1]!;
  return Array.from({ length: sizeOf(shape.slice(0, -1)) }, (_, i) => plan.values!.slice(i * n, (i + 1) * n));
}
