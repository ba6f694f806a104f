import { LayoutError } from "../errors.js";
import { type Coordinate, formatShape, treeSize } from "../tree.js";
import type { Drawable, PictureOptions } from "./options.js";
import { requireFew, type Source, sourceOf } from "./source.js";

/** Who owns a cell, and what the cell says of it. */
export interface Owner {
  readonly number: number;
  readonly lines: readonly string[];
}

/** Tells the owner of a cell from its coordinate and its ordinal, first axis fastest. */
export interface Owners {
  readonly caption: string;
  at(coordinate: readonly number[], ordinal: number): Owner | undefined;
}

/** Reads who owns the cells; undefined when the options do not say. */
export function ownersOf(operation: string, drawn: Source, options: PictureOptions): Owners | undefined {
  const { owner, threadValue } = options;
  if (owner === undefined) return threadValue === undefined ? undefined : holders(operation, drawn, threadValue);
  if (threadValue !== undefined) {
    const problem = "cells have two kinds of owners: got owner and threadValue, expected one of them.";
    throw new LayoutError("SW_LAYOUT_PICTURE", operation, problem);
  }
  const source = sourceOf(operation, "owner", owner);
  const extents = drawn.shape.map(treeSize);
  const others = source.shape.map(treeSize);
  if (extents.length !== others.length || extents.some((extent, k) => extent !== others[k])) {
    const problem = `owner has other extents: got ${formatShape(others)}, expected ${formatShape(extents)}.`;
    throw new LayoutError("SW_LAYOUT_SHAPES_DIFFER", operation, problem, {
      shape: drawn.shape,
      otherShape: source.shape,
    });
  }
  const at = (coordinate: Coordinate): Owner => {
    const number = source.at(coordinate);
    return { number, lines: [String(number)] };
  };
  return { caption: `owner ${source.text}`, at };
}

/** Turns the cells that each thread holds into the thread that holds each cell. */
function holders(operation: string, drawn: Source, threadValue: Drawable): Owners {
  const source = sourceOf(operation, "threadValue", threadValue);
  requireFew(operation, source);
  const threads = source.shape.length === 0 ? 1 : treeSize(source.shape[0]!);
  const owners = new Map<number, Owner>();
  for (let i = 0; i < source.size; i++) {
    const ordinal = source.at(i);
    if (ordinal < 0 || ordinal >= drawn.size) {
      const problem = `threadValue leaves the picture: got cell ${ordinal}, expected 0 to ${drawn.size - 1} (${source.text} on shape ${formatShape(drawn.shape)}).`;
      throw new LayoutError("SW_LAYOUT_PICTURE", operation, problem, { shape: drawn.shape, value: ordinal });
    }
    const number = i % threads;
    const held = owners.get(ordinal);
    const value = `V${(i - number) / threads}`;
    if (held === undefined) owners.set(ordinal, { number, lines: [`T${number}`, value] });
    else owners.set(ordinal, { number: held.number, lines: [held.lines[0]!, `${held.lines[1]!.replace("+", "")}+`] });
  }
  return { caption: `threads and values ${source.text}`, at: (_, ordinal) => owners.get(ordinal) };
}
