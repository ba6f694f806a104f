import {
  abs,
  any,
  div,
  eq,
  exp,
  logicalAnd,
  logicalOr,
  maximum,
  mean,
  mul,
  isNaN as nan,
  prod,
  sign,
  sub,
  sum,
  type Tensor,
  where,
} from "@sw/tensor";
import { type BackwardRecord, type BackwardRule, unpack } from "@sw/tensor/seam";
import { isGradEnabled, noGrad } from "../mode.js";
import { divided } from "./divided.js";
import { inputShape } from "./needs.js";
import { exclusiveProducts } from "./products.js";

/** A reduction's result or cotangent with the axes that were reduced, of extent 1. */
function kept(record: BackwardRecord, t: Tensor): Tensor {
  return t.reshape(inputShape(record, 0).map((extent, axis) => (record.ints.includes(axis) ? 1 : extent)));
}

/** Repeats a reduction's cotangent over the axes that were reduced. */
function spread(record: BackwardRecord, g: Tensor): Tensor {
  return kept(record, g).expand(inputShape(record, 0));
}

/** How many elements each result was made of. */
function countOf(record: BackwardRecord): number {
  const shape = inputShape(record, 0);
  return record.ints.reduce((product, axis) => product * (shape[axis] ?? 1), 1);
}

/** Shares a reduction's cotangent evenly among the elements of a mask. */
function shared(record: BackwardRecord, g: Tensor, mask: Tensor): Tensor {
  // At least 1, since nobody shares in a norm of nothing, and 0 / 0 would show in second order.
  const count = noGrad(() => maximum(sum(mask, { axes: record.ints, keepAxes: true }), 1));
  return where(mask, divided(kept(record, g), count), 0);
}

export const sumRule: BackwardRule = (record, g) => [spread(record, g)];

// Divided before it is spread: one division per kept element.
export const meanRule: BackwardRule = (record, g) => [spread(record, divided(g, countOf(record)))];

export const prodRule: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const zero = noGrad(() => eq(x, 0));
  const others = (): Tensor => {
    if (!any(zero).item()) return div(kept(record, unpack(record, 1)), x);
    // Which factors are 0 has no history, and whoever differentiates once more needs the products of the others'.
    if (isGradEnabled()) return exclusiveProducts(x, record.ints);
    const ones = where(zero, 1, x);
    const along = { axes: record.ints, keepAxes: true };
    const count = sum(zero, along);
    const rest = prod(ones, along) as Tensor;
    // One factor of 0 is the only one that counts, and where two are 0, none does.
    return where(eq(count, 0), div(rest, ones), where(logicalAnd(eq(count, 1), zero), rest, 0));
  };
  return [mul(kept(record, g), others())];
};

/** Of the smallest and the largest. A NaN is the result wherever it is. */
export const extreme: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const y = kept(record, unpack(record, 1));
  const chosen = noGrad(() => logicalOr(eq(x, y), nan(x)));
  return [shared(record, g, chosen)];
};

export const variance: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const [correction = 0] = record.floats;
  const centred = sub(x, mean(x, { axes: record.ints, keepAxes: true }) as Tensor);
  return [mul(kept(record, divided(g, Math.max(0, countOf(record) - correction) / 2)), centred)];
};

export const normRule: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const [order] = record.floats;
  const y = kept(record, unpack(record, 1));
  if (order === 2) {
    // Of the origin too, where the norm has a corner: 0. Masked on both sides, since 0 / 0 would show in second order.
    const origin = noGrad(() => eq(y, 0));
    // The quotient first that is at most 1: g / y may overflow where the gradient does not.
    return [where(origin, 0, mul(kept(record, g), div(x, where(origin, 1, y))))];
  }
  const sides = noGrad(() => sign(x));
  if (order === 1) return [mul(kept(record, g), sides)];
  const largest = noGrad(() => logicalOr(eq(abs(x), y), nan(x)));
  return [mul(sides, shared(record, g, largest))];
};

export const logSumExp: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const y = kept(record, unpack(record, 1));
  // Of -Infinity alone: each element has no share, instead of NaN.
  const none = noGrad(() => eq(y, Number.NEGATIVE_INFINITY));
  const shares = exp(sub(x, where(none, 0, y)));
  // They sum to 1 but for the rounding of y, which is large where y is.
  const total = sum(shares, { axes: record.ints, keepAxes: true }) as Tensor;
  const odd = noGrad(() => logicalOr(none, nan(total)));
  return [mul(kept(record, g), div(shares, where(odd, 1, total)))];
};
