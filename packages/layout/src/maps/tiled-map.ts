import { type Layout, made } from "../layout.js";
import { cut, flatList, type TiledForm } from "../tiled.js";
import { copyShape, type IntTree } from "../tree.js";
import { composeMap } from "./compose-map.js";
import type { IndexMap } from "./index-map.js";
import { asMap } from "./layout-map.js";

/**
 * Makes the map of a box that is stored tile by tile, as `tiled` does, also when a nested tile does not divide the tile
 * around it: that tile is rounded up to whole nested ones, and only its extent in elements is counted, so that neighbours
 * may collide (the Hurray format reads such tiles and never writes them). No layout expresses it; a chain of them does.
 *
 * Where all tiles divide it is the layout that `tiled` makes; else an axis is a mode of (place in the outermost tile that is
 * rounded up inside, number of the tile).
 *
 * @throws TypeError, LayoutError as `tiled`, but that nested tiles need not divide; `SW_LAYOUT_SIGN` when strides lead
 * below 0.
 * @example
 * ```ts
 * import { tiledMap } from "@sw/layout/maps";
 * const inner = { tile: [2], outer: "rowMajor", inner: "rowMajor" } as const;
 * const m = tiledMap([6], { tile: [3], outer: "rowMajor", inner }); // tiles of 3 start 3 apart and hold 2 tiles of 2
 * console.log([0, 1, 2, 3, 4, 5].map((i) => m.index(i)), m.codomainSize); // [ 0, 1, 2, 3, 4, 5 ] 7
 * ```
 * @since 0.1.0
 */
export function tiledMap(shape: readonly number[], form: TiledForm): IndexMap {
  const box = flatList("tiledMap", "shape", shape, copyShape);
  const { layout, levels } = cut("tiledMap", box, form, "roundUp");
  let map: IndexMap | undefined;
  let above = box.map(() => 1); // how many tiles of this level there are, over all levels above
  for (let i = 0; i + 1 < levels.length; i++) {
    const { tile, grid } = levels[i]!;
    const inside = levels[i + 1]!;
    const counts = above.map((count, k) => count * grid[k]!);
    const roundedUp = inside.tile.map((extent, k) => extent * inside.grid[k]!);
    if (tile.some((extent, k) => extent !== roundedUp[k])) {
      const spread = asMap(apart(tile, counts, roundedUp));
      map = map === undefined ? spread : composeMap(spread, map);
    }
    above = counts;
  }
  return map === undefined ? asMap(layout) : composeMap(layout, map);
}

/** The layout that takes each axis, tiles of an extent, to the ordinals of a box in which the tiles are longer. */
function apart(tile: readonly number[], counts: readonly number[], roundedUp: readonly number[]): Layout {
  const shape: IntTree[] = [];
  const stride: IntTree[] = [];
  let weight = 1;
  for (let k = 0; k < tile.length; k++) {
    shape.push([tile[k]!, counts[k]!]);
    stride.push([weight, weight * roundedUp[k]!]);
    weight *= roundedUp[k]! * counts[k]!;
  }
  return made("tiledMap", shape, stride);
}
