import { OPERATIONS } from "@sw/tensor/seam";
import type { Random } from "../../random.js";
import { type DType, isFloat, roundTo, type Value, wrapTo } from "../../values.js";
import { flooredIntegerRemainder, flooredRemainder, integerPower, powerOf } from "../formulas.js";
import { everyday } from "../plans.js";
import type { Rule } from "./elementwise.js";
import { ofUlp } from "./ulp.js";

/** Bases and exponents whose powers are mostly numbers of the dtype; small integers often. */
function forPower(dtype: DType, source: Random): Value {
  if (!isFloat(dtype)) {
    return source.next() < 0.7 ? wrapTo(dtype, BigInt(source.integer(-4, 9))) : everyday(dtype, source);
  }
  if (source.next() < 0.3) return source.integer(-4, 4) + 0;
  return roundTo(dtype, source.next() * 8 - (source.next() < 0.3 ? 4 : 0));
}

/** Equal values often, so that comparisons have both answers. */
function few(dtype: DType, source: Random): Value {
  if (dtype === "bool" || source.next() < 0.4) return everyday(dtype, source);
  const small = source.integer(-1, 1);
  return isFloat(dtype) ? small + 0 : wrapTo(dtype, BigInt(small));
}

/** No finite number, often: a predicate that is never true says nothing of where it reads. */
function rarelyFinite(dtype: DType, source: Random): Value {
  if (source.next() < 0.5) return everyday(dtype, source);
  return source.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
}

type Order = (a: number | bigint, b: number | bigint) => boolean;

function comparison(kind: "eq" | "ne" | "lt" | "le" | "gt" | "ge", holds: Order): Rule {
  return { spec: OPERATIONS[kind], float: (a, b) => holds(a!, b!), integer: (a, b) => holds(a!, b!), ordinary: few };
}

/** The extreme one of two numbers; of two zeros the one of the sign that `zero` has. */
function extreme(a: number, b: number, first: boolean, zero: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  if (a === 0 && b === 0) return Object.is(a, zero) || Object.is(b, zero) ? zero : a;
  return first ? a : b;
}

const lesser = (a: number, b: number): number => extreme(a, b, a < b, -0);
const greater = (a: number, b: number): number => extreme(a, b, a > b, 0);

/** What has two operands or more, and what answers yes or no. */
export function arithmeticRules(): readonly Rule[] {
  return [
    { spec: OPERATIONS.add, float: (a, b) => a! + b!, integer: (a, b) => a! + b! },
    { spec: OPERATIONS.sub, float: (a, b) => a! - b!, integer: (a, b) => a! - b! },
    { spec: OPERATIONS.mul, float: (a, b) => a! * b!, integer: (a, b) => a! * b! },
    { spec: OPERATIONS.div, float: (a, b) => a! / b! },
    {
      spec: OPERATIONS.pow,
      float: (a, b) => powerOf(a!, b!),
      integer: (a, b) => integerPower(a!, b!),
      ...ofUlp(2, "|y|"),
      ordinary: forPower,
    },
    {
      spec: OPERATIONS.remainder,
      float: (a, b) => flooredRemainder(a!, b!),
      integer: (a, b) => flooredIntegerRemainder(a!, b!),
      ...ofUlp(1, "|y|"),
    },
    { spec: OPERATIONS.minimum, float: (a, b) => lesser(a!, b!), integer: (a, b) => (a! < b! ? a! : b!) },
    { spec: OPERATIONS.maximum, float: (a, b) => greater(a!, b!), integer: (a, b) => (a! > b! ? a! : b!) },
    {
      spec: OPERATIONS.clamp,
      float: (x, low, high) => lesser(greater(x!, low!), high!),
      integer: (x, low, high) => (x! > high! || low! > high! ? high! : x! < low! ? low! : x!),
    },
    {
      spec: OPERATIONS.where,
      float: (condition, a, b) => (condition === 1 ? a! : b!),
      integer: (condition, a, b) => (condition === 1n ? a! : b!),
    },
    { spec: OPERATIONS.reluBackward, float: (cotangent, output) => (output! > 0 ? cotangent! : 0) },
    comparison("eq", (a, b) => a === b),
    comparison("ne", (a, b) => a !== b),
    comparison("lt", (a, b) => a < b),
    comparison("le", (a, b) => a <= b),
    comparison("gt", (a, b) => b < a),
    comparison("ge", (a, b) => b <= a),
    { spec: OPERATIONS.logicalAnd, integer: (a, b) => a === 1n && b === 1n },
    { spec: OPERATIONS.logicalOr, integer: (a, b) => a === 1n || b === 1n },
    { spec: OPERATIONS.logicalXor, integer: (a, b) => a !== b },
    { spec: OPERATIONS.logicalNot, integer: (a) => a === 0n },
    { spec: OPERATIONS.isNaN, float: (x) => Number.isNaN(x), ordinary: rarelyFinite },
    { spec: OPERATIONS.isFinite, float: (x) => Number.isFinite(x), ordinary: rarelyFinite },
    { spec: OPERATIONS.isInfinite, float: (x) => Math.abs(x!) === Number.POSITIVE_INFINITY, ordinary: rarelyFinite },
  ];
}
