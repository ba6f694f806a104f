import type { TiledForm, TileOrder } from "../src/index.js";

interface StoredTiles {
  readonly name?: string;
  readonly tileShape: number[];
  readonly outerLayout: number;
  readonly innerLayout: number;
  readonly outerStrides?: number[];
  readonly innerStrides?: number[];
  readonly innerTiled?: StoredTiles;
}
/** An address case of the shared vectors. */
export interface TiledCase {
  readonly id: string;
  readonly shape: number[];
  readonly layout: StoredTiles | { readonly name: "morton"; readonly mortonBits: number[] };
  readonly offsets: number[];
}

/** The form that a descriptor stores. */
export function formOf(stored: StoredTiles): TiledForm {
  const order = (tag: number, strides: number[] | undefined): TileOrder =>
    tag === 1 ? "rowMajor" : tag === 2 ? "columnMajor" : { strides: strides! };
  return {
    tile: stored.tileShape,
    outer: order(stored.outerLayout, stored.outerStrides),
    inner: stored.innerTiled ? formOf(stored.innerTiled) : order(stored.innerLayout, stored.innerStrides),
  };
}

/** The coordinates of a box, last axis fastest. */
export function coordinates(box: readonly number[]): number[][] {
  return box.reduce<number[][]>((all, n) => all.flatMap((c) => [...Array(n).keys()].map((i) => [...c, i])), [[]]);
}

/** Section 4.3 of the format, word for word. */
export function address(box: readonly number[], form: TiledForm, index: readonly number[]): number {
  const t = index.map((i, k) => Math.floor(i / form.tile[k]!));
  const e = index.map((i, k) => i % form.tile[k]!);
  const grid = box.map((n, k) => Math.ceil(n / form.tile[k]!));
  const ordered = (order: TileOrder, c: readonly number[], n: readonly number[]): number => {
    if (typeof order === "object") return c.reduce((sum, x, k) => sum + x * order.strides[k]!, 0);
    if (order === "rowMajor") return c.reduce((sum, x, k) => sum * n[k]! + x, 0);
    return c.reduceRight((sum, x, k) => sum * n[k]! + x, 0);
  };
  const inner = form.inner;
  const inside =
    typeof inner === "object" && "tile" in inner ? address(form.tile, inner, e) : ordered(inner, e, form.tile);
  return ordered(form.outer, t, grid) * form.tile.reduce((a, b) => a * b, 1) + inside;
}
