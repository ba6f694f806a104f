import { describe, LayoutError, notAnInteger } from "./errors.js";
import { checkedSize, type Layout, requireLayout } from "./layout.js";
import { type Coordinate, copyShape, formatShape, formatTree, type IntTree, type Shape, treeSize } from "./tree.js";

/**
 * Gives the index of a coordinate: nested, partly linear or one linear ordinal, first mode fastest (LA-20 to LA-22).
 *
 * @throws TypeError for what is not an integer or a list of them.
 * @throws LayoutError `SW_LAYOUT_COORDINATE` for a coordinate outside the shape or of another form (LA-24).
 * @example
 * ```ts
 * import { indexOf, layout } from "@sw/layout";
 * const l = layout([2, [3, 4]], [1, [10, 100]]);
 * console.log(indexOf(l, [1, [2, 3]]), indexOf(l, [1, 11]), indexOf(l, 23)); // 321 321 321
 * ```
 * @since 0.1.0
 */
export function indexOf(l: Layout, coordinate: Coordinate): number {
  requireLayout("indexOf", l);
  return dot("indexOf", l.shape, l.stride, coordinate, l.shape);
}

function dot(operation: string, shape: IntTree, stride: IntTree, key: Coordinate, whole: Shape): number {
  if (Array.isArray(key)) {
    const modes = requireModes(operation, shape, key, whole);
    let index = 0;
    for (let i = 0; i < modes.length; i++) {
      index += dot(operation, modes[i]!, (stride as readonly IntTree[])[i]!, key[i]!, whole);
    }
    return index;
  }
  const ordinal = requireOrdinal(operation, shape, key, whole);
  return ordinal === 0 ? 0 : dotOrdinal(shape, stride, ordinal);
}

/** Expands one ordinal over a subtree, first mode fastest, and adds up its index. */
export function dotOrdinal(shape: IntTree, stride: IntTree, ordinal: number): number {
  if (typeof shape === "number") return ordinal * (stride as number) + 0;
  let index = 0;
  let rest = ordinal;
  for (let i = 0; i < shape.length && rest > 0; i++) {
    const size = treeSize(shape[i]!);
    const digit = rest % size;
    index += dotOrdinal(shape[i]!, (stride as readonly IntTree[])[i]!, digit);
    rest = (rest - digit) / size;
  }
  return index;
}

/**
 * Gives the ordinal of a coordinate of a shape, first mode fastest (LA-20).
 *
 * @throws as `indexOf`, and as `layout` for the shape.
 * @since 0.1.0
 */
export function encode(shape: Shape, coordinate: Coordinate): number {
  const checked = copyShape("encode", shape);
  checkedSize("encode", checked);
  return ordinalOf("encode", checked, coordinate, checked);
}

/** The ordinal of a coordinate of a subtree of a checked shape, first mode fastest. */
export function ordinalOf(operation: string, shape: IntTree, key: Coordinate, whole: Shape): number {
  if (!Array.isArray(key)) return requireOrdinal(operation, shape, key, whole);
  const modes = requireModes(operation, shape, key, whole);
  let ordinal = 0;
  let weight = 1;
  for (let i = 0; i < modes.length; i++) {
    ordinal += weight * ordinalOf(operation, modes[i]!, key[i]!, whole);
    weight *= treeSize(modes[i]!);
  }
  return ordinal;
}

/**
 * Gives the nested coordinate of an ordinal, first mode fastest; the inverse of `encode` (LA-23).
 *
 * @throws TypeError when the ordinal is not an integer; LayoutError `SW_LAYOUT_COORDINATE` outside [0, size).
 * @since 0.1.0
 */
export function decode(shape: Shape, ordinal: number): readonly Coordinate[] {
  const checked = copyShape("decode", shape);
  checkedSize("decode", checked);
  return digits(checked, requireOrdinal("decode", checked, ordinal, checked)) as readonly Coordinate[];
}

/** The nested coordinate of an ordinal inside a subtree, first mode fastest. */
export function digits(shape: IntTree, ordinal: number): Coordinate {
  if (typeof shape === "number") return ordinal;
  const out: Coordinate[] = [];
  let rest = ordinal;
  for (const mode of shape) {
    const size = treeSize(mode);
    const digit = rest % size;
    out.push(digits(mode, digit));
    rest = (rest - digit) / size;
  }
  return out;
}

/** The modes of a subtree that a list of as many entries stands for. */
export function requireModes(
  operation: string,
  shape: IntTree,
  key: readonly unknown[],
  whole: Shape,
): readonly IntTree[] {
  if (typeof shape === "number") {
    const problem = `a list stands where the shape has one extent: got a list of ${key.length}, expected an integer below ${shape} (shape ${formatShape(whole)}).`;
    throw new LayoutError("SW_LAYOUT_COORDINATE", operation, problem, { shape: whole });
  }
  if (shape.length !== key.length) {
    const problem = `coordinate has the wrong number of entries: got ${key.length}, expected ${shape.length} for ${formatTree(shape)} (shape ${formatShape(whole)}).`;
    throw new LayoutError("SW_LAYOUT_COORDINATE", operation, problem, { shape: whole, value: key.length });
  }
  return shape;
}

/** An integer inside a subtree. */
export function requireOrdinal(operation: string, shape: IntTree, key: unknown, whole: Shape): number {
  if (typeof key !== "number" || !Number.isInteger(key)) {
    if (typeof key === "number") throw notAnInteger(operation, "a coordinate", key);
    throw new TypeError(
      `${operation}: a coordinate is neither an integer nor a list: got ${describe(key)}, expected an integer or a list of them.`,
    );
  }
  const size = treeSize(shape);
  if (key < 0 || key >= size) {
    const problem = `coordinate is outside ${formatTree(shape)}: got ${key}, expected 0 to ${size - 1} (shape ${formatShape(whole)}).`;
    throw new LayoutError("SW_LAYOUT_COORDINATE", operation, problem, { shape: whole, value: key });
  }
  return key + 0;
}
