import type { Expression, Node } from "../expression.js";
import { inDoubles, Lanes, select } from "../lanes.js";
import { exponentialDouble } from "./exponential.js";

/** `erf(x) / x` in x² for |x| ≤ 1: minimax, the error 2⁻³⁵. */
const ERF = [
  1.1283791670615435, -0.3761263846802871, 0.11283782495236845, -0.026865430727670243, 0.005221031807858023,
  -0.0008484080405535107, 0.00011265959025606609, -9.667044571486996e-6,
];
/**
 * `(t + 3)·e^(t²/2)·(1 − Φ(t))` in `(t − 3) / (t + 3)` for t from 0 to 15, Φ being the normal distribution: minimax,
 * the error 2⁻²⁹.
 */
const TAIL = [
  0.7290836907139794, -0.5093319888345391, 0.2300176766741665, -0.04726276192117602, -0.01046228896653126,
  0.006969920150912792, 0.0010241573243785498, -0.0010344765508861836, -0.0002447093207917761, 0.00013332395420363602,
  5.5491871716794676e-5,
];

/** `1 − Φ(t)` for t from 0 to 15, given with `t²/2`: relative to itself, however small. */
function upperTail(d: Lanes, t: Node, halfSquare: Node): Node {
  const reciprocal = d.div(d.of(1), d.add(t, d.of(3)));
  const scaled = d.mul(d.polynomial(d.mul(d.sub(t, d.of(3)), reciprocal), TAIL), reciprocal);
  return d.mul(scaled, exponentialDouble(d, d.neg(halfSquare)));
}

/** The error function, in float64: a polynomial below 1, its complement above. */
export function errorFunction(e: Expression, x: Node): Node {
  return inDoubles(e, x, (d, wide) => {
    const size = d.atMost(d.abs(wide), 4);
    const square = d.mul(size, size);
    const near = d.mul(wide, d.polynomial(square, ERF));
    const complement = upperTail(d, d.mul(size, d.of(Math.SQRT2)), square);
    const far = e.op("v128.or", d.sub(d.of(1), d.add(complement, complement)), d.signOf(wide));
    return select(e, d.compare(size, "ge", d.of(1)), far, near);
  });
}

/** `x·Φ(x)`, in float64, where the square of a float32 is exact: `max(x, 0) − |x|·(1 − Φ(|x|))`. */
export function gelu(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const result = inDoubles(e, x, (d, wide) => {
    // Beyond, what is taken away rounds to 0.
    const size = d.atMost(d.abs(wide), 15);
    const tail = upperTail(d, size, d.mul(d.mul(size, size), d.of(0.5)));
    return d.sub(d.atLeast(wide, 0), d.mul(size, tail));
  });
  // −Infinity times 0.
  return e.op("v128.or", result, f.compare(x, "eq", f.of(Number.NEGATIVE_INFINITY)));
}
