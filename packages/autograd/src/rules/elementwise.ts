import {
  cast,
  div,
  eq,
  isFinite as finite,
  gt,
  le,
  log,
  logicalAnd,
  logicalOr,
  lt,
  sub as minus,
  mul,
  isNaN as nan,
  neg,
  pow,
  remainder,
  round,
  type Tensor,
  where,
} from "@sw/tensor";
import { type BackwardRecord, type BackwardRule, reluBackward, unpack } from "@sw/tensor/seam";
import { noGrad } from "../mode.js";
import { inputShape, needs, nothing, operand, tensorOf } from "./needs.js";
import { sumTo } from "./sum-to.js";

// Where a rule has to choose, the choice is in the README's table of conventions. Masks are made without history: where
// a function has a derivative, they are constant.

/** The cotangents of operands that broadcast: each is computed only where it is wanted, and summed to its operand. */
function broadcast(
  record: BackwardRecord,
  ...cotangents: readonly ((() => Tensor) | undefined)[]
): readonly (Tensor | undefined)[] {
  return cotangents.map((cotangent, i) =>
    cotangent !== undefined && needs(record, i) ? sumTo(cotangent(), inputShape(record, i)) : undefined,
  );
}

export const add: BackwardRule = (record, g) =>
  broadcast(
    record,
    () => g,
    () => g,
  );

export const sub: BackwardRule = (record, g) =>
  broadcast(
    record,
    () => g,
    () => neg(g),
  );

export const mulRule: BackwardRule = (record, g) =>
  broadcast(
    record,
    () => mul(g, operand(record, 1) as Tensor),
    () => mul(g, operand(record, 0) as Tensor),
  );

export const divRule: BackwardRule = (record, g) => {
  const b = operand(record, 1) as Tensor;
  const byB = div(g, b);
  return broadcast(
    record,
    () => byB,
    () => neg(div(mul(byB, operand(record, 0) as Tensor), b)),
  );
};

export const powRule: BackwardRule = (record, g) =>
  broadcast(
    record,
    () => byBase(record, g),
    () => byExponent(record, g),
  );

function byBase(record: BackwardRecord, g: Tensor): Tensor {
  const a = unpack(record, 0);
  const b = operand(record, 1);
  if (b === 0) return nothing(record, g);
  if (b === 1) return g;
  if (b === 2) return mul(mul(g, a), 2);
  if (typeof b === "number") return mul(g, mul(pow(a, b - 1), b));
  // Where b is 0 the power is 1 whatever a is, also there where a to the power of -1 is infinite or NaN.
  const constant = noGrad(() => logicalAnd(eq(b, 0), logicalOr(eq(a, 0), nan(a))));
  const base = where(constant, 1, a);
  return where(constant, 0, mul(g, mul(pow(base, minus(b, 1)), b)));
}

function byExponent(record: BackwardRecord, g: Tensor): Tensor {
  const a = tensorOf(record, 0, g);
  const r = unpack(record, 2);
  // Powers of 0 do not change with an exponent of at least 0, though the logarithm of 0 is infinite; below, r is.
  const constant = noGrad(() => logicalAnd(eq(a, 0), finite(r)));
  const base = where(constant, 1, a);
  return where(constant, 0, mul(g, mul(r, log(base))));
}

export const remainderRule: BackwardRule = (record, g) =>
  broadcast(
    record,
    () => g,
    () => {
      const a = operand(record, 0) as Tensor;
      const b = unpack(record, 1);
      // The quotient that belongs to the remainder: a division that is rounded down may give its neighbour, as 1 / 0.1.
      const quotient = noGrad(() => round(div(minus(a, remainder(a, b)), b)));
      return neg(mul(g, quotient));
    },
  );

/** The cotangents of a choice between two operands, by the comparison that the winner passes. */
function choice(
  record: BackwardRecord,
  g: Tensor,
  wins: (own: Tensor, other: Tensor) => Tensor,
): readonly (Tensor | undefined)[] {
  const a = tensorOf(record, 0, g);
  const b = tensorOf(record, 1, g);
  const part = (own: Tensor, other: Tensor): Tensor => {
    const [ties, won] = noGrad(() => [
      logicalOr(eq(own, other), logicalAnd(nan(own), nan(other))),
      logicalOr(wins(own, other), nan(own)),
    ]);
    return where(ties as Tensor, mul(g, 0.5), where(won as Tensor, g, 0));
  };
  return broadcast(
    record,
    () => part(a, b),
    () => part(b, a),
  );
}

export const maximum: BackwardRule = (record, g) => choice(record, g, gt);

export const minimum: BackwardRule = (record, g) => choice(record, g, lt);

export const clampRule: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const low = unpack(record, 1);
  const high = unpack(record, 2);
  // Exactly one of the three gets a cotangent: the one that is the result. At an end that is x.
  const below = noGrad(() => logicalAnd(lt(x, low), le(low, high)));
  const above = noGrad(() => logicalOr(gt(x, high), gt(low, high)));
  return broadcast(
    record,
    () =>
      where(
        noGrad(() => logicalOr(below, above)),
        0,
        g,
      ),
    () => where(below, g, 0),
    () => where(above, g, 0),
  );
};

export const whereRule: BackwardRule = (record, g) => {
  const condition = unpack(record, 0);
  return broadcast(
    record,
    undefined,
    () => where(condition, g, 0),
    () => where(condition, 0, g),
  );
};

// Linear in the cotangent; relu's output enters only by its sign, which has no derivative.
export const reluBackwardRule: BackwardRule = (record, g) => [
  needs(record, 0) ? reluBackward(g, unpack(record, 0)) : undefined,
  undefined,
];

export const castRule: BackwardRule = (record, g) => [cast(g, record.inputs[0]?.dtype ?? g.dtype) as Tensor];
