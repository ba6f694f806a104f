import type { FunctionReference } from "../assembler/index.js";
import type { BinaryKind, UnaryKind } from "../kernels/kinds.js";
import type { Expression, Node } from "./expression.js";
import { errorFunction, gelu } from "./functions/error-function.js";
import { exponential, exponentialLessOne } from "./functions/exponential.js";
import { logarithm, logarithmOneMore } from "./functions/logarithm.js";
import { geluByTanh, hyperbolicTangent, logistic, silu, softplus } from "./functions/sigmoidal.js";
import { cosine, sine } from "./functions/trigonometry.js";
import { inDoubles, Lanes, select } from "./lanes.js";

// What the element-wise kernels compute, each of one vector: alone in a loop, or as a step of a program.

/** `reduction` is the function of the module that reduces arguments of sine and cosine which are large. */
type Value = (e: Expression, x: Node, reduction: FunctionReference) => Node;

interface Row {
  /** Vectors a turn: 4 where the value takes a few instructions, and 1 where it takes many. */
  readonly unroll: 1 | 4;
  readonly value: Value;
}

/** Of one instruction. */
const plain = (name: "neg" | "abs" | "floor" | "ceil" | "nearest" | "trunc" | "sqrt"): Row => ({
  unroll: 4,
  value: (e, x) => e.op(`f32x4.${name}`, x),
});

const long = (value: Value): Row => ({ unroll: 1, value });

/** The kernels of one input. */
export const UNARY_VALUES: { readonly [kind in UnaryKind]: Row } = /* @__PURE__ */ unaryRows();

function unaryRows(): { readonly [kind in UnaryKind]: Row } {
  return {
    neg: plain("neg"),
    abs: plain("abs"),
    floor: plain("floor"),
    ceil: plain("ceil"),
    round: plain("nearest"),
    trunc: plain("trunc"),
    sqrt: plain("sqrt"),
    sign: { unroll: 4, value: signOf },
    // Two roundings in float32 are more than 1 ulp off just above powers of 4.
    rsqrt: long((e, x) => inDoubles(e, x, (d, wide) => d.div(d.of(1), d.sqrt(wide)))),
    reciprocal: { unroll: 4, value: (e, x) => new Lanes(e, "f32x4").div(new Lanes(e, "f32x4").of(1), x) },
    relu: { unroll: 4, value: (e, x) => new Lanes(e, "f32x4").atLeast(x, 0) },
    exp: long(exponential),
    expm1: long(exponentialLessOne),
    log: long(logarithm),
    log1p: long(logarithmOneMore),
    sin: long(sine),
    cos: long(cosine),
    tanh: long(hyperbolicTangent),
    erf: long(errorFunction),
    sigmoid: long(logistic),
    silu: long(silu),
    softplus: long(softplus),
    gelu: long(gelu),
    geluTanh: long(geluByTanh),
  };
}

/** NaN and zeros pass. */
function signOf(e: Expression, x: Node): Node {
  const f = new Lanes(e, "f32x4");
  const signed = e.op("v128.or", f.signOf(x), f.of(1));
  return select(e, f.compare(f.abs(x), "gt", f.of(0)), signed, x);
}

type BinaryValue = (e: Expression, a: Node, b: Node) => Node;

const instruction =
  (name: "add" | "sub" | "mul" | "div" | "min" | "max"): BinaryValue =>
  (e, a, b) =>
    e.op(`f32x4.${name}`, a, b);

/** The kernels of two inputs; each takes a few instructions. */
export const BINARY_VALUES: { readonly [kind in BinaryKind]: BinaryValue } = /* @__PURE__ */ binaryRows();

function binaryRows(): { readonly [kind in BinaryKind]: BinaryValue } {
  return {
    add: instruction("add"),
    sub: instruction("sub"),
    mul: instruction("mul"),
    div: instruction("div"),
    minimum: instruction("min"),
    maximum: instruction("max"),
    reluBackward: (e, cotangent, output) => {
      const f = new Lanes(e, "f32x4");
      return e.op("v128.and", cotangent, f.compare(output, "gt", f.of(0)));
    },
  };
}
