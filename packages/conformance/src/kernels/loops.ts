import { type KernelModel, lengths, range } from "./model.js";

/** Extents of the kernels that compute an element of those at its coordinate: a problem is the shape of the loops. */
export function loops(): Pick<
  KernelModel,
  "problems" | "sizes" | "ones" | "empty" | "small" | "pointwise" | "randomProblem"
> {
  return {
    problems: [[7], [4, 5], [3, 9, 2], [2, 3, 1, 5]],
    sizes: [...lengths().map((n) => [n]), ...[3, 4, 5, 7, 8, 9, 16, 17].map((n) => [3, n])],
    ones: [[], [1], [1, 1], [1, 1, 1], [1, 5], [5, 1], [1, 6, 1]],
    empty: [],
    small: range(1, 9)
      .concat(15, 16, 17)
      .map((n) => [n]),
    pointwise: true,
    randomProblem: (source) => Array.from({ length: source.integer(0, 4) }, () => source.integer(1, 6)),
  };
}
