import { cosize } from "./bounds.js";
import { coalesce } from "./coalesce.js";
import { LayoutError } from "./errors.js";
import { formatLayout, type Layout, made, requireLayout, trusted } from "./layout.js";

/** One mode of a coalesced layout. */
interface Digit {
  readonly extent: number;
  readonly stride: number;
  /** How far apart two ordinals are that differ by one in this mode: the product of the extents before it. */
  readonly step: number;
}

/** Lists the modes of a coalesced layout by stride; equal strides keep their order. */
function digitsByStride(flat: Layout): Digit[] {
  const digits: Digit[] = [];
  let step = 1;
  for (let i = 0; i < flat.shape.length; i++) {
    const extent = flat.shape[i] as number;
    digits.push({ extent, stride: flat.stride[i] as number, step });
    step *= extent;
  }
  return digits.sort((a, b) => a.stride - b.stride);
}

/**
 * Gives the right inverse R of a layout L: `L(R(i)) = i` for all i below the size of R, flat and coalesced (LA-100).
 *
 * R covers as many of the indices 0, 1, 2, … as whole modes of L count up without a gap; at least index 0, so it is
 * `(1):(0)` when L has no mode of stride 1. Strides may have any sign: modes of stride 0, of a negative stride or of one
 * already covered are passed over (LA-101). An empty layout has the right inverse `(0):(0)`.
 *
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { rightInverse } from "@sw/layout/algebra";
 * console.log(String(rightInverse(parseLayout("(2,4):(4,1)")))); // (4,2):(2,1)
 * ```
 * @since 0.1.0
 */
export function rightInverse(l: Layout): Layout {
  requireLayout("rightInverse", l);
  const flat = coalesce(l);
  if (flat.size === 0) return flat;
  const shape: number[] = [];
  const stride: number[] = [];
  let next = 1;
  for (const digit of digitsByStride(flat)) {
    if (digit.stride !== next) continue;
    shape.push(digit.extent);
    stride.push(digit.step);
    next *= digit.extent; // beyond 2^53 it is rounded, but no stride gets there
  }
  // A part of the ordinals of l, each once: neither size nor reach can grow.
  return coalesce(trusted(shape, stride));
}

/**
 * Gives the left inverse Q of an injective layout L: `Q(L(i)) = i` for every ordinal i of L, flat and coalesced (LA-102).
 *
 * Each stride of L, in order of size, must be a multiple of the one before it. Indices that L does not reach are mapped
 * too; what they give means nothing. An empty layout has the left inverse `(0):(0)`.
 *
 * @throws LayoutError `SW_LAYOUT_NOT_INJECTIVE` when two coordinates share an index, `SW_LAYOUT_INDIVISIBLE` when a
 * stride is no multiple of the next smaller one, `SW_LAYOUT_SIGN` for a negative stride, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { leftInverse } from "@sw/layout/algebra";
 * console.log(String(leftInverse(parseLayout("4:2")))); // (2,4):(0,1)
 * ```
 * @since 0.1.0
 */
export function leftInverse(l: Layout): Layout {
  requireLayout("leftInverse", l);
  const flat = coalesce(l);
  if (flat.size <= 1) return flat;
  const digits = digitsByStride(flat);
  if (digits[0]!.stride < 0) {
    const problem = `a stride is negative: got ${digits[0]!.stride}, expected strides of 0 or more (layout ${formatLayout(l)}). Flip that mode first.`;
    throw new LayoutError("SW_LAYOUT_SIGN", "leftInverse", problem, { layout: l, value: digits[0]!.stride });
  }
  if (digits[0]!.stride === 0 || flat.size > cosize(flat)) throw notInjective("leftInverse", l);
  const shape: number[] = [];
  const stride: number[] = [0];
  let previous = 1;
  let end = 1;
  for (const digit of digits) {
    if (digit.stride % previous !== 0) {
      const problem = `a stride is no multiple of the next smaller one: got ${digit.stride} after ${previous}, expected a multiple (layout ${formatLayout(l)}).`;
      throw new LayoutError("SW_LAYOUT_INDIVISIBLE", "leftInverse", problem, { layout: l, value: digit.stride });
    }
    // Of strides that divide one another, one below the end of the mode before it meets that mode again.
    if (digit.stride < end) throw notInjective("leftInverse", l);
    shape.push(digit.stride / previous);
    stride.push(digit.step);
    previous = digit.stride;
    end = digit.extent * digit.stride;
  }
  shape.push(digits[digits.length - 1]!.extent);
  return coalesce(made("leftInverse", shape, stride));
}

/** Builds the error of a layout that gives two coordinates one index. */
export function notInjective(operation: string, l: Layout): LayoutError {
  const problem = `two coordinates share an index: got ${formatLayout(l)}, expected an injective layout.`;
  return new LayoutError("SW_LAYOUT_NOT_INJECTIVE", operation, problem, { layout: l });
}
