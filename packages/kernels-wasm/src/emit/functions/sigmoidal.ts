import type { Expression, Node } from "../expression.js";
import { inDoubles, Lanes, select } from "../lanes.js";
import { exponentialDouble, exponentialWithin } from "./exponential.js";

/** `(tanh(x) / x − 1) / x²` in x² for |x| ≤ 0.6: minimax, the error 2⁻²⁶ of tanh. */
const TANH = [
  -0.3333333033273155, 0.13332915366987452, -0.053873948848643334, 0.02111095904951479, -0.00626911971964973,
];
const SMALL_TANH = 0.6;

/** `atanh(s) / s` in s² for s ≤ 1/3: minimax, the error 2⁻³⁸. */
const ATANH = [
  1.000000000002433, 0.33333333118960873, 0.2000003071060397, 0.14284072879100546, 0.11152563692791477,
  0.08561268333645095, 0.1093028415715348,
];

/** `tanh(x)` of float32: a polynomial near 0, elsewhere `1 − 2/(e^(2|x|) + 1)`. */
export function hyperbolicTangent(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const size = f.abs(x);
  const z = f.mul(x, x);
  const near = f.add(x, f.mul(f.mul(x, z), f.polynomial(z, TANH)));
  // From 10 on it is 1.
  const bounded = f.atMost(size, 10);
  const power = exponentialWithin(e, f.add(bounded, bounded));
  const far = f.sub(f.of(1), f.div(f.of(2), f.add(power, f.of(1))));
  // The polynomial loses the sign of a zero.
  return e.op("v128.or", select(e, f.compare(size, "ge", f.of(SMALL_TANH)), far, near), f.signOf(x));
}

/** `1 / (1 + e^−x)`, in float64: three roundings in float32 are more than 2 ulp. */
export function logistic(e: Expression, x: Node): Node {
  return inDoubles(e, x, (d, wide) => d.div(d.of(1), d.add(d.of(1), exponentialDouble(d, d.neg(wide)))));
}

/** `x·sigmoid(argument)`, in float64, in which the exponential is no subnormal number. −Infinity times 0 is NaN. */
function gated(e: Expression, x: Node, argument: (d: Lanes, x: Node) => Node): Node {
  const f = new Lanes(e, "f32x4");
  const product = inDoubles(e, x, (d, wide) =>
    d.div(wide, d.add(d.of(1), exponentialDouble(d, d.neg(argument(d, wide))))),
  );
  return e.op("v128.or", product, f.compare(x, "eq", f.of(Number.NEGATIVE_INFINITY)));
}

/** `x·sigmoid(x)`. */
export function silu(e: Expression, x: Node): Node {
  return gated(e, x, (_, wide) => wide);
}

/** `x·sigmoid(2u)`, `u = √(2/π)·(x + 0.044715·x³)`. */
export function geluByTanh(e: Expression, x: Node): Node {
  return gated(e, x, (d, wide) => {
    const scale = d.mul(wide, d.of(Math.sqrt(8 / Math.PI)));
    return d.mul(scale, d.add(d.of(1), d.mul(d.of(0.044715), d.mul(wide, wide))));
  });
}

/** `log(1 + e^x)` as `max(x, 0) + log(1 + e^−|x|)`, the logarithm by its series in `e^−|x| / (2 + e^−|x|)`. */
export function softplus(e: Expression, x: Node): Node {
  return inDoubles(e, x, (d, wide) => {
    const small = exponentialDouble(d, d.neg(d.abs(wide)));
    const s = d.div(small, d.add(d.of(2), small));
    const log = d.mul(d.add(s, s), d.polynomial(d.mul(s, s), ATANH));
    return d.add(d.atLeast(wide, 0), log);
  });
}
