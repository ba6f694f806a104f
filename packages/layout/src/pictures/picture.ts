import { type Tiler, toLayout } from "../by-mode.js";
import { describe, LayoutError, notAnInteger } from "../errors.js";
import type { Layout } from "../layout.js";
import { formatShape, requireList, type Shape, treeSize } from "../tree.js";
import { type Drawable, oneOf, type PictureOptions } from "./options.js";
import { type Owner, ownersOf } from "./owners.js";
import { type Side, sidesOf } from "./sides.js";
import { requireFew, sourceOf } from "./source.js";

/** What stands where there is no number. */
const NOTHING = "·";

/** A picture before it is text or SVG. */
export interface Picture {
  /** What is drawn, in words, whatever the title. */
  readonly captions: readonly string[];
  /** The lines above the picture. */
  readonly heading: readonly string[];
  readonly rank: number;
  readonly rows: Side;
  readonly columns: Side;
  /** One for each coordinate of the axes after the second. */
  readonly planes: readonly Plane[];
  /** How many of them the third axis counts. */
  readonly across: number;
  readonly hasOwners: boolean;
  /** Stands between the lines of a cell when they are put on one. */
  readonly separator: string;
}

/** One table of a picture. */
export interface Plane {
  /** Its coordinate on the axes after the second. */
  readonly place: readonly number[];
  /** Row by row. */
  readonly cells: readonly Cell[];
}

/** One coordinate of a picture. */
export interface Cell {
  readonly lines: readonly string[];
  /** Undefined in the padding. */
  readonly index: number | undefined;
  /** Undefined where nobody is the owner. */
  readonly owner: number | undefined;
  /** A number that differs between tiles side by side. */
  readonly tile: number;
}

/** Works out a picture of at most 65536 cells. */
export function pictureOf(operation: string, drawn: Drawable, options: PictureOptions): Picture {
  const source = sourceOf(operation, "argument", drawn);
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${operation}: options are not an object: got ${describe(options)}.`);
  }
  if (options.title !== undefined && typeof options.title !== "string") {
    throw new TypeError(`${operation}: title is not a text: got ${describe(options.title)}.`);
  }
  requireFew(operation, source);
  const { shape } = source;
  const rank = shape.length;
  const tiles = readTiles(operation, rank, options.tiler ?? []);
  const box = readBox(operation, shape, options.box);
  const owners = ownersOf(operation, source, options);
  const content = contentOf(operation, options);

  const captions = [source.text];
  if (owners !== undefined) captions.push(owners.caption);
  if (options.tiler !== undefined) captions.push(`tiler <${options.tiler.map((tile) => tile ?? "_").join(",")}>`);
  if (options.box !== undefined) captions.push(`box ${formatShape(box)}`);
  const heading = options.title === undefined ? captions : options.title === "" ? [] : options.title.split("\n");

  // A row alone where there is one axis; one cell where there is none. An empty shape may have any other extents.
  const modes = source.size === 0 ? [0, 0] : rank === 0 ? [1, 1] : rank === 1 ? [1, shape[0]!] : shape;
  const sides = sidesOf(operation, modes, source.size === 0 ? [] : rank === 1 ? [null, ...tiles] : tiles);
  const [rows, columns, ...others] = sides as [Side, Side, ...Side[]];
  const planes: Plane[] = [];
  const planeSize = rows.extent * columns.extent;
  for (let start = 0; start < source.size; start += planeSize) {
    const place: number[] = [];
    let planeTile = 0;
    let rest = start / planeSize;
    for (const side of others) {
      const x = rest % side.extent;
      rest = (rest - x) / side.extent;
      place.push(x);
      planeTile += side.tiles[x]!;
    }
    const cells: Cell[] = [];
    for (let r = 0; r < rows.extent; r++) {
      for (let c = 0; c < columns.extent; c++) {
        const coordinate = rank === 0 ? [] : rank === 1 ? [c] : [r, c, ...place];
        // Of eight colours, steps of 3 and of 1 keep those apart that touch.
        const tile = 3 * rows.tiles[r]! + columns.tiles[c]! + planeTile;
        if (coordinate.some((x, k) => x >= box[k]!)) {
          cells.push({ lines: content === "none" ? [] : [NOTHING], index: undefined, owner: undefined, tile });
          continue;
        }
        const index = source.at(coordinate);
        const owner = owners?.at(coordinate, start + r + c * rows.extent);
        cells.push({ lines: linesOf(content, index, owner), index, owner: owner?.number, tile });
      }
    }
    planes.push({ place, cells });
  }
  const separator = content === "owner" ? "" : ",";
  const across = others[0]?.extent ?? 1;
  return { captions, heading, rank, rows, columns, planes, across, hasOwners: owners !== undefined, separator };
}

function linesOf(content: string, index: number, owner: Owner | undefined): readonly string[] {
  if (content === "none") return [];
  if (content === "index") return [String(index)];
  const lines = owner?.lines ?? [NOTHING];
  return content === "owner" ? lines : [String(index), lines.join("")];
}

function contentOf(operation: string, options: PictureOptions): string {
  const hasOwners = options.owner !== undefined || options.threadValue !== undefined;
  const usual = options.threadValue !== undefined ? "owner" : hasOwners ? "both" : "index";
  const content = oneOf(operation, "cells", options.cells ?? usual, ["index", "owner", "both", "none"]);
  if (!hasOwners && (content === "owner" || content === "both")) throw noOwners(operation, "cells", content);
  return content;
}

/** Says which of several tables this is. */
export function placeLabel(plane: Plane): string {
  return plane.place.length === 0 ? "" : `(:,:,${plane.place.join(",")})`;
}

/** Builds the error of an option that needs owners. */
export function noOwners(operation: string, option: string, value: string): LayoutError {
  const problem = `there are no owners to show: got ${option} "${value}", expected owner or threadValue with it.`;
  return new LayoutError("SW_LAYOUT_PICTURE", operation, problem);
}

function readTiles(operation: string, rank: number, tiler: Tiler): (Layout | null)[] {
  requireList(operation, "tiler", tiler);
  if (tiler.length > rank) {
    const problem = `the tiler has too many entries: got ${tiler.length}, expected at most ${rank}.`;
    throw new LayoutError("SW_LAYOUT_TILER", operation, problem, { value: tiler.length });
  }
  const tiles: (Layout | null)[] = [];
  for (let k = 0; k < tiler.length; k++) tiles.push(tiler[k] === null ? null : toLayout(operation, tiler[k]!));
  return tiles;
}

/** The extents that are meant: all, unless the options say less. */
function readBox(operation: string, shape: Shape, box: readonly number[] | undefined): readonly number[] {
  const domain = shape.map(treeSize);
  if (box === undefined) return domain;
  requireList(operation, "box", box);
  for (const extent of box) if (!Number.isInteger(extent)) throw notAnInteger(operation, "a box extent", extent);
  if (box.length === domain.length && box.every((extent, k) => extent >= 0 && extent <= domain[k]!)) return box;
  const problem = `box is not in the shape: got ${formatShape(box)}, expected at most ${formatShape(domain)}.`;
  throw new LayoutError("SW_LAYOUT_BOX", operation, problem, { shape, otherShape: [...box] });
}
