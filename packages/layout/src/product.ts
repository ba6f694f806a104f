import { cosize } from "./bounds.js";
import { orderedFor } from "./builders.js";
import { byMode, isTiler, regroup, type Tiler, toLayout } from "./by-mode.js";
import { complementIn } from "./complement.js";
import { composeWith } from "./compose.js";
import { LayoutError, unsafe } from "./errors.js";
import { checkedSize, extents, formatLayout, type Layout, requireLayout } from "./layout.js";
import { asMode, fromModes, type Mode, modeIn, nested, UNIT_MODE } from "./modes.js";
import { copyShape, formatShape, type Shape, type Stride, treeSize } from "./tree.js";

/**
 * Repeats a layout: mode 0 of the result is `a`, mode 1 is `b` read as a layout of copies of `a`, which never overlap
 * (LA-90, LA-91). Copy i lies where `b(i)` counts the places that copies of `a` leave free, smallest first.
 *
 * An integer n is `n:1`, n copies one after the other (LA-94). By a tiler each mode that has an entry becomes such a pair
 * and the others stay. A block or layout of copies of rank 1 is a plain mode (LA-81), so there are two modes always.
 *
 * @throws TypeError for what is not a layout, integer or tiler.
 * @throws LayoutError with `layout` and `other`: `SW_LAYOUT_COMPLEMENT` when copies of `a` cannot interlock, also when
 * it is not injective, `SW_LAYOUT_INADMISSIBLE` when no layout puts the copies where `b` says (`layout` is then that of the
 * free places), `SW_LAYOUT_SIGN`, `SW_LAYOUT_EMPTY` (a block of no elements), `SW_LAYOUT_TILER`,
 * `SW_LAYOUT_UNSAFE_INTEGER`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { logicalProduct } from "@sw/layout/algebra";
 * const a = parseLayout("(2,2):(4,1)");
 * console.log(String(logicalProduct(a, 6))); // ((2,2),(2,3)):((4,1),(2,8))
 * console.log(String(logicalProduct(a, parseLayout("(4,2):(2,1)")))); // ((2,2),(4,2)):((4,1),(8,2))
 * ```
 * @since 0.1.0
 */
export function logicalProduct(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("logicalProduct", a);
  return isTiler(b) ? byMode("logicalProduct", a, b, pair) : pair("logicalProduct", a, toLayout("logicalProduct", b));
}

/**
 * Repeats as `logicalProduct` and gathers the blocks in mode 0 and the copies in mode 1: `((A0,A1),(B0,B1,L))` (LA-93).
 * An entry null has the block `1:0`, and its mode counts as copies (LA-84).
 *
 * @throws TypeError, LayoutError as `logicalProduct`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { zippedProduct } from "@sw/layout/algebra";
 * console.log(String(zippedProduct(parseLayout("(8,2):(1,8)"), [7, 6]))); // ((8,2),(7,6)):((1,8),(8,1))
 * ```
 * @since 0.1.0
 */
export function zippedProduct(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("zippedProduct", a);
  return regroup("zippedProduct", "zipped", a, b, pair);
}

/**
 * Repeats as `zippedProduct` with the copies not nested: `((A0,A1),B0,B1,L)` (LA-93).
 *
 * @throws TypeError, LayoutError as `logicalProduct`.
 * @since 0.1.0
 */
export function tiledProduct(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("tiledProduct", a);
  return regroup("tiledProduct", "tiled", a, b, pair);
}

/**
 * Repeats as `zippedProduct` with neither blocks nor copies nested: `(A0,A1,B0,B1,L)` (LA-93).
 *
 * @throws TypeError, LayoutError as `logicalProduct`.
 * @since 0.1.0
 */
export function flatProduct(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("flatProduct", a);
  return regroup("flatProduct", "flat", a, b, pair);
}

/**
 * Repeats a block as `logicalProduct` and puts copies side by side: mode j of the result is mode j of the block, then
 * mode j of the copies (LA-92). The shorter of the two ranks is filled up with `1:0`.
 *
 * @throws TypeError for what is not a layout or integer; LayoutError as `logicalProduct`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { blockedProduct } from "@sw/layout/algebra";
 * console.log(String(blockedProduct(parseLayout("(2,5):(5,1)"), parseLayout("(3,4):(1,3)")))); // ((2,3),(5,4)):((5,10),(1,30))
 * ```
 * @since 0.1.0
 */
export function blockedProduct(a: Layout, b: Layout | number): Layout {
  requireLayout("blockedProduct", a);
  const copies = toLayout("blockedProduct", b);
  return interleaved("blockedProduct", a, copies, (block, copy) => nested([block, copy]));
}

/**
 * Repeats a block as `logicalProduct` and deals copies out in turn: mode j of the result is mode j of the copies, then
 * mode j of the block (LA-92). The shorter of the two ranks is filled up with `1:0`.
 *
 * @throws TypeError for what is not a layout or integer; LayoutError as `logicalProduct`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { rakedProduct } from "@sw/layout/algebra";
 * console.log(String(rakedProduct(parseLayout("(2,5):(5,1)"), parseLayout("(3,4):(1,3)")))); // ((3,2),(4,5)):((10,5),(30,1))
 * ```
 * @since 0.1.0
 */
export function rakedProduct(a: Layout, b: Layout | number): Layout {
  requireLayout("rakedProduct", a);
  const copies = toLayout("rakedProduct", b);
  return interleaved("rakedProduct", a, copies, (block, copy) => nested([copy, block]));
}

/**
 * Repeats a block until it fills a shape: the `blockedProduct` with as many copies per mode as fit, so each mode j is
 * the pair of block and copies and has the size of mode j of the shape (LA-95).
 *
 * Copies follow one another first mode fastest, or by `order`: one number per mode, smallest fastest, as in `ordered`.
 * Modes that the block lacks are filled by copies alone.
 *
 * @throws TypeError as `ordered`.
 * @throws LayoutError `SW_LAYOUT_TILE` with `layout`, `shape` and `axis` when the block has more modes than the shape or
 * does not divide one of them; `SW_LAYOUT_INCONGRUENT` for the order; as `logicalProduct` for the block.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { tileToShape } from "@sw/layout/algebra";
 * const block = parseLayout("(3,4):(1,3)");
 * console.log(String(tileToShape(block, [9, 12]))); // ((3,3),(4,3)):((1,12),(3,36))
 * console.log(String(tileToShape(block, [9, 12], [1, 0]))); // ((3,3),(4,3)):((1,36),(3,12))
 * ```
 * @since 0.1.0
 */
export function tileToShape(block: Layout, shape: Shape, order?: Stride): Layout {
  const operation = "tileToShape";
  requireLayout(operation, block);
  const target = copyShape(operation, shape);
  checkedSize(operation, target);
  if (block.size === 0) {
    const problem = `a block of no elements fills no shape: got ${formatLayout(block)} for shape ${formatShape(target)}, expected extents of 1 or more.`;
    throw new LayoutError("SW_LAYOUT_EMPTY", operation, problem, { layout: block, shape: target });
  }
  if (block.rank > target.length) {
    const problem = `the block has more modes than the shape: got ${formatLayout(block)} for ${formatShape(target)}, expected at most ${target.length}.`;
    throw new LayoutError("SW_LAYOUT_TILE", operation, problem, { layout: block, shape: target, axis: target.length });
  }
  const sizes = extents(block);
  const counts = target.map((mode, axis) => {
    const extent = treeSize(mode);
    const size = axis < sizes.length ? sizes[axis]! : 1;
    if (extent % size !== 0) {
      const problem = `the block does not divide axis ${axis}: got ${formatLayout(block)} for ${formatShape(target)}, expected a multiple of ${size}.`;
      throw new LayoutError("SW_LAYOUT_TILE", operation, problem, { layout: block, shape: target, axis });
    }
    return extent / size;
  });
  const copies = orderedFor(operation, counts, order === undefined ? counts.map((_, axis) => axis) : order);
  return interleaved(operation, block, copies, (inner, outer) => nested([inner, outer]));
}

/** The copies of `a`: `b` over the places that `a` leaves free (LA-90). */
function placed(operation: string, a: Layout, b: Layout): Layout {
  // A stretch of so many indices leaves at least one place to a copy, rounded up to whole spans of a.
  const places = a.size * cosize(b);
  if (places > Number.MAX_SAFE_INTEGER) {
    throw unsafe(operation, "the number of places", places, { layout: a, other: b });
  }
  return composeWith(operation, complementIn(operation, a, places, true, undefined, b), b);
}

/** Block and copies as two modes. */
function pair(operation: string, a: Layout, b: Layout): Layout {
  return fromModes(operation, [asMode(a), asMode(placed(operation, a, b))]);
}

/** Joins block and copies mode by mode. */
function interleaved(operation: string, a: Layout, b: Layout, join: (block: Mode, copy: Mode) => Mode): Layout {
  const copies = placed(operation, a, b);
  const modes: Mode[] = [];
  for (let j = 0; j < a.rank || j < copies.rank; j++) {
    modes.push(join(j < a.rank ? modeIn(a, j) : UNIT_MODE, j < copies.rank ? modeIn(copies, j) : UNIT_MODE));
  }
  return fromModes(operation, modes);
}
