import { isPrivateTag } from "../elements.js";
import type { LayoutEntry } from "./layout-entry.js";
import { composite } from "./layouts/composite.js";
import { hilbert, morton } from "./layouts/curves.js";
import { columnMajor, rowMajor, strided } from "./layouts/dense.js";
import { blockPaged } from "./layouts/paged.js";
import { privateLayout, unknownLayout } from "./layouts/private.js";
import { coo, csc, csf, csr } from "./layouts/sparse.js";
import { tiled } from "./layouts/tiled.js";
import type { LayoutKind } from "./types.js";

/** Every layout tag of the format, with the name it has there. @since 0.1.0 */
export const LAYOUT_NAMES: { readonly [tag: number]: string } = {
  1: "row-major",
  2: "column-major",
  3: "strided",
  4: "tiled",
  5: "Morton",
  6: "COO",
  7: "CSR",
  8: "CSC",
  9: "CSF",
  10: "block-paged",
  11: "composite head",
  64: "Hilbert",
};

const ENTRIES = {
  rowMajor,
  columnMajor,
  strided,
  tiled,
  morton,
  coo,
  csr,
  csc,
  csf,
  blockPaged,
  composite,
  hilbert,
  private: privateLayout,
  unknown: unknownLayout,
} satisfies { [K in LayoutKind]: unknown };

/** The kinds in the order of their tags, from 1 on: those with a tag of their own before the others. */
const KINDS = /* @__PURE__ */ Object.keys(ENTRIES) as readonly LayoutKind[];
const LAST = 11;

const HILBERT = 0x40;

/** The kind of layout that a tag stands for: `"private"` by agreement, `"unknown"` where the format gives it no meaning. */
export function kindOfTag(tag: number): LayoutKind {
  if (tag === HILBERT) return "hilbert";
  if (tag <= LAST) return KINDS[tag - 1] ?? "unknown";
  return isPrivateTag(tag) ? "private" : "unknown";
}

/** The tag of a kind of layout that has one tag. */
export function tagOfKind(kind: LayoutKind): number {
  return kind === "hilbert" ? HILBERT : KINDS.indexOf(kind) + 1;
}

/** Finds the entry of a layout; `undefined` for what is no kind of layout. */
export function entryOf(kind: LayoutKind): LayoutEntry {
  // A lookup by kind gives the entry of that kind's layout; the compiler cannot follow the correlation.
  return ENTRIES[kind] as unknown as LayoutEntry;
}
