import { byMode, isTiler, regroup, type Tiler, toLayout } from "./by-mode.js";
import { complementIn } from "./complement.js";
import { composeWith } from "./compose.js";
import { checkedSize, firstModeFastest, type Layout, requireLayout, trusted } from "./layout.js";
import { asMode } from "./modes.js";
import { copyShape, type Shape } from "./tree.js";

/**
 * Divides a layout by a tile: mode 0 of the result is the tile, mode 1 the layout of the tiles (LA-80). Exact or refused:
 * the result has every index of `a`, as often as `a` has it, so a tile that does not fit is never cut off.
 *
 * An integer n is the tile `n:1`. By a tiler each mode that has a tile becomes such a pair, `((T0,R0),(T1,R1),L)`, and
 * the others stay (LA-82). A tile or rest of rank 1 is a plain mode; an empty rest is `1:0`, so there are two modes always
 * (LA-81). An empty layout has 0 tiles.
 *
 * @throws TypeError for what is not a layout, integer or tiler.
 * @throws LayoutError with `layout` and `other` (the tile, or tile and rest): `SW_LAYOUT_COMPLEMENT` when no layout counts
 * the tiles, `SW_LAYOUT_INADMISSIBLE` when the tile or the rest is no layout in `a`; `SW_LAYOUT_TILER` (too many entries),
 * `SW_LAYOUT_SIGN`, `SW_LAYOUT_EMPTY`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { logicalDivide } from "@sw/layout/algebra";
 * const a = parseLayout("(4,2,3):(2,1,8)");
 * console.log(String(logicalDivide(a, parseLayout("4:2")))); // ((2,2),(2,3)):((4,1),(2,8))
 * console.log(String(logicalDivide(a, [2, 1]))); // ((2,2),(1,2),3):((2,4),(0,1),8)
 * ```
 * @since 0.1.0
 */
export function logicalDivide(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("logicalDivide", a);
  return isTiler(b) ? byMode("logicalDivide", a, b, halves) : halves("logicalDivide", a, toLayout("logicalDivide", b));
}

/**
 * Divides as `logicalDivide` and gathers the tiles in mode 0 and all the rest in mode 1: `((T0,T1),(R0,R1,L))` (LA-82,
 * LA-83). Mode 0 is `compose(a, b)`. An entry null has the tile `1:0` and the mode as its rest (LA-84).
 *
 * @throws TypeError, LayoutError as `logicalDivide`.
 * @example
 * ```ts
 * import { rowMajor } from "@sw/layout";
 * import { zippedDivide } from "@sw/layout/algebra";
 * console.log(String(zippedDivide(rowMajor([4, 6, 5]), [2, 3]))); // ((2,3),(2,2,5)):((30,5),(60,15,1))
 * ```
 * @since 0.1.0
 */
export function zippedDivide(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("zippedDivide", a);
  return regroup("zippedDivide", "zipped", a, b, halves);
}

/**
 * Divides as `zippedDivide` with the rest not nested: `((T0,T1),R0,R1,L)` (LA-82).
 *
 * @throws TypeError, LayoutError as `logicalDivide`.
 * @since 0.1.0
 */
export function tiledDivide(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("tiledDivide", a);
  return regroup("tiledDivide", "tiled", a, b, halves);
}

/**
 * Divides as `zippedDivide` with neither tiles nor rest nested: `(T0,T1,R0,R1,L)` (LA-82).
 *
 * @throws TypeError, LayoutError as `logicalDivide`.
 * @since 0.1.0
 */
export function flatDivide(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("flatDivide", a);
  return regroup("flatDivide", "flat", a, b, halves);
}

/**
 * Counts the tiles that cover a shape, per mode and rounded up: the shape of the complement (LA-85).
 *
 * A layout or integer covers the whole, in one count or, where its tiles leave gaps, several; a tiler works by mode, and
 * modes without a tile keep their extents.
 *
 * @throws TypeError for what is not a list of integers, or not a layout, integer or tiler.
 * @throws LayoutError `SW_LAYOUT_EXTENT`, `SW_LAYOUT_TILER`, `SW_LAYOUT_EMPTY` (a tile of no elements),
 * `SW_LAYOUT_COMPLEMENT`, `SW_LAYOUT_SIGN`, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { ceilDiv } from "@sw/layout/algebra";
 * console.log(ceilDiv([100, 70, 3], [32, 32])); // [ 4, 3, 3 ]
 * ```
 * @since 0.1.0
 */
export function ceilDiv(shape: Shape, b: Layout | number | Tiler): Shape {
  const extents = copyShape("ceilDiv", shape);
  checkedSize("ceilDiv", extents);
  const whole = trusted(extents, firstModeFastest(extents, { next: 1 }));
  return (isTiler(b) ? byMode("ceilDiv", whole, b, covering) : covering("ceilDiv", whole, toLayout("ceilDiv", b)))
    .shape;
}

function covering(operation: string, l: Layout, tile: Layout): Layout {
  return complementIn(operation, tile, l.size, true, l);
}

/** Tile and rest of one layout, always two modes. */
function halves(operation: string, a: Layout, tile: Layout): Layout {
  const first = asMode(tile);
  const rest = asMode(complementIn(operation, tile, a.size, false, a));
  // Together they count every ordinal of `a` once, so size and reach are safe.
  return composeWith(operation, a, trusted([first.shape, rest.shape], [first.stride, rest.stride]));
}
