import { minIndex, sortedByStride } from "./bounds.js";
import {
  type ComplementReason,
  describe,
  LayoutError,
  type LayoutErrorFields,
  notAnInteger,
  unsafe,
} from "./errors.js";
import { formatLayout, type Layout, made, requireLayout, trusted } from "./layout.js";

/**
 * Gives the ordered layout of the gaps: its indices, added to those of `l`, give every index in [0, cotarget) once
 * (LA-70). Exact, or refused (LA-73): the proof is that each stride, sorted, is a multiple of the span before it.
 *
 * Without a cotarget only the gaps inside the span of `l` are filled, as many whole spans as cover its cosize: one. With
 * `roundUp` the cotarget may be smaller than the span of `l`, or no multiple of it:
 * then as many whole spans are counted as cover it. Nothing left to fill gives `(1):(0)`; a cotarget of 0 gives `(0):(0)`.
 *
 * @throws TypeError for what is not a layout, an integer or a boolean.
 * @throws LayoutError `SW_LAYOUT_COMPLEMENT` with `layout`, `value` (the cotarget) and `reason`: "overlap" (two leaves
 * share a span, or an index is reached twice), "divisibility", or "cotarget" (too small); `SW_LAYOUT_SIGN` for a negative
 * stride, `SW_LAYOUT_EMPTY` for an empty layout, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { complement } from "@sw/layout/algebra";
 * console.log(String(complement(parseLayout("(2,2):(1,6)"), 24))); // (3,2):(2,12)
 * console.log(String(complement(parseLayout("(2,2):(1,6)")))); // (3):(2)
 * console.log(String(complement(parseLayout("4:1"), 10, { roundUp: true }))); // (3):(4)
 * ```
 * @since 0.1.0
 */
export function complement(l: Layout, cotarget?: number, options: { readonly roundUp?: boolean } = {}): Layout {
  requireLayout("complement", l);
  const target = cotarget === undefined ? 1 : cotarget; // 1 and the cosize round up to the same: one span
  if (typeof target !== "number" || !Number.isInteger(target)) throw notAnInteger("complement", "cotarget", target);
  if (!Number.isSafeInteger(target)) throw unsafe("complement", "cotarget", target, { layout: l });
  if (target < 0) {
    const problem = `cotarget is negative: got ${target} (layout ${formatLayout(l)}), expected 0 or more.`;
    throw new LayoutError("SW_LAYOUT_COMPLEMENT", "complement", problem, {
      layout: l,
      value: target,
      reason: "cotarget",
    });
  }
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`complement: options are not an object: got ${describe(options)}, expected { roundUp }.`);
  }
  const { roundUp = false } = options;
  if (typeof roundUp !== "boolean") {
    throw new TypeError(`complement: roundUp is not a boolean: got ${describe(roundUp)}, expected true or false.`);
  }
  return complementIn("complement", l, target, roundUp || cotarget === undefined);
}

/**
 * As `complement`, of checked arguments, for an operation on two layouts: `whole` is the layout of which `l` is the tile,
 * `copies` the layout by which `l` is repeated. Errors name both.
 */
export function complementIn(
  operation: string,
  l: Layout,
  cotarget: number,
  roundUp: boolean,
  whole?: Layout,
  copies?: Layout,
): Layout {
  requirePositive(operation, l, whole, copies);
  const refuse = (reason: ComplementReason, why: string): LayoutError => {
    const of = whole ? ` of ${formatLayout(whole)}` : copies ? ` for copies by ${formatLayout(copies)}` : "";
    const problem = `no layout is this complement (${reason}): got ${formatLayout(l)} in ${cotarget} elements${of}, where ${why}; expected spans that divide each other and the elements.`;
    return new LayoutError("SW_LAYOUT_COMPLEMENT", operation, problem, {
      ...operands(l, whole, copies),
      value: cotarget,
      reason,
    });
  };
  const shape: number[] = [];
  const stride: number[] = [];
  let span = 1;
  for (const [extent, step] of sortedByStride(l)) {
    if (step < span) throw refuse("overlap", `stride ${step} lies within the span ${span} of smaller strides`);
    if (step % span !== 0) throw refuse("divisibility", `stride ${step} is no multiple of the span ${span} below it`);
    if (step > span) {
      shape.push(step / span);
      stride.push(span);
    }
    // Rounded only beyond 2^53, where it exceeds every stride that follows and every cotarget.
    span = extent * step;
  }
  const rest = cotarget % span;
  if (!roundUp) {
    if (cotarget < span && cotarget !== 0) throw refuse("cotarget", `the layout spans ${span}`);
    if (rest !== 0) throw refuse("divisibility", `the span ${span} does not divide ${cotarget}`);
  }
  if (cotarget === 0) return trusted([0], [0], 0);
  const count = (cotarget - rest) / span + (rest === 0 ? 0 : 1);
  if (count > 1) {
    shape.push(count);
    stride.push(span);
  }
  return shape.length === 0 ? trusted([1], [0], 1) : made(operation, shape, stride);
}

/** Refuses a layout without elements, and one with a negative stride that is taken. */
function requirePositive(operation: string, l: Layout, whole?: Layout, copies?: Layout): void {
  const isEmpty = l.size === 0;
  if (!isEmpty && minIndex(l) >= 0) return;
  const of = whole ? ` (tile of ${formatLayout(whole)})` : copies ? ` (copied by ${formatLayout(copies)})` : "";
  const problem = isEmpty
    ? `an empty layout has no complement: got ${formatLayout(l)}, expected extents of 1 or more${of}.`
    : `a stride is negative: got ${formatLayout(l)}, expected strides of 0 or more${of}.`;
  const code = isEmpty ? "SW_LAYOUT_EMPTY" : "SW_LAYOUT_SIGN";
  throw new LayoutError(code, operation, problem, operands(l, whole, copies));
}

function operands(l: Layout, whole?: Layout, copies?: Layout): LayoutErrorFields {
  if (whole !== undefined) return { layout: whole, other: l };
  return copies === undefined ? { layout: l } : { layout: l, other: copies };
}
