import { rowMajorLeaves } from "./axis-leaves.js";
import { isContiguous } from "./bounds.js";
import { checkedSize, checkReach, firstModeFastest, type Layout, trusted } from "./layout.js";
import { copied } from "./lists.js";
import { copyShape, copyStride, type IntTree, isFlat, type Shape, type Stride } from "./tree.js";

/**
 * Makes the compact layout with the last axis fastest; within a nested axis the first leaf is fastest (D1).
 *
 * @throws TypeError, LayoutError as `layout`.
 * @example
 * ```ts
 * import { rowMajor } from "@sw/layout";
 * console.log(String(rowMajor([3, 4])), String(rowMajor([3, [2, 2]]))); // (3,4):(4,1) (3,(2,2)):(4,(1,2))
 * ```
 * @since 0.1.0
 */
export function rowMajor(shape: Shape): Layout {
  const extentTree = copyShape("rowMajor", shape);
  const size = checkedSize("rowMajor", extentTree);
  const stride = copied(extentTree); // every entry is overwritten
  let next = 1;
  for (let i = extentTree.length - 1; i >= 0; i--) {
    const mode = extentTree[i]!;
    if (typeof mode === "number") {
      stride[i] = next;
      next *= mode;
    } else {
      const state = { next };
      stride[i] = firstModeFastest(mode, state);
      next = state.next;
    }
  }
  return trusted(extentTree, stride, size);
}

/**
 * Makes the compact layout with the first mode fastest at every level, as `layout(shape)` does, without freezing it.
 *
 * @throws TypeError, LayoutError as `layout`.
 * @since 0.1.0
 */
export function columnMajor(shape: Shape): Layout {
  const extentTree = copyShape("columnMajor", shape);
  const size = checkedSize("columnMajor", extentTree);
  return trusted(extentTree, firstModeFastest(extentTree, { next: 1 }), size);
}

/**
 * Makes a layout of given strides, in elements, as `layout(shape, stride)` does, without freezing it.
 *
 * @throws TypeError, LayoutError as `layout`.
 * @since 0.1.0
 */
export function strided(shape: Shape, strides: Stride): Layout {
  const extentTree = copyShape("strided", shape);
  const strideTree = copyStride("strided", strides);
  return trusted(extentTree, strideTree, checkReach("strided", extentTree, strideTree));
}

/**
 * Makes the compact layout with the shape, the nest and the order of strides of another: NumPy's K order (D15).
 *
 * Leaves keep their order by |stride|; leaves that have none to speak of (stride 0, extent 1) keep their row-major
 * place. A contiguous layout is returned itself.
 *
 * @since 0.1.0
 */
export function compactLike(l: Layout): Layout {
  if (isContiguous(l)) return l;
  const { extents, strides } = rowMajorLeaves(l);
  // order: positions in the row-major list, outermost first
  const order: number[] = [];
  const compact: number[] = [];
  for (let i = 0; i < extents.length; i++) {
    const place = placeOf(i, order, extents, strides);
    order.push(i);
    for (let k = i; k > place; k--) order[k] = order[k - 1]!;
    order[place] = i;
    compact.push(0);
  }
  let next = 1;
  for (let k = order.length - 1; k >= 0; k--) {
    compact[order[k]!] = next;
    next *= extents[order[k]!]!;
  }
  return trusted(l.shape, isFlat(l.shape) ? compact : nestAxes(l.shape, compact), next);
}

/** Where leaf i belongs among those placed: before the outermost one that it clearly outweighs. */
function placeOf(i: number, order: readonly number[], extents: readonly number[], strides: readonly number[]): number {
  const mine = extents[i] === 1 ? 0 : Math.abs(strides[i]!);
  let place = order.length;
  if (mine === 0) return place;
  for (let k = order.length - 1; k >= 0; k--) {
    const other = extents[order[k]!] === 1 ? 0 : Math.abs(strides[order[k]!]!);
    if (other === 0) continue;
    if (other >= mine) break;
    place = k;
  }
  return place;
}

/** Puts strides listed as `rowMajorLeaves` lists them back into the nests of a shape. */
function nestAxes(shape: Shape, list: readonly number[]): IntTree[] {
  const cursor = { next: 0 };
  const out: IntTree[] = [];
  for (let i = 0; i < shape.length; i++) out.push(nestAxis(shape[i]!, list, cursor));
  return out;
}

function nestAxis(mode: IntTree, list: readonly number[], cursor: { next: number }): IntTree {
  if (typeof mode === "number") return list[cursor.next++]!;
  const out: IntTree[] = [];
  for (let i = mode.length - 1; i >= 0; i--) out.unshift(nestAxis(mode[i]!, list, cursor));
  return out;
}
