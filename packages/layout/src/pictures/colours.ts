import { oneOf, type SvgOptions } from "./options.js";
import { type Cell, noOwners, type Picture } from "./picture.js";
import { PAPER } from "./svg-plane.js";

/**
 * Paul Tol's "light" scheme without its darkest colour: made to fill labelled cells, and distinct to the colour-blind.
 * The order is ours: cells that touch are an odd number of places apart, and so differ most.
 */
const FILLS = ["#77aadd", "#ffaabb", "#eedd88", "#44bb99", "#ee8866", "#dddddd", "#99ddff", "#bbcc33"];

/** Gives the fill of each cell. */
export function fills(picture: Picture, options: SvgOptions): (cell: Cell) => string {
  const hasTiles = picture.rows.weight + picture.columns.weight > 0;
  const usual = picture.hasOwners ? "owner" : hasTiles ? "tile" : "none";
  const colour = oneOf("toSvg", "colour", options.colour ?? usual, ["none", "tile", "owner"]);
  if (colour === "owner" && !picture.hasOwners) throw noOwners("toSvg", "colour", colour);
  return (cell) => {
    const number = cell.index === undefined || colour === "none" ? undefined : cell[colour];
    if (number === undefined) return PAPER;
    const n = FILLS.length;
    return FILLS[((number % n) + n) % n]!;
  };
}
