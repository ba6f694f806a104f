import type { Tiler } from "../by-mode.js";
import { describe } from "../errors.js";
import type { Layout } from "../layout.js";
import type { IndexMap } from "../maps/index-map.js";

/** What can be drawn: a layout, or any other function from the coordinates of a shape to integers. @since 0.1.0 */
export type Drawable = Layout | Pick<IndexMap, "shape" | "index">;

/** What a cell shows. @since 0.1.0 */
export type CellContent = "index" | "owner" | "both" | "none";

/** What all pictures can show. @since 0.1.0 */
export interface PictureOptions {
  /** The lines above the picture, instead of the layouts in it; an empty text leaves them out. */
  readonly title?: string;
  /** A second number per coordinate, of the same extents: who owns the cell, or the other of a pair of layouts. */
  readonly owner?: Drawable;
  /**
   * Instead of an owner per cell, the cells per owner: mode 0 counts the threads, the other modes the values of each, and
   * the result is the ordinal of a cell, first axis fastest. Cells read T3 V0; with `+` when others hold it too.
   */
  readonly threadValue?: Drawable;
  /** The default is "owner" with `threadValue`, "both" with `owner`, and else "index". */
  readonly cells?: CellContent;
  /** One tile per axis, in coordinates of the axis: lines part the tiles. A tile need not divide its axis. */
  readonly tiler?: Tiler;
  /** The extents that are meant, of a padded layout: the cells outside show a dot. */
  readonly box?: readonly number[];
}

/** What decides the colour of a cell; of eight colours, then they repeat. @since 0.1.0 */
export type CellColour = "none" | "tile" | "owner";

/** What SVG pictures can show besides. @since 0.1.0 */
export interface SvgOptions extends PictureOptions {
  /** The default is "owner" when there are owners, "tile" with a tiler or nested modes, and else "none". */
  readonly colour?: CellColour;
  /** Draws a line through the cells in the order of their indices. */
  readonly path?: boolean;
}

/** Reads an option that is one of a few words. */
export function oneOf<T extends string>(operation: string, name: string, value: T, words: readonly T[]): T {
  if (words.includes(value)) return value;
  const expected = words.map((word) => JSON.stringify(word)).join(", ");
  throw new TypeError(`${operation}: ${name} is unknown: got ${describe(value)}, expected one of ${expected}.`);
}
