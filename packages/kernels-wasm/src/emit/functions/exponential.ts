import type { Expression, Node } from "../expression.js";
import { int32, Lanes } from "../lanes.js";

/** Added and taken away again it rounds to an integer, which then stands in the lowest bits of the sum. */
const MAGIC = 1.5 * 2 ** 23;
const MAGIC_DOUBLE = 1.5 * 2 ** 52;
/** ln 2 in two parts: the first has 15 bits, so that its product with an exponent is exact. */
const LN2_HIGH = 0.693145751953125;
const LN2_LOW = 1.42860677e-6;

/** `(e^r − 1 − r) / r²` for |r| ≤ ln 2 / 2: minimax, the error 2⁻²⁷ of e^r. */
const TAIL = [0.5, 0.16666574486052288, 0.04166655148961687, 0.008363593071039321, 0.0013926700763079803];
/** The same to 2⁻³². */
const TAIL_DOUBLE = [
  0.5000000013557447, 0.16666666681725, 0.04166646401078555, 0.008333310823923211, 0.0013933751387987224,
  0.00019891103420544327,
];

/** `e^x` as `(1 + small)·2ⁿ`, x being within what an exponent can say. */
export interface SplitExponential {
  /** e^r − 1. */
  readonly small: Node;
  /** The integer n, in its lowest bits; what is above is not zero. */
  readonly power: Node;
}

/** Splits `e^x` for x from −104 to 89. */
export function splitExponential(f: Lanes, x: Node): SplitExponential {
  const power = f.add(f.mul(x, f.of(Math.LOG2E)), f.of(MAGIC));
  const n = f.sub(power, f.of(MAGIC));
  const r = f.sub(f.sub(x, f.mul(n, f.of(LN2_HIGH))), f.mul(n, f.of(LN2_LOW)));
  return { small: f.add(r, f.mul(f.mul(r, r), f.polynomial(r, TAIL))), power };
}

/**
 * `e^x` of float32. The power of two is multiplied in two halves: overflow and subnormal results are those of the
 * last multiplication.
 */
export function exponential(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const { small, power } = splitExponential(f, f.atMost(f.atLeast(x, -104), 89));
  const n = e.op("i32x4.sub", power, f.of(MAGIC));
  const half = e.shift("i32x4.shr_s", n, 1);
  const scaled = f.mul(f.add(f.of(1), small), powerOfTwo(e, half));
  return f.mul(scaled, powerOfTwo(e, e.op("i32x4.sub", n, half)));
}

/** 2ⁿ of integers that are exponents of float32. */
function powerOfTwo(e: Expression, n: Node): Node {
  return e.shift("i32x4.shl", e.op("i32x4.add", n, int32(e, 127)), 23);
}

/** `e^x − 1` of float32, computed by halves so that it overflows only where it does. */
export function exponentialLessOne(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const { small, power } = splitExponential(f, f.atMost(f.atLeast(x, -18), 89));
  const half = powerOfTwo(e, e.op("i32x4.sub", e.op("i32x4.sub", power, f.of(MAGIC)), int32(e, 1)));
  const halved = f.add(f.mul(small, half), f.sub(half, f.of(0.5)));
  return e.op("v128.or", f.add(halved, halved), f.signOf(x));
}

/** `e^x` times a power of two within the normal numbers of float32: its exponent is added to the bits. */
export function exponentialWithin(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const { small, power } = splitExponential(f, x);
  return e.op("i32x4.add", f.add(f.of(1), small), e.shift("i32x4.shl", power, 23));
}

/** `e^x` of float64 to 2⁻³¹; below −708 and above 709 that of the limit. */
export function exponentialDouble(d: Lanes, x: Node): Node {
  const { e } = d;
  const bounded = d.atMost(d.atLeast(x, -708), 709);
  const power = d.add(d.mul(bounded, d.of(Math.LOG2E)), d.of(MAGIC_DOUBLE));
  const r = d.sub(bounded, d.mul(d.sub(power, d.of(MAGIC_DOUBLE)), d.of(Math.LN2)));
  const near = d.add(d.of(1), d.add(r, d.mul(d.mul(r, r), d.polynomial(r, TAIL_DOUBLE))));
  return e.op("i64x2.add", near, e.shift("i64x2.shl", power, 52));
}
