import type { Expression, Formula, Node } from "../expression.js";
import { int32, Lanes, narrowed } from "../lanes.js";

/** Added and taken away again it rounds to an integer, which then stands in the lowest bits of the sum. */
export const MAGIC: number = 1.5 * 2 ** 23;
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
  /** The integer n, and what was to be added to it, in its lowest bits; what is above is not zero. */
  readonly power: Node;
}

/** Splits `e^x` for x from −127 to 127; `scale` is added to the power. */
export function splitExponential(f: Lanes, x: Node, scale = 0): SplitExponential {
  const magic = f.of(MAGIC + scale);
  const power = f.add(f.mul(x, f.of(Math.LOG2E)), magic);
  const n = f.sub(power, magic);
  const r = f.sub(f.sub(x, f.mul(n, f.of(LN2_HIGH))), f.mul(n, f.of(LN2_LOW)));
  return { small: smallOf(f, r), power };
}

/** `e^r − 1` for |r| ≤ ln 2 / 2. */
function smallOf(f: Lanes, r: Node): Node {
  return f.add(r, f.mul(f.mul(r, r), f.polynomial(r, TAIL)));
}

/** Splits `2^y`, y being given in float64 by halves: what is large and still has to be exact. */
export function splitPower(e: Expression, halves: readonly [Node, Node], scale: number): SplitExponential {
  const d = new Lanes(e, "f64x2");
  const magic = d.of(MAGIC_DOUBLE + scale);
  const powers = halves.map((y) => d.add(y, magic)) as [Node, Node];
  const rests = halves.map((y, i) => d.mul(d.sub(y, d.sub(powers[i]!, magic)), d.of(Math.LN2))) as [Node, Node];
  const power = e.shuffle(...powers, [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]);
  return { small: smallOf(new Lanes(e, "f32x4"), narrowed(e, rests)), power };
}

/** 2ⁿ, n being the lowest bits of `power`. */
export function powerOf(e: Expression, power: Node): Node {
  return e.op("i32x4.add", e.shift("i32x4.shl", power, 23), new Lanes(e, "f32x4").of(1));
}

/** From here on, in size, `e^x` may be no normal number. */
const NORMAL = 87.3;

/** `e^x` of float32. Where all lanes are normal numbers it takes three quarters of the time. */
export function exponential(e: Expression, x: Node): Node {
  const isFar: Formula = (g, y) => beyond(new Lanes(g, "f32x4"), y, NORMAL);
  return e.guarded("exponential", x, isFar, exponentialAnywhere, exponentialWithin);
}

/** Where x is larger than a limit, of either sign, or NaN: as integers they are in order. */
export function beyond(f: Lanes, x: Node, limit: number): Node {
  return f.e.op("i32x4.gt_s", f.abs(x), f.of(limit));
}

/** The power of two is multiplied in two halves: overflow and subnormal results are those of the last multiplication. */
function exponentialAnywhere(e: Expression, x: Node): Node {
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

/** `e^x` times `2^scale` within the normal numbers of float32: the exponent is added to the bits. */
export function exponentialWithin(e: Expression, x: Node, scale = 0): Node {
  const f = new Lanes(e, "f32x4");
  const { small, power } = splitExponential(f, x, scale);
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
