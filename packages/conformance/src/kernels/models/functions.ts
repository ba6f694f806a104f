import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, wide } from "../../bounds.js";
import type { Random } from "../../random.js";
import { type DType, roundTo, type Value } from "../../values.js";
import { erfOf, geluOf, geluTanhArgument, geluTanhOf, logistic, nearestEven, softplusOf } from "../formulas.js";
import { between } from "../plans.js";
import type { Rule } from "./elementwise.js";
import { ofUlp } from "./ulp.js";

type Draw = (dtype: DType, source: Random) => Value;

function forExp(dtype: DType, source: Random): Value {
  return source.next() < 0.5 ? between(dtype, -4, 4, source) : between(dtype, -110, 100, source);
}

function forLog(dtype: DType, source: Random): Value {
  const size = roundTo(dtype, 2 ** (source.next() * 40 - 20));
  const kind = source.next();
  if (kind < 0.1) return -size;
  return kind < 0.4 ? between(dtype, 0.5, 1.5, source) : size;
}

/** Where a function that saturates does anything, its neighbourhood of 0, and its tails. */
function around(width: number): Draw {
  return (dtype, source) => {
    const kind = source.next();
    if (kind < 0.5) return between(dtype, -width, width, source);
    if (kind < 0.8) return roundTo(dtype, (source.next() - 0.5) * 2 ** source.integer(-20, 0));
    return between(dtype, -8 * width, 8 * width, source);
  };
}

/** Halves often: where rounding has ties. */
function forRounding(dtype: DType, source: Random): Value {
  if (source.next() < 0.5) return roundTo(dtype, source.integer(-16, 16) / 2 + 0);
  return roundTo(dtype, (source.next() - 0.5) * 2 ** source.integer(0, 12));
}

/**
 * The bounds of what is computed by several functions: about 2 ulp, and more of float64, where no wider number is at hand.
 *
 * @param more - how many roundings more, at an operand.
 */
function ofSeveral(more: string, distance: (x: number) => number): Pick<Rule, "bound" | "exactBound" | "distance"> {
  const counts = { constant: 3, perDistance: 1, distance: `${more}, in float64` };
  return {
    bound: accumulated("|y|", counts),
    exactBound: wide("|y|", counts),
    distance: (x, dtype) => (dtype === "float64" ? distance(x) : 0),
  };
}

/** What has one operand. */
export function functionRules(): readonly Rule[] {
  return [
    { spec: OPERATIONS.neg, float: (x) => -x!, integer: (x) => -x! },
    { spec: OPERATIONS.abs, float: (x) => Math.abs(x!), integer: (x) => (x! < 0n ? -x! : x!) },
    { spec: OPERATIONS.sign, float: (x) => Math.sign(x!), integer: (x) => (x! > 0n ? 1n : x! < 0n ? -1n : 0n) },
    { spec: OPERATIONS.floor, float: (x) => Math.floor(x!), ordinary: forRounding },
    { spec: OPERATIONS.ceil, float: (x) => Math.ceil(x!), ordinary: forRounding },
    { spec: OPERATIONS.round, float: (x) => nearestEven(x!), ordinary: forRounding },
    { spec: OPERATIONS.trunc, float: (x) => Math.trunc(x!), ordinary: forRounding },
    { spec: OPERATIONS.exp, float: (x) => Math.exp(x!), ...ofUlp(2, "y"), ordinary: forExp },
    { spec: OPERATIONS.expm1, float: (x) => Math.expm1(x!), ...ofUlp(2, "|y|"), ordinary: around(4) },
    { spec: OPERATIONS.log, float: (x) => Math.log(x!), ...ofUlp(2, "|y|"), ordinary: forLog },
    { spec: OPERATIONS.log1p, float: (x) => Math.log1p(x!), ...ofUlp(2, "|y|"), ordinary: around(0.99) },
    { spec: OPERATIONS.sqrt, float: (x) => Math.sqrt(x!), ordinary: forLog },
    { spec: OPERATIONS.rsqrt, float: (x) => 1 / Math.sqrt(x!), ...ofUlp(1, "|y|"), ordinary: forLog },
    { spec: OPERATIONS.reciprocal, float: (x) => 1 / x! },
    { spec: OPERATIONS.sin, float: (x) => Math.sin(x!), ...ofUlp(2, "|y|"), ordinary: around(6) },
    { spec: OPERATIONS.cos, float: (x) => Math.cos(x!), ...ofUlp(2, "|y|"), ordinary: around(6) },
    { spec: OPERATIONS.tanh, float: (x) => Math.tanh(x!), ...ofUlp(2, "|y|"), ordinary: around(2) },
    { spec: OPERATIONS.erf, float: (x) => erfOf(x!), ...ofSeveral("6", () => 6), ordinary: around(1.5) },
    // Below zero makes +0; NaN and -0 pass.
    { spec: OPERATIONS.relu, float: (x) => (x! >= 0 || Number.isNaN(x) ? x! : 0) },
    {
      spec: OPERATIONS.leakyRelu,
      float: (x, slope) => (x! < 0 ? x! * slope! : x!),
      ...ofUlp(2, "|y|"),
      numbers: [0.01, 0.25, 1.5, -0.5],
    },
    {
      spec: OPERATIONS.elu,
      float: (x, alpha) => (x! > 0 ? x! : Math.expm1(x!) * alpha!),
      ...ofUlp(2, "|y|"),
      ordinary: around(3),
      numbers: [1, 0.5, 1.6732632423543772],
    },
    { spec: OPERATIONS.sigmoid, float: (x) => logistic(x!), ...ofUlp(2, "y"), ordinary: around(4) },
    { spec: OPERATIONS.silu, float: (x) => x! * logistic(x!), ...ofUlp(2, "|y|"), ordinary: around(4) },
    { spec: OPERATIONS.softplus, float: (x) => softplusOf(x!), ...ofUlp(2, "y"), ordinary: around(4) },
    { spec: OPERATIONS.gelu, float: (x) => geluOf(x!), ...ofSeveral("8", () => 8), ordinary: around(2) },
    {
      spec: OPERATIONS.geluTanh,
      float: (x) => geluTanhOf(x!),
      // The error of an exponential is that of its argument, as many times as that is large.
      ...ofSeveral("6·|2u|", (x) => 6 * Math.abs(geluTanhArgument(x))),
      ordinary: around(2),
    },
  ];
}
