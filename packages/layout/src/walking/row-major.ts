import { rowMajorLeaves } from "../axis-leaves.js";
import { unsafe } from "../errors.js";
import { type Layout, requireLayout } from "../layout.js";
import { adjacentOf } from "./nest.js";
import { runsOf } from "./runs.js";

/**
 * Walks the indices of a layout in row-major order; within a nested axis the first leaf is the fastest.
 *
 * An odometer by adjacent strides: each step is one addition, without a multiplication per element.
 *
 * @example
 * ```ts
 * import { columnMajor } from "@sw/layout";
 * import { rowMajorIndices } from "@sw/layout/walk";
 * console.log([...rowMajorIndices(columnMajor([2, 3]))]); // [ 0, 2, 4, 1, 3, 5 ]
 * ```
 * @since 0.1.0
 */
export function* rowMajorIndices(l: Layout): Generator<number, void, undefined> {
  const runs = runsOf("rowMajorIndices", [l], { order: "rowMajor" });
  while (runs.next()) {
    const step = runs.steps[0]!;
    let index = runs.starts[0]!;
    yield index;
    for (let i = 1; i < runs.count; i++) {
      index += step;
      yield index;
    }
  }
}

/**
 * Gives, for each loop of a row-major walk, what the index changes by when that loop steps and all loops inside it
 * start over: Candela's `adj_stride`, outermost loop first, extents of 1 included.
 *
 * The loops are the axes; a nested axis has one for each leaf, the last leaf outermost. An empty layout is never
 * walked: it gives zeros.
 *
 * @throws LayoutError `SW_LAYOUT_UNSAFE_INTEGER`, which only the stride of an extent-1 leaf can bring about.
 * @example
 * ```ts
 * import { rowMajor, strided } from "@sw/layout";
 * import { adjacentStrides } from "@sw/layout/walk";
 * console.log(adjacentStrides(rowMajor([3, 4])), adjacentStrides(strided([4, 3], [1, 4]))); // [ 1, 1 ] [ -7, 4 ]
 * ```
 * @since 0.1.0
 */
export function adjacentStrides(l: Layout): number[] {
  requireLayout("adjacentStrides", l);
  const { extents, strides } = rowMajorLeaves(l);
  if (l.size === 0) return extents.map(() => 0);
  const out = adjacentOf(extents, strides);
  for (const adjacent of out) {
    if (!Number.isSafeInteger(adjacent)) throw unsafe("adjacentStrides", "an adjacent stride", adjacent, { layout: l });
  }
  return out;
}

/**
 * Tells whether some step of a row-major walk goes backwards along a loop whose stride is not 0: Candela's
 * `is_transposed`. Reversed axes count, and so do strides of extent-1 leaves; repeating by stride 0 alone does not.
 *
 * It is a hint for choosing a path, no property of the function: ask `isContiguous` or `isDense` for those.
 *
 * @example
 * ```ts
 * import { strided } from "@sw/layout";
 * import { isTransposed } from "@sw/layout/walk";
 * console.log(isTransposed(strided([4, 3], [1, 4])), isTransposed(strided([3, 4], [0, 1]))); // true false
 * ```
 * @since 0.1.0
 */
export function isTransposed(l: Layout): boolean {
  requireLayout("isTransposed", l);
  const { extents, strides } = rowMajorLeaves(l);
  return l.size > 0 && adjacentOf(extents, strides).some((adjacent, d) => adjacent < 0 && strides[d] !== 0);
}
