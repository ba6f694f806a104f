import { rowMajorLeaves } from "./axis-leaves.js";
import { isContiguous } from "./bounds.js";
import { LayoutError } from "./errors.js";
import { checkedSize, checkReach, firstModeFastest, type Layout, requireLayout, trusted } from "./layout.js";
import { copied } from "./lists.js";
import { copyShape, copyStride, formatTree, type IntTree, isFlat, leaves, type Shape, type Stride } from "./tree.js";

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
export function strided(shape: Shape, strides: Stride, operation = "strided"): Layout {
  const extentTree = copyShape(operation, shape);
  const strideTree = copyStride(operation, strides);
  return trusted(extentTree, strideTree, checkReach(operation, extentTree, strideTree));
}

/**
 * Makes the compact layout whose leaves are fastest in the order of given numbers, smallest first (LA-10).
 *
 * The order has the form of the shape; a number that stands for a whole nested mode orders it as a block, first mode
 * fastest. Equal numbers keep the order of the leaves. Only their order counts, so any integers do.
 *
 * @throws TypeError, LayoutError as `layout`; `SW_LAYOUT_INCONGRUENT` when the order has another form.
 * @example
 * ```ts
 * import { ordered } from "@sw/layout/algebra";
 * console.log(String(ordered([2, 3, 4], [1, 2, 0])), String(ordered([2, [3, 4]], [1, 0]))); // (2,3,4):(4,8,1) (2,(3,4)):(12,(1,3))
 * ```
 * @since 0.1.0
 */
export function ordered(shape: Shape, order: Stride): Layout {
  return orderedFor("ordered", shape, order);
}

/** Does what `ordered` does, in the name of the operation that was called. */
export function orderedFor(operation: string, shape: Shape, order: Stride): Layout {
  const extentTree = copyShape(operation, shape);
  const orderTree = copyStride(operation, order);
  const size = checkedSize(operation, extentTree);
  const ranks: number[] = [];
  if (!pushRanks(extentTree, orderTree, ranks)) {
    const problem = `the order has another form than the shape: got ${formatTree(orderTree)}, expected the form of ${formatTree(extentTree)}.`;
    throw new LayoutError("SW_LAYOUT_INCONGRUENT", operation, problem, { shape: extentTree, stride: orderTree });
  }
  const extentLeaves = leaves(extentTree);
  const fastestFirst = ranks.map((_, leaf) => leaf).sort((a, b) => ranks[a]! - ranks[b]!);
  const compact = copied(ranks); // every entry is overwritten
  let next = 1;
  for (const leaf of fastestFirst) {
    compact[leaf] = next;
    next *= extentLeaves[leaf]!;
  }
  return trusted(extentTree, refill(extentTree, compact, { next: 0 }), size);
}

/** Lists the rank of each leaf of a shape; false when the order has another form. */
function pushRanks(shape: IntTree, order: IntTree, out: number[]): boolean {
  if (typeof order === "number") {
    const count = typeof shape === "number" ? 1 : leaves(shape).length;
    for (let i = 0; i < count; i++) out.push(order);
    return true;
  }
  if (typeof shape === "number" || shape.length !== order.length) return false;
  for (let i = 0; i < shape.length; i++) if (!pushRanks(shape[i]!, order[i]!, out)) return false;
  return true;
}

/** Gives the leaves of a tree new numbers, depth-first. */
function refill(tree: readonly IntTree[], list: readonly number[], cursor: { next: number }): IntTree[] {
  return tree.map((mode) => (typeof mode === "number" ? list[cursor.next++]! : refill(mode, list, cursor)));
}

/**
 * Makes the compact layout with the shape, the nest and the order of strides of another: NumPy's K order (D15).
 *
 * Leaves keep their order by |stride|; leaves that have none to speak of (stride 0, extent 1) keep their row-major
 * place. A contiguous layout is returned itself.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function compactLike(l: Layout): Layout {
  requireLayout("compactLike", l);
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
  const out = copied(mode); // every entry is overwritten
  for (let i = mode.length - 1; i >= 0; i--) out[i] = nestAxis(mode[i]!, list, cursor);
  return out;
}
