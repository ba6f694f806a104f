import { indexOf } from "../coordinates.js";
import { describe, LayoutError, type LayoutErrorFields, notAnInteger, unsafe } from "../errors.js";
import { checkedSize, formatLayout, isLayout } from "../layout.js";
import { type Coordinate, copyShape, formatTree, type Shape } from "../tree.js";
import type { Drawable } from "./options.js";

/** More cells than anyone can look at. */
const MAX_CELLS = 65_536;

/** Something to draw, once it has been checked. */
export interface Source {
  readonly shape: Shape;
  readonly size: number;
  /** What it is called in captions and messages. */
  readonly text: string;
  /** Itself, if it is a layout, for the fields of errors. */
  readonly fields: LayoutErrorFields;
  at(coordinate: Coordinate): number;
}

/** Reads a layout or a map; what a map answers is checked when it is asked. */
export function sourceOf(operation: string, what: string, drawn: Drawable): Source {
  if (isLayout(drawn)) {
    const { shape, size } = drawn;
    return { shape, size, text: formatLayout(drawn), fields: { layout: drawn }, at: (place) => indexOf(drawn, place) };
  }
  if (typeof drawn !== "object" || drawn === null || typeof drawn.index !== "function") {
    throw new TypeError(
      `${operation}: ${what} is neither a layout nor an index map: got ${describe(drawn)}, expected a value made by layout(), or { shape, index }.`,
    );
  }
  const shape = copyShape(operation, drawn.shape);
  const at = (coordinate: Coordinate): number => {
    const index: unknown = drawn.index(coordinate);
    if (typeof index !== "number" || !Number.isInteger(index)) throw notAnInteger(operation, "an index", index);
    if (!Number.isSafeInteger(index)) throw unsafe(operation, "an index", index, { shape });
    return index;
  };
  return { shape, size: checkedSize(operation, shape), text: formatTree(shape), fields: {}, at };
}

/** Refuses more cells than can be looked at. */
export function requireFew(operation: string, source: Source): void {
  if (source.size <= MAX_CELLS) return;
  const problem = `layout is too large to draw: got ${source.size} elements, expected at most ${MAX_CELLS} (${source.text}). Draw a part of it.`;
  throw new LayoutError("SW_LAYOUT_PICTURE", operation, problem, {
    ...source.fields,
    shape: source.shape,
    value: source.size,
  });
}
