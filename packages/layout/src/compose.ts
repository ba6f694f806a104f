import { minIndex } from "./bounds.js";
import { byMode, isTiler, type Tiler, toLayout } from "./by-mode.js";
import { coalesce } from "./coalesce.js";
import { type CompositionReason, LayoutError } from "./errors.js";
import { checkedSize, firstModeFastest, formatLayout, type Layout, requireLayout, trusted } from "./layout.js";
import { checkDepth, copyShape, type IntTree, type Shape } from "./tree.js";

/**
 * Composes two layouts: the result maps each coordinate of `b` to `a(b(coordinate))`. Exact, or refused (LA-64).
 *
 * The result has the hierarchy of `b`; a leaf of `b` that needs several strides becomes a nested mode. `a` is read as a
 * function of its ordinals, first mode fastest; its strides may have any sign, the indices of `b` must lie in [0, size of a).
 *
 * `b` may be an integer n, which is `n:1`, or a tiler: then mode i of the result is mode i of `a` composed with entry i,
 * and modes without an entry stay (LA-67, LA-68).
 *
 * @throws TypeError for what is not a layout, integer or tiler.
 * @throws LayoutError `SW_LAYOUT_INADMISSIBLE` with `layout`, `other` and `reason`, when no layout is the composition;
 * `SW_LAYOUT_TILER` when a tiler has more entries than `a` has modes, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { compose, parseLayout } from "@sw/layout";
 * const a = parseLayout("(6,2):(8,2)");
 * console.log(String(compose(a, parseLayout("(4,3):(3,1)")))); // ((2,2),3):((24,2),8)
 * console.log(String(compose(a, [3, null]))); // (3,2):(8,2)
 * ```
 * @since 0.1.0
 */
export function compose(a: Layout, b: Layout | number | Tiler): Layout {
  requireLayout("compose", a);
  return isTiler(b) ? byMode("compose", a, b, composeWith) : composeWith("compose", a, toLayout("compose", b));
}

/**
 * Gives a layout another shape of the same ordinals, first mode fastest: composes it with the default layout of the shape
 * (LA-69). A shape of smaller size keeps the first ordinals.
 *
 * @throws TypeError for what is not a layout or a list of integers.
 * @throws LayoutError `SW_LAYOUT_INADMISSIBLE` when no layout of that shape has these indices, and those of `layout`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { withShape } from "@sw/layout/algebra";
 * console.log(String(withShape(parseLayout("(4,6):(6,1)"), [2, [2, 6]]))); // (2,(2,6)):(6,(12,1))
 * ```
 * @since 0.1.0
 */
export function withShape(l: Layout, shape: Shape): Layout {
  requireLayout("withShape", l);
  const extents = copyShape("withShape", shape);
  checkedSize("withShape", extents);
  return composeWith("withShape", l, trusted(extents, firstModeFastest(extents, { next: 1 })));
}

/** As `compose` of two layouts, for any operation. */
export function composeWith(operation: string, a: Layout, b: Layout): Layout {
  if (b.size === 0) return trusted(b.shape, zeros(b.shape) as readonly IntTree[], 0);
  if (a.size === 0) throw inadmissible(operation, a, b, "domain", "the outer layout is empty");
  if (minIndex(b) < 0) {
    throw inadmissible(operation, a, b, "domain", `index ${minIndex(b)} of the inner layout is negative`);
  }
  const outer = coalesce(a);
  const extents = outer.shape as readonly number[];
  const places = [1];
  for (let i = 0; i < extents.length; i++) places.push(places[i]! * extents[i]!);
  const used = extents.map(() => 0);
  const state: State = { operation, a, b, extents, strides: outer.stride as readonly number[], places, used };
  const shape: IntTree[] = [];
  const stride: IntTree[] = [];
  composeModes(state, b.shape, b.stride, shape, stride);
  // Digits below their extents also keep every index of b below the size of a, so no domain test is left to make.
  for (let i = 0; i < used.length; i++) {
    if (used[i]! >= extents[i]!) {
      throw inadmissible(operation, a, b, "digits", `modes of the inner layout carry into each other at digit ${i}`);
    }
  }
  checkDepth(operation, shape); // a leaf that was split is one level deeper
  return trusted(shape, stride, b.size);
}

interface State {
  readonly operation: string;
  readonly a: Layout;
  readonly b: Layout;
  /** The outer layout, coalesced: extent and stride of each digit. */
  readonly extents: readonly number[];
  readonly strides: readonly number[];
  /** The place value of each digit, and the size: the products of the extents before it. */
  readonly places: readonly number[];
  /** The largest value that the inner layout can give each digit. */
  readonly used: number[];
}

function composeModes(
  state: State,
  shape: readonly IntTree[],
  stride: readonly IntTree[],
  outShape: IntTree[],
  outStride: IntTree[],
): void {
  for (let i = 0; i < shape.length; i++) {
    const mode = shape[i]!;
    const pieces: IntTree[] = [];
    const steps: IntTree[] = [];
    if (typeof mode !== "number") composeModes(state, mode, stride[i] as readonly IntTree[], pieces, steps);
    else composeLeaf(state, mode, stride[i] as number, pieces as number[], steps as number[]);
    const single = typeof mode === "number" && pieces.length === 1;
    outShape.push(single ? pieces[0]! : pieces);
    outStride.push(single ? steps[0]! : steps);
  }
}

/** Splits one leaf of the inner layout over the digits of the outer one. */
function composeLeaf(state: State, extent: number, stride: number, pieces: number[], steps: number[]): void {
  if (extent === 1 || stride === 0) {
    pieces.push(extent);
    steps.push(0);
    return;
  }
  const { operation, a, b, extents, strides, places, used } = state;
  let i = extents.length;
  while (places[i]! > stride) i--;
  if (stride % places[i]! !== 0) {
    const why = `stride ${stride} is no multiple of the ${places[i]} elements of the digits it passes`;
    throw inadmissible(operation, a, b, "stride", why);
  }
  if (i === extents.length) {
    throw inadmissible(operation, a, b, "domain", `stride ${stride} passes all ${a.size} elements`);
  }
  let s = extent;
  let d = stride / places[i]!;
  for (; ; i++) {
    const digit = extents[i]!;
    if ((s - 1) * d < digit) {
      pieces.push(s);
      steps.push(d * strides[i]!);
      used[i]! += (s - 1) * d;
      return;
    }
    if (i === extents.length - 1) {
      throw inadmissible(operation, a, b, "domain", `mode ${extent}:${stride} leaves the ${a.size} elements`);
    }
    if (digit % d !== 0) throw inadmissible(operation, a, b, "carry", `step ${d} does not divide the digit ${digit}`);
    const m = digit / d;
    if (s % m !== 0) {
      const why = `extent ${s} is no multiple of ${m}, which fill the digit ${digit}`;
      throw inadmissible(operation, a, b, "shape", why);
    }
    pieces.push(m);
    steps.push(d * strides[i]!);
    used[i]! += (m - 1) * d;
    s /= m;
    d = 1;
  }
}

function zeros(tree: IntTree): IntTree {
  return typeof tree === "number" ? 0 : tree.map(zeros);
}

/** The error of a pair of layouts whose composition no layout is. */
export function inadmissible(
  operation: string,
  a: Layout,
  b: Layout,
  reason: CompositionReason,
  why: string,
): LayoutError {
  const problem = `no layout is this composition (${reason}): got ${formatLayout(a)} after ${formatLayout(b)}, where ${why}; expected an admissible pair.`;
  return new LayoutError("SW_LAYOUT_INADMISSIBLE", operation, problem, { layout: a, other: b, reason });
}
