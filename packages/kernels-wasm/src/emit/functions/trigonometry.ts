import type { FunctionBuilder, FunctionReference, ModuleBuilder } from "../../assembler/index.js";
import type { Expression, Node } from "../expression.js";
import { inDoubles, int64, select } from "../lanes.js";

/** Added and taken away again it rounds to an integer, which then stands in the lowest bits of the sum. */
const MAGIC = 1.5 * 2 ** 52;
/** π/2 in two parts: the first has 25 bits, so that its product with the quadrant is exact. */
const QUARTER_HIGH = 1.5707963109016418;
const QUARTER_LOW = 1.5893254773528196e-8;
/** From here on the two parts are too short. */
const LARGE = 2 ** 20;

/** `(sin(r) / r − 1) / r²` in r² for |r| ≤ π/4: minimax, the error 2⁻³⁶ of the sine. */
const SINE = [-0.16666666663844049, 0.008333331870341349, -0.00019840084376422702, 2.724962008007533e-6];
/** `(cos(r) − 1 + r²/2) / r⁴` in r² for |r| ≤ π/4: minimax, the error 2⁻³⁹. */
const COSINE = [0.041666666664311826, -0.0013888887668370663, 2.480059840835012e-5, -2.730070403808665e-7];

/** 5 bits of 0, then the first 251 binary digits of 2/π. */
const TWO_BY_PI = [0x0517cc1b727220a9n, 0x4fe13abe8fa9a6een, 0x06db14acc9e21c82n, 0x0ff28b1d5ef5de2bn] as const;

/**
 * Emits the reduction of one number from 2²⁰ up, a float32: its distance from the nearest multiple of π/2, whose two
 * lowest bits are overwritten by the quadrant. The digits of 2/π that matter are multiplied by the 24 bits of x, in
 * integers: those before are whole turns (Payne and Hanek, 1983).
 */
export function emitLargeReduction(module: ModuleBuilder): FunctionReference {
  return module.function(
    "reduceLarge",
    { x: "f64" },
    ["f64"],
    (f, { x }) => {
      const bits = f.local("i32", "bits");
      const place = f.local("i32", "place");
      const digits = f.local("i64", "digits");
      const next = f.local("i64", "next");
      const shift = f.local("i64", "shift");
      const mantissa = f.local("i64", "mantissa");
      const turns = f.local("i64", "turns");
      const quadrant = f.local("i64", "quadrant");
      f.get(x).op("f32.demote_f64").op("i32.reinterpret_f32").set(bits);
      f.get(bits).i32(0x7fffff).op("i32.and").i32(0x800000).op("i32.or").op("i64.extend_i32_u").set(mantissa);
      // The digit that the mantissa multiplies to a half turn; those before give whole turns.
      f.get(bits).i32(23).op("i32.shr_u").i32(255).op("i32.and").i32(147).op("i32.sub").set(place);
      f.get(place).i32(63).op("i32.and").op("i64.extend_i32_u").set(shift);
      const window = (word: 0 | 1): void => {
        const pick = (k: 0 | 1 | 2): void => {
          f.op("i64.const", TWO_BY_PI[k + 1]!).op("i64.const", TWO_BY_PI[k]!);
          f.get(place).i32(64).op("i32.ge_s").select();
        };
        pick(word);
        f.get(shift).op("i64.shl");
        pick((word + 1) as 1 | 2);
        f.op("i64.const", 1n)
          .op("i64.shr_u")
          .op("i64.const", 63n)
          .get(shift)
          .op("i64.sub")
          .op("i64.shr_u")
          .op("i64.or");
      };
      window(0);
      f.set(digits);
      window(1);
      f.op("i64.const", 32n).op("i64.shr_u").set(next);
      f.get(mantissa).get(digits).op("i64.mul");
      f.get(mantissa).get(next).op("i64.mul").op("i64.const", 32n).op("i64.shr_u").op("i64.add").set(turns);
      f.op("i64.const", 0n).get(turns).op("i64.sub").get(turns).get(bits).i32(0).op("i32.lt_s").select().set(turns);
      f.get(turns)
        .op("i64.const", 1n << 61n)
        .op("i64.add")
        .op("i64.const", 62n)
        .op("i64.shr_u")
        .set(quadrant);
      f.get(turns).get(quadrant).op("i64.const", 62n).op("i64.shl").op("i64.sub").op("f64.convert_i64_s");
      f.op("f64.const", Math.PI * 2 ** -63).op("f64.mul");
      f.op("i64.reinterpret_f64").op("i64.const", -4n).op("i64.and").get(quadrant).op("i64.or");
      // NaN of an infinity, 0 of a number.
      f.op("f64.reinterpret_i64").get(x).get(x).op("f64.sub").op("f64.add");
    },
    { exported: false },
  );
}

/** Puts the reductions of both lanes on the stack as a vector if one of them is large; the other is nothing then. */
function reduceLarge(f: FunctionBuilder, reduction: FunctionReference): void {
  const large = f.local("v128", "large");
  const x = f.local("v128", "x");
  f.set(large).set(x);
  f.get(large).op("v128.any_true");
  f.if(
    () => {
      f.get(x).op("f64x2.extract_lane", 0).call(reduction).op("f64x2.splat");
      f.get(x).op("f64x2.extract_lane", 1).call(reduction).op("f64x2.replace_lane", 1);
    },
    () => f.get(x),
    "v128",
  );
}

/** The sine of x + `quadrants`·π/2, in float64. */
function sineAfter(e: Expression, x: Node, quadrants: bigint, reduction: FunctionReference): Node {
  return inDoubles(e, x, (d, wide) => {
    const sum = d.add(d.mul(wide, d.of(2 / Math.PI)), d.of(MAGIC));
    const n = d.sub(sum, d.of(MAGIC));
    const rest = d.sub(d.sub(wide, d.mul(n, d.of(QUARTER_HIGH))), d.mul(n, d.of(QUARTER_LOW)));
    const large = d.compare(d.abs(wide), "ge", d.of(LARGE));
    const reduced = e.custom("reduce", [wide, large], (f) => reduceLarge(f, reduction));
    const r = select(e, large, reduced, rest);
    let quadrant = select(e, large, reduced, sum);
    if (quadrants !== 0n) quadrant = e.op("i64x2.add", quadrant, int64(e, quadrants));
    const z = d.mul(r, r);
    const sine = d.mul(r, d.add(d.of(1), d.mul(z, d.polynomial(z, SINE))));
    const cosine = d.add(d.sub(d.of(1), d.mul(z, d.of(0.5))), d.mul(d.mul(z, z), d.polynomial(z, COSINE)));
    const one = int64(e, 1n);
    const odd = e.op("i64x2.eq", e.op("v128.and", quadrant, one), one);
    const negative = e.shift("i64x2.shl", e.op("v128.and", quadrant, int64(e, 2n)), 62);
    return e.op("v128.xor", select(e, odd, cosine, sine), negative);
  });
}

/** `sin(x)` of every float32. */
export function sine(e: Expression, x: Node, reduction: FunctionReference): Node {
  return sineAfter(e, x, 0n, reduction);
}

/** `cos(x)` of every float32. */
export function cosine(e: Expression, x: Node, reduction: FunctionReference): Node {
  return sineAfter(e, x, 1n, reduction);
}
