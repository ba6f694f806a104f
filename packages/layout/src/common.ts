import { coalesce } from "./coalesce.js";
import { LayoutError } from "./errors.js";
import { gcd } from "./injective.js";
import { rightInverse } from "./inverse.js";
import { checkedSize, type Layout, made, requireLayout, trusted } from "./layout.js";
import { requireCount } from "./recast.js";
import { copyShape, formatShape, leaves, type Shape } from "./tree.js";

/**
 * Gives the largest layout R that is a right inverse of both, `a(R(i)) = b(R(i)) = i`, flat and coalesced (LA-104).
 *
 * It is the longest start of the right inverse of `b` that lies in the domain of `a` and on which `a`, too, counts
 * 0, 1, 2, …: the elements that one wide copy can move. At least element 0, as `(1):(0)`; when a layout is empty there
 * is nothing in common and the result is `(0):(0)`. Never refuses a pair of layouts.
 *
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { maxCommonLayout } from "@sw/layout/algebra";
 * console.log(String(maxCommonLayout(parseLayout("(4,8):(1,4)"), parseLayout("(4,6):(1,8)")))); // (4):(1)
 * ```
 * @since 0.1.0
 */
export function maxCommonLayout(a: Layout, b: Layout): Layout {
  requireLayout("maxCommonLayout", a);
  requireLayout("maxCommonLayout", b);
  return commonLayout(a, b);
}

/**
 * Counts the elements of {@link maxCommonLayout}: the widest vector that both layouts store side by side (LA-104).
 *
 * 1 or more, and 0 only when one of the layouts is empty.
 *
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { maxCommonVector } from "@sw/layout/algebra";
 * console.log(maxCommonVector(parseLayout("(4,8):(1,4)"), parseLayout("(4,6):(1,8)"))); // 4
 * ```
 * @since 0.1.0
 */
export function maxCommonVector(a: Layout, b: Layout): number {
  requireLayout("maxCommonVector", a);
  requireLayout("maxCommonVector", b);
  return commonLayout(a, b).size;
}

function commonLayout(a: Layout, b: Layout): Layout {
  const inverse = rightInverse(b);
  const outer = coalesce(a);
  if (outer.size === 0) return outer;
  if (inverse.size === 0) return inverse;
  const extents = outer.shape as readonly number[];
  const strides = outer.stride as readonly number[];
  // How much of each digit of a the modes taken so far can use. A step is exact as long as no digit carries.
  const used: number[] = [];
  for (let k = 0; k < extents.length; k++) used.push(0);
  const shape: number[] = [];
  const stride: number[] = [];
  let count = 1;
  for (let i = 0; i < inverse.shape.length; i++) {
    const extent = inverse.shape[i] as number;
    const step = inverse.stride[i] as number;
    const digits: number[] = [];
    let rest = step;
    let index = 0;
    let room = extent;
    for (let k = 0; k < extents.length; k++) {
      // the last digit is not reduced: what is beyond it leaves no room
      const digit = k === extents.length - 1 ? rest : rest % extents[k]!;
      rest = (rest - digit) / extents[k]!;
      digits.push(digit);
      if (digit === 0) continue;
      index += digit * strides[k]!;
      room = Math.min(room, Math.floor((extents[k]! - 1 - used[k]!) / digit) + 1);
    }
    if (room === 1 || index !== count) break;
    shape.push(room);
    stride.push(step);
    count *= room;
    if (room < extent) break;
    for (let k = 0; k < digits.length; k++) used[k]! += (room - 1) * digits[k]!;
  }
  return shape.length === 0 ? trusted([1], [0], 1) : trusted(shape, stride, count); // a part of the right inverse
}

/**
 * Gives the ordinals that a layout maps to index 0 by its leaves of stride 0: `l(nullspace(l)(i)) = 0` (LA-105).
 *
 * Flat, one mode per leaf of stride 0 and extent above 1; its size is how often each element is repeated. `(1):(0)` when
 * there is none, `(0):(0)` for an empty layout.
 *
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { nullspace } from "@sw/layout/algebra";
 * console.log(String(nullspace(parseLayout("(2,3,4):(1,0,2)")))); // (3):(2)
 * ```
 * @since 0.1.0
 */
export function nullspace(l: Layout): Layout {
  requireLayout("nullspace", l);
  if (l.size === 0) return trusted([0], [0], 0);
  const extents = leaves(l.shape);
  const strides = leaves(l.stride);
  const shape: number[] = [];
  const stride: number[] = [];
  let step = 1;
  for (let i = 0; i < extents.length; i++) {
    if (extents[i]! > 1 && strides[i] === 0) {
      shape.push(extents[i]!);
      stride.push(step);
    }
    step *= extents[i]!;
  }
  return shape.length === 0 ? trusted([1], [0], 1) : trusted(shape, stride); // a part of the ordinals of l
}

/**
 * Picks up to `n` elements that divide a shape evenly: from each leaf, first to last, the common divisor of its extent
 * and what is left of n. The result maps them, in order, to ordinals of the shape; flat and coalesced (LA-106).
 *
 * Its size divides n, and is smaller when the extents have too few common divisors with it.
 *
 * @throws TypeError when `n` is not an integer; LayoutError as `layout` for the shape, `SW_LAYOUT_COUNT` when n is below
 * 1, `SW_LAYOUT_EMPTY` when the shape has an extent of 0.
 * @example
 * ```ts
 * import { domainDistribute } from "@sw/layout/algebra";
 * console.log(String(domainDistribute([15, 14], 6))); // (3,2):(1,15)
 * ```
 * @since 0.1.0
 */
export function domainDistribute(shape: Shape, n: number): Layout {
  const checked = copyShape("domainDistribute", shape);
  const size = checkedSize("domainDistribute", checked);
  requireCount("domainDistribute", "the number of elements", n);
  if (size === 0) {
    const problem = `the shape has no elements to pick: got ${formatShape(checked)}, expected extents of 1 or more.`;
    throw new LayoutError("SW_LAYOUT_EMPTY", "domainDistribute", problem, { shape: checked });
  }
  const picked: number[] = [];
  const stride: number[] = [];
  let step = 1;
  let left = n;
  for (const extent of leaves(checked)) {
    const common = gcd(extent, left);
    picked.push(common);
    stride.push(step);
    left /= common;
    step *= extent;
  }
  return coalesce(made("domainDistribute", picked, stride));
}
