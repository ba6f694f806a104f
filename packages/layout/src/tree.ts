import { describe, LayoutError, notAnInteger, safeInteger, unsafe } from "./errors.js";

/** A nested list of integers: a leaf is a number, a mode is a list. @since 0.1.0 */
export type IntTree = number | readonly IntTree[];
/** Extents of a layout; the top level is a list with one entry per axis. @since 0.1.0 */
export type Shape = readonly IntTree[];
/** Strides of a layout, in elements, of the same tree form as its shape. @since 0.1.0 */
export type Stride = readonly IntTree[];
/** A coordinate; at any level an integer stands for the whole subtree, first mode fastest (LA-21). @since 0.1.0 */
export type Coordinate = IntTree;

/** Deeper nests are refused, so that no recursion can exhaust the stack. */
export const MAX_DEPTH = 64;

/**
 * Lists the leaves of a tree depth-first: the first mode, which is the fastest, first. Allocates one list.
 *
 * @throws TypeError for what is neither a number nor a list of trees; LayoutError `SW_LAYOUT_DEPTH`.
 * @since 0.1.0
 */
export function leaves(tree: IntTree): number[] {
  const out: number[] = [];
  pushLeaves(tree, out, 0);
  return out;
}

/** Appends the leaves of a tree to a list. */
function pushLeaves(tree: IntTree, out: number[], depth: number): void {
  if (typeof tree === "number") {
    out.push(tree);
    return;
  }
  if (!Array.isArray(tree)) throw notATree("leaves", tree);
  if (depth === MAX_DEPTH) throw tooDeep("leaves", depth + 1);
  for (let i = 0; i < tree.length; i++) pushLeaves(tree[i]!, out, depth + 1);
}

/** Multiplies the leaves of a tree of which the product is known to be safe. */
export function treeSize(tree: IntTree): number {
  if (typeof tree === "number") return tree;
  let size = 1;
  for (let i = 0; i < tree.length; i++) size *= treeSize(tree[i]!);
  return size;
}

/** Counts the levels of lists: 0 for a leaf. */
export function treeDepth(tree: IntTree): number {
  if (typeof tree === "number") return 0;
  let depth = 0;
  for (let i = 0; i < tree.length; i++) depth = Math.max(depth, treeDepth(tree[i]!));
  return depth + 1;
}

/** Tells whether two trees have the same form. */
export function congruent(a: IntTree, b: IntTree): boolean {
  if (typeof a === "number" || typeof b === "number") return typeof a === typeof b;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!congruent(a[i]!, b[i]!)) return false;
  return true;
}

/** Tells whether two trees have the same form and the same numbers. */
export function treesEqual(a: IntTree, b: IntTree): boolean {
  if (a === b) return true;
  if (typeof a === "number" || typeof b === "number") return false;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!treesEqual(a[i]!, b[i]!)) return false;
  return true;
}

/** Tells whether a list holds numbers only. */
export function isFlat(tree: readonly IntTree[]): tree is readonly number[] {
  for (let i = 0; i < tree.length; i++) if (typeof tree[i] !== "number") return false;
  return true;
}

/** Writes a tree in CuTe notation, `(2,(3,4))`, whole. */
export function formatTree(tree: IntTree): string {
  return typeof tree === "number" ? String(tree) : `(${tree.map(formatTree).join(",")})`;
}

/**
 * Writes a shape for a message: `[2,3]` when flat, in CuTe notation `(2,(3,4))` when nested, lists cut at eight entries.
 *
 * @throws TypeError for what is neither a number nor a list of trees; LayoutError `SW_LAYOUT_DEPTH`.
 * @since 0.1.0
 */
export function formatShape(shape: IntTree): string {
  return formatShapeFor("formatShape", shape);
}

/** As `formatShape`, for any operation that prints what nobody has checked yet. */
export function formatShapeFor(operation: string, shape: IntTree): string {
  const text = formatNest(operation, shape, 0);
  return typeof shape !== "number" && isFlat(shape) ? `[${text.slice(1, -1)}]` : text;
}

function formatNest(operation: string, tree: IntTree, depth: number): string {
  if (typeof tree === "number") return String(tree);
  if (!Array.isArray(tree)) throw notATree(operation, tree);
  if (depth === MAX_DEPTH) throw tooDeep(operation, depth + 1);
  const text: string[] = [];
  for (let i = 0; i < tree.length && i < 8; i++) text.push(formatNest(operation, tree[i], depth + 1));
  if (tree.length > 8) text.push("…");
  return `(${text.join(",")})`;
}

function notATree(operation: string, value: unknown): TypeError {
  return new TypeError(
    `${operation}: argument is not a tree: got ${describe(value)}, expected a number or a list such as [2,[3,4]].`,
  );
}

/** Refuses anything that is not a list at the top of a shape or stride. */
export function requireList(operation: string, what: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new TypeError(`${operation}: ${what} is not a list: got ${describe(value)}, expected a list such as [2,3].`);
  }
}

/**
 * Copies a shape, checking every extent and that no nested mode is empty (LA-5).
 *
 * @throws TypeError for what is not a list of integers; LayoutError `SW_LAYOUT_EXTENT`, `SW_LAYOUT_UNSAFE_INTEGER`,
 * `SW_LAYOUT_EMPTY_MODE`, `SW_LAYOUT_DEPTH`.
 */
export function copyShape(operation: string, shape: Shape): IntTree[] {
  requireList(operation, "shape", shape);
  return copyTree(operation, shape, true, 1);
}

/** Copies a stride, checking that every leaf is a safe integer. */
export function copyStride(operation: string, stride: Stride): IntTree[] {
  requireList(operation, "stride", stride);
  return copyTree(operation, stride, false, 1);
}

/** Refuses what is no extent; the axis, where it is known, goes into the error. */
export function requireExtent(operation: string, value: unknown, axis?: number): asserts value is number {
  if (typeof value !== "number" || !Number.isInteger(value)) throw notAnInteger(operation, "an extent", value);
  const fields = axis === undefined ? { value } : { value, axis };
  if (!Number.isSafeInteger(value)) throw unsafe(operation, "an extent", value, fields);
  if (value < 0) {
    const problem = `an extent is negative: got ${value}, expected 0 or more.`;
    throw new LayoutError("SW_LAYOUT_EXTENT", operation, problem, fields);
  }
}

function copyTree(operation: string, tree: readonly IntTree[], isShape: boolean, depth: number): IntTree[] {
  if (depth > MAX_DEPTH) throw tooDeep(operation, depth);
  const out: IntTree[] = [];
  for (let i = 0; i < tree.length; i++) {
    const item: unknown = tree[i];
    if (Array.isArray(item)) {
      if (item.length === 0) {
        const problem = "a nested mode is empty: got (), expected at least one entry.";
        throw new LayoutError("SW_LAYOUT_EMPTY_MODE", operation, problem);
      }
      out.push(copyTree(operation, item, isShape, depth + 1));
      continue;
    }
    if (isShape) requireExtent(operation, item);
    out.push(safeInteger(operation, "a stride", item)); // -0 becomes 0
  }
  return out;
}

/** Refuses a tree that nests too deep; one that an operation built is a few levels deeper at most. */
export function checkDepth(operation: string, tree: IntTree): void {
  const depth = treeDepth(tree);
  if (depth > MAX_DEPTH) throw tooDeep(operation, depth);
}

/** Builds the error of a tree that nests too deep. */
function tooDeep(operation: string, depth: number): LayoutError {
  const problem = `modes nest too deep: got more than ${MAX_DEPTH} levels, expected at most ${MAX_DEPTH}.`;
  return new LayoutError("SW_LAYOUT_DEPTH", operation, problem, { value: depth });
}

/** Freezes a tree at every level. */
export function freezeTree(tree: readonly IntTree[]): void {
  for (const item of tree) if (typeof item !== "number") freezeTree(item);
  Object.freeze(tree);
}
