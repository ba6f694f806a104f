import { rowMajorLeaves } from "./axis-leaves.js";
import type { Layout } from "./layout.js";

/**
 * Walks the indices of a layout in row-major order; within a nested axis the first leaf is the fastest.
 *
 * An odometer by adjacent strides: each step is one addition, without a multiplication per element.
 *
 * @example
 * ```ts
 * import { columnMajor, rowMajorIndices } from "@sw/layout";
 * console.log([...rowMajorIndices(columnMajor([2, 3]))]); // [ 0, 2, 4, 1, 3, 5 ]
 * ```
 * @since 0.1.0
 */
export function* rowMajorIndices(l: Layout): Generator<number, void, undefined> {
  if (l.size === 0) return;
  const { extents, strides } = rowMajorLeaves(l);
  const inner = extents.length - 1;
  if (inner < 0) {
    yield 0;
    return;
  }
  // adjacent[d]: what to add when loop d steps and all loops inside it start over
  const adjacent: number[] = [];
  const counter: number[] = [];
  for (let d = 0; d < inner; d++) {
    adjacent.push(0);
    counter.push(0);
  }
  const run = extents[inner]!;
  const step = strides[inner]!;
  let walked = step * (run - 1);
  for (let d = inner - 1; d >= 0; d--) {
    adjacent[d] = strides[d]! - walked;
    walked += strides[d]! * (extents[d]! - 1);
  }
  let index = 0;
  for (;;) {
    yield index;
    for (let i = 1; i < run; i++) {
      index += step;
      yield index;
    }
    let d = inner - 1;
    while (d >= 0 && counter[d] === extents[d]! - 1) counter[d--] = 0;
    if (d < 0) return;
    counter[d] = counter[d]! + 1;
    index += adjacent[d]!;
  }
}
