import { LAYOUT_NAMES } from "@sw/hurray/descriptor";
import type { LayoutTarget } from "@sw/hurray/values";
import { InvalidArgumentError } from "commander";

const LAYOUTS: { readonly [name: string]: LayoutTarget } = {
  "row-major": { kind: "rowMajor" },
  "column-major": { kind: "columnMajor" },
  morton: { kind: "morton" },
  hilbert: { kind: "hilbert" },
  coo: { kind: "coo", isSorted: true },
  csr: { kind: "csr" },
  csc: { kind: "csc" },
  csf: { kind: "csf" },
};

/** What `--layout` takes, for help. */
export const LAYOUT_CHOICES: string = `${Object.keys(LAYOUTS).join(", ")}, or tiled:16x16`;

/** Reads the name of a layout, or the sizes of tiles. */
export function parseLayout(text: string): LayoutTarget {
  const known = Object.hasOwn(LAYOUTS, text) ? LAYOUTS[text] : undefined;
  if (known !== undefined) return known;
  const [, sizes] = /^tiled:([1-9]\d{0,14}(?:x[1-9]\d{0,14})*)$/.exec(text) ?? [];
  if (sizes !== undefined) {
    return { kind: "tiled", tile: sizes.split("x").map(BigInt), outer: "rowMajor", inner: "rowMajor" };
  }
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected ${LAYOUT_CHOICES}.`);
}

/** The tags of the layouts that a server may be asked for: those that follow from a shape. */
export const LAYOUT_TAGS: { readonly [name: string]: number } = Object.fromEntries(
  Object.entries(LAYOUT_NAMES)
    .map(([tag, name]): [string, number] => [name.toLowerCase(), Number(tag)])
    .filter(([name]) => Object.hasOwn(LAYOUTS, name)),
);
