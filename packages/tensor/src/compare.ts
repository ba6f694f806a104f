import { everyPair } from "./elements.js";
import { plain } from "./gate.js";
import type { Tensor } from "./tensor.js";

/** How near two values count as equal: `|a - b| ≤ absolute + relative · |b|`. @since 0.1.0 */
export interface Tolerance {
  /** Default: 1e-5. */
  readonly relative?: number;
  /** Default: 1e-8. */
  readonly absolute?: number;
  /** Default: false, as in IEEE 754. */
  readonly equalNaN?: boolean;
}

function sameShape(a: Tensor, b: Tensor): boolean {
  return a.rank === b.rank && a.shape.every((extent, axis) => extent === b.shape[axis]);
}

/** Tells whether two tensors have one shape and equal values; NaN equals nothing, -0 equals 0. Reads both. @since 0.1.0 */
export function arrayEqual(a: Tensor, b: Tensor): boolean {
  plain(a, "arrayEqual");
  plain(b, "arrayEqual");
  if (!sameShape(a, b)) return false;
  // Compares numbers with bigints by value, and NaN with nothing.
  return everyPair(a, b, (x, y) => x >= y && x <= y);
}

/** Tells whether two tensors have one shape and values that are near; infinities must agree. Reads both. @since 0.1.0 */
export function allClose(a: Tensor, b: Tensor, tolerance: Tolerance = {}): boolean {
  plain(a, "allClose");
  plain(b, "allClose");
  if (!sameShape(a, b)) return false;
  const { relative = 1e-5, absolute = 1e-8, equalNaN = false } = tolerance;
  return everyPair(a, b, (x, y) => {
    const [p, q] = [Number(x), Number(y)];
    if (p === q || (equalNaN && Number.isNaN(p) && Number.isNaN(q))) return true;
    return Math.abs(p - q) <= absolute + relative * Math.abs(q) && Number.isFinite(q);
  });
}
