import type { Expression, Formula, Node } from "../expression.js";
import { inDoubles, Lanes, select, widened } from "../lanes.js";
import {
  beyond,
  exponentialDouble,
  MAGIC,
  powerOf,
  type SplitExponential,
  splitExponential,
  splitPower,
} from "./exponential.js";

/** `(tanh(x) / x − 1) / x²` in x² for |x| ≤ 0.55: minimax, the error 2⁻²⁴ of tanh. */
const TANH = [-0.33332946646521167, 0.13320725270559572, -0.05267182699320168, 0.016437606395776738];
/** From here on tanh is above a half, and nothing is lost in taking it from 1. */
const LARGE_TANH = 0.55;

/** `atanh(s) / s` in s² for s ≤ 1/3: minimax, the error 2⁻³⁸. */
const ATANH = [
  1.000000000002433, 0.33333333118960873, 0.2000003071060397, 0.14284072879100546, 0.11152563692791477,
  0.08561268333645095, 0.1093028415715348,
];

/**
 * `tanh(x)` of float32. One polynomial is `t = tanh(h)`: of x itself near 0; elsewhere of `h = x − n·ln 2 / 2`, and the
 * result is `1 − (1 − t) / ((p + ½) + t·(p − ½))` with `p = 2ⁿ / 2`.
 */
export function hyperbolicTangent(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const size = f.abs(x);
  const isLarge = f.compare(size, "ge", f.of(LARGE_TANH));
  // From 10 on it is 1.
  const bounded = f.atMost(size, 10);
  const power = f.add(f.mul(bounded, f.of(2 * Math.LOG2E)), f.of(MAGIC));
  const n = e.op("v128.and", f.sub(power, f.of(MAGIC)), isLarge);
  // The last bits of ln 2 / 2 in float32 are zeros: up to n = 7 products are exact, beyond the slope is small.
  const h = f.sub(bounded, f.mul(n, f.of(Math.LN2 / 2)));
  const z = f.mul(h, h);
  const t = f.add(h, f.mul(f.mul(h, z), f.polynomial(z, TANH)));
  const p = f.mul(powerOf(e, power), f.of(0.5));
  const rest = f.div(f.sub(f.of(1), t), f.add(f.add(p, f.of(0.5)), f.mul(t, f.sub(p, f.of(0.5)))));
  return e.op("v128.or", select(e, isLarge, f.sub(f.of(1), rest), t), f.signOf(x));
}

/** `1 / (1 + e^−x)`. */
export function logistic(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  return quotient(f, f.of(1), opposite(f, f.atLeast(x, -LARGEST)));
}

/** `x·sigmoid(x)`. */
export function silu(e: Expression, x: Node): Node {
  return gated(e, "silu", x, LARGEST, (f, y) => opposite(f, y));
}

/** `x·sigmoid(2u)`, `u = √(2/π)·(x + 0.044715·x³)`; u is computed in float64, since its error is that of the result. */
export function geluByTanh(e: Expression, x: Node): Node {
  const factor = -Math.sqrt(8 / Math.PI) * Math.LOG2E;
  return gated(e, "geluByTanh", x, 10.9, (f, y) => {
    const d = new Lanes(f.e, "f64x2");
    const [first, third] = [d.of(factor), d.of(0.044715 * factor)];
    const powers = widened(f.e, f.atMost(y, 6)).map((wide) =>
      d.mul(wide, d.add(first, d.mul(third, d.mul(wide, wide)))),
    ) as [Node, Node];
    return splitPower(f.e, powers, -SCALE);
  });
}

/** From here on, in size, a sigmoid is 1, and nothing beside any float32. */
const LARGEST = 110;
/** Small sigmoids are subnormal numbers: exponentials are 2⁻⁶⁴ times what they are until the last multiplication. */
const SCALE = 64;

/** `e^−x`, scaled, from x = −110 on; it is nothing beside 1 from 40 on. */
function opposite(f: Lanes, x: Node): SplitExponential {
  return splitExponential(f, f.neg(f.atMost(x, 40)), -SCALE);
}

/** `x / (1 + e)`, e being what was split. The smaller terms are added first: 2 ulp, by a hair. */
function quotient(f: Lanes, x: Node, { small, power }: SplitExponential): Node {
  const unit = f.of(2 ** -SCALE);
  const p = powerOf(f.e, power);
  return f.mul(f.div(x, f.add(p, f.add(f.mul(p, small), unit))), unit);
}

/** `x / (1 + e)` of every x: beyond a limit it is x, or x times 0. */
function gated(
  e: Expression,
  name: string,
  x: Node,
  limit: number,
  exponential: (f: Lanes, x: Node) => SplitExponential,
): Node {
  const isFar: Formula = (g, y) => beyond(new Lanes(g, "f32x4"), y, limit);
  const usual: Formula = (g, y) => {
    const f = new Lanes(g, "f32x4");
    return quotient(f, y, exponential(f, y));
  };
  const rare: Formula = (g, y) => {
    const f = new Lanes(g, "f32x4");
    const far = f.mul(y, g.op("v128.and", f.compare(y, "gt", f.of(0)), f.of(1)));
    return select(g, isFar(g, y), far, usual(g, f.atMost(f.atLeast(y, -limit), limit)));
  };
  return e.guarded(name, x, isFar, rare, usual);
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
