import type { Expression, Node } from "../expression.js";
import { int32, Lanes, select } from "../lanes.js";

/** √½: mantissas are taken from here to √2. */
const ROOT_HALF = 0x3f3504f3;
const ONE = 0x3f800000;
const LN2_HIGH = 0.69313812255859375;
const LN2_LOW = 9.05800061445916e-6;
/** `(log(1 + f) − f + f²/2) / s` in `s² = (f / (2 + f))²`, as in FDLIBM (Sun Microsystems, 1993). */
const SERIES = [0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841];

/** `k·ln 2 + log(1 + f)` of a normal v > 0, where k was counted `moved` too high, and a term that is small beside it. */
function core(e: Expression, v: Node, moved: Node | undefined, term: Node | undefined): Node {
  const f = new Lanes(e, "f32x4");
  const shifted = e.op("i32x4.add", v, int32(e, ONE - ROOT_HALF));
  let exponent = e.op("i32x4.sub", e.shift("i32x4.shr_s", shifted, 23), int32(e, 127));
  if (moved !== undefined) exponent = e.op("i32x4.sub", exponent, moved);
  const k = e.op("f32x4.convert_i32x4_s", exponent);
  const mantissa = e.op("i32x4.add", e.op("v128.and", shifted, int32(e, 0x7fffff)), int32(e, ROOT_HALF));
  const part = f.sub(mantissa, f.of(1));
  const s = f.div(part, f.add(f.of(2), part));
  const z = f.mul(s, s);
  const w = f.mul(z, z);
  const [first, second, third, fourth] = SERIES as [number, number, number, number];
  const odd = f.mul(z, f.add(f.of(first), f.mul(w, f.of(third))));
  const even = f.mul(w, f.add(f.of(second), f.mul(w, f.of(fourth))));
  const square = f.mul(f.mul(f.of(0.5), part), part);
  const low = f.mul(k, f.of(LN2_LOW));
  const small = f.add(f.mul(s, f.add(square, f.add(odd, even))), term === undefined ? low : f.add(low, term));
  return f.add(f.add(f.sub(small, square), part), f.mul(k, f.of(LN2_HIGH)));
}

/** Puts in what is no finite number above the pole: the pole gives −Infinity, what lies below it NaN. */
function special(e: Expression, x: Node, y: Node, pole: number): Node {
  const f = new Lanes(e, "f32x4");
  const inside = f.compare(x, "ge", f.of(pole));
  const finite = select(e, f.compare(x, "eq", f.of(Number.POSITIVE_INFINITY)), x, y);
  const bounded = select(e, f.compare(x, "eq", f.of(pole)), f.of(Number.NEGATIVE_INFINITY), finite);
  // All bits set are a NaN.
  return e.op("v128.or", bounded, e.op("v128.not", inside));
}

/** `log(x)` of float32. */
export function logarithm(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const subnormal = f.compare(x, "lt", f.of(2 ** -126));
  const normal = select(e, subnormal, f.mul(x, f.of(2 ** 23)), x);
  return special(e, x, core(e, normal, e.op("v128.and", subnormal, int32(e, 23)), undefined), 0);
}

/** `log(1 + x)` of float32: the rounding error of the sum is made good, relative to it. */
export function logarithmOneMore(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const v = f.add(f.of(1), x);
  // Exact, either of them on its side.
  const above = f.sub(f.of(1), f.sub(v, x));
  const below = f.sub(x, f.sub(v, f.of(1)));
  const lost = f.div(select(e, f.compare(x, "gt", f.of(1)), above, below), v);
  return special(e, x, e.op("v128.or", core(e, v, undefined, lost), f.signOf(x)), -1);
}
