import type { FunctionReference, ModuleBuilder } from "../assembler/index.js";
import { emitBlockLoop } from "../emit/block-loop.js";
import type { Expression, Node } from "../emit/expression.js";
import { errorFunction, gelu } from "../emit/functions/error-function.js";
import { exponential, exponentialLessOne } from "../emit/functions/exponential.js";
import { logarithm, logarithmOneMore } from "../emit/functions/logarithm.js";
import { geluByTanh, hyperbolicTangent, logistic, silu, softplus } from "../emit/functions/sigmoidal.js";
import { cosine, emitLargeReduction, sine } from "../emit/functions/trigonometry.js";
import { inDoubles, Lanes, select } from "../emit/lanes.js";
import { BINARY_KINDS, type BinaryKind, UNARY_KINDS, type UnaryKind } from "./kinds.js";

type Value = (e: Expression, x: Node, reduction: FunctionReference) => Node;

interface Row {
  readonly unroll: 1 | 4;
  readonly value: Value;
}

/** Of one instruction. */
const plain = (name: "neg" | "abs" | "floor" | "ceil" | "nearest" | "trunc" | "sqrt"): Row => ({
  unroll: 4,
  value: (e, x) => e.op(`f32x4.${name}`, x),
});

const long = (value: Value): Row => ({ unroll: 1, value });

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

/** Emits the loops of every element-wise kernel. */
export function emitElementwise(module: ModuleBuilder): void {
  const reduction = emitLargeReduction(module);
  const rows = unaryRows();
  for (const kind of UNARY_KINDS) {
    const { unroll, value } = rows[kind];
    emitBlockLoop(module, {
      name: `${kind}_v`,
      inputs: ["vector"],
      unroll,
      value: (e, x) => value(e, x!, reduction),
    });
  }
  const pairs = binaryRows();
  for (const kind of BINARY_KINDS) {
    const value = (e: Expression, ...[a, b]: Node[]): Node => pairs[kind](e, a!, b!);
    emitBlockLoop(module, { name: `${kind}_vv`, inputs: ["vector", "vector"], unroll: 4, value });
    emitBlockLoop(module, { name: `${kind}_vs`, inputs: ["vector", "scalar"], unroll: 4, value });
    emitBlockLoop(module, { name: `${kind}_sv`, inputs: ["scalar", "vector"], unroll: 4, value });
  }
}
