import { maxIndex, minIndex } from "../bounds.js";
import { coalesce } from "../coalesce.js";
import { inadmissible } from "../compose.js";
import { dotOrdinal } from "../coordinates.js";
import { describe, LayoutError } from "../errors.js";
import { injective, requireSteps, searchLimit } from "../injective.js";
import { checkReach, formatLayout, type Layout, requireLayout, trusted } from "../layout.js";
import type { Located } from "../located.js";
import { copyShape, copyStride, type IntTree, type Shape, type Stride } from "../tree.js";

/** Steps of a search before it gives up. */
const DEFAULT_STEPS = 1_000_000;

/** What {@link asStrided} may do. @since 0.1.0 */
export interface AsStridedOptions {
  /** Whether coordinates may share an index, as elements share the scale of their block; false by default. */
  readonly mayRepeat?: boolean;
  /** Steps of a search before it gives up; 1,000,000 by default. */
  readonly steps?: number;
}

/**
 * Views the elements of a layout that strides select among its ordinals, first mode fastest (VA-52): the composition with
 * `shape:stride`, in exactly this shape, whose leaves do not split. It must be injective unless it may repeat; extents of
 * 1 get stride 0.
 *
 * Exact, mostly in closed form: what it cannot decide by carries it searches, at most `steps` steps.
 *
 * @throws TypeError for what is no layout or no options; TypeError, LayoutError as `layout` for shape and stride.
 * @throws LayoutError `SW_LAYOUT_INADMISSIBLE` with `layout`, `other` and `reason`: "domain" when an ordinal is outside the
 * layout, "carry" when no layout of this shape has these indices; `SW_LAYOUT_NOT_INJECTIVE` when two coordinates share an
 * index; `SW_LAYOUT_SEARCH_LIMIT` when a search does not end within `steps`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { asStrided } from "@sw/layout/views";
 * console.log(String(asStrided(layout([5, 4], [4, 1]), [2, 2], [1, 2]).layout)); // (2,2):(4,8)
 * ```
 * @since 0.1.0
 */
export function asStrided(l: Layout, shape: Shape, stride: Stride, options: AsStridedOptions = {}): Located {
  const operation = "asStrided";
  requireLayout(operation, l);
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `asStrided: options are not an object: got ${describe(options)}, expected { mayRepeat, steps }.`,
    );
  }
  const { mayRepeat = false, steps = DEFAULT_STEPS } = options;
  requireSteps(operation, steps);
  const extents = copyShape(operation, shape);
  const strides = copyStride(operation, stride);
  const selector = trusted(extents, strides, checkReach(operation, extents, strides));
  if (minIndex(selector) < 0 || maxIndex(selector) >= l.size) {
    throw inadmissible(operation, l, selector, "domain", `an ordinal is outside 0 to ${l.size - 1}`);
  }
  const source = coalesce(l);
  const steppers: Stepper[] = [];
  const composed = firstSteps(source, selector.size === 0, extents, strides, steppers);
  if (!isLinear(operation, l, source, steppers, steps)) {
    throw inadmissible(operation, l, selector, "carry", "some steps of a mode differ");
  }
  // Its indices are among those of the source, so its reach is safe.
  const view = trusted(extents, composed, selector.size);
  if (!mayRepeat && !injective(operation, view, steps)) {
    const problem = `coordinates share an index: got ${formatLayout(view)} from ${formatLayout(l)}, expected each index once.`;
    throw new LayoutError("SW_LAYOUT_NOT_INJECTIVE", operation, problem, { layout: l, other: selector });
  }
  return { layout: view, start: 0 };
}

/** A leaf of the selector of extent above 1: what one step adds to the ordinal, and what the first step adds to the index. */
interface Stepper {
  readonly extent: number;
  readonly ordinal: number;
  readonly index: number;
}

/** Gives each leaf the stride of its first step, the only one that can be right; lists the leaves that step. */
function firstSteps(
  source: Layout,
  isEmpty: boolean,
  extents: readonly IntTree[],
  strides: readonly IntTree[],
  steppers: Stepper[],
): IntTree[] {
  return extents.map((extent, i) => {
    const ordinal = strides[i]!;
    if (typeof extent !== "number") return firstSteps(source, isEmpty, extent, ordinal as Stride, steppers);
    if (isEmpty || extent === 1) return 0;
    const index = dotOrdinal(source.shape, source.stride, ordinal as number);
    steppers.push({ extent, ordinal: ordinal as number, index });
    return index;
  });
}

/**
 * Whether every step adds what the first one does (VA-53). The index of an ordinal x is d0 x + sum k_i floor(x / P_i), P_i
 * the product of the first extents of the source and k_i the next stride less what would continue the one before. It is
 * linear in the steps when no digit carries: when the remainders modulo P_i of all steps taken stay below P_i. A carry
 * changes the index by k_i, which is never 0 in a coalesced layout, so one digit that carries decides. Carries of several
 * digits may cancel; then only trying tells, over the leaves that touch them, largest steps first.
 */
function isLinear(operation: string, l: Layout, source: Layout, steppers: readonly Stepper[], steps: number): boolean {
  const carrying: number[] = [];
  let product = 1;
  for (let i = 0; i < source.rank - 1; i++) {
    product *= source.shape[i] as number;
    let remainder = 0;
    for (const { extent, ordinal } of steppers) remainder += (extent - 1) * (ordinal % product);
    if (remainder >= product) carrying.push(product);
  }
  if (carrying.length < 2) return carrying.length === 0;
  // Beyond the indices of the source nothing can be equal, and inside every sum below is exact.
  const from = minIndex(l);
  const to = maxIndex(l);
  let lowest = 0;
  let highest = 0;
  for (const { extent, index } of steppers) {
    if (index < 0) lowest += (extent - 1) * index;
    else highest += (extent - 1) * index;
    if (lowest < from || highest > to) return false;
  }
  const moving = steppers.filter(({ ordinal }) => carrying.some((digit) => ordinal % digit !== 0));
  let left = steps;
  const agrees = (k: number, ordinal: number, index: number): boolean => {
    if (k === moving.length) {
      if (--left < 0) throw searchLimit(operation, l, steps);
      return dotOrdinal(source.shape, source.stride, ordinal) === index;
    }
    const step = moving[k]!;
    for (let c = step.extent - 1; c >= 0; c--) {
      if (!agrees(k + 1, ordinal + c * step.ordinal, index + c * step.index)) return false;
    }
    return true;
  };
  return agrees(0, 0, 0);
}
