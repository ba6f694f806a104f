import { cast, div, mul, neg, type Tensor } from "@sw/tensor";
import { type BackwardRecord, type BackwardRule, reluBackward, unpack } from "@sw/tensor/seam";
import { inputShape, needs } from "./needs.js";
import { sumTo } from "./sum-to.js";

/** A saved factor: a tensor, or the plain number that stood in its place. */
function factor(record: BackwardRecord, slot: number): Tensor | number {
  const number = record.floats[0];
  return record.saved[slot] === undefined && number !== undefined ? number : unpack(record, slot);
}

export const add: BackwardRule = (record, g) => [
  needs(record, 0) ? sumTo(g, inputShape(record, 0)) : undefined,
  needs(record, 1) ? sumTo(g, inputShape(record, 1)) : undefined,
];

export const sub: BackwardRule = (record, g) => [
  needs(record, 0) ? sumTo(g, inputShape(record, 0)) : undefined,
  needs(record, 1) ? sumTo(neg(g), inputShape(record, 1)) : undefined,
];

export const mulRule: BackwardRule = (record, g) => [
  needs(record, 0) ? sumTo(mul(g, factor(record, 1) as Tensor), inputShape(record, 0)) : undefined,
  needs(record, 1) ? sumTo(mul(g, factor(record, 0) as Tensor), inputShape(record, 1)) : undefined,
];

export const divRule: BackwardRule = (record, g) => {
  const b = factor(record, 1) as Tensor;
  const byB = div(g, b);
  return [
    needs(record, 0) ? sumTo(byB, inputShape(record, 0)) : undefined,
    needs(record, 1) ? sumTo(neg(div(mul(byB, factor(record, 0) as Tensor), b)), inputShape(record, 1)) : undefined,
  ];
};

export const negRule: BackwardRule = (_record, g) => [neg(g)];

export const relu: BackwardRule = (record, g) => [reluBackward(g, unpack(record, 0))];

// Linear in the cotangent; relu's output enters only by its sign, which has no derivative.
export const reluBackwardRule: BackwardRule = (record, g) => [
  needs(record, 0) ? reluBackward(g, unpack(record, 0)) : undefined,
  undefined,
];

export const exp: BackwardRule = (record, g) => [mul(g, unpack(record, 0))];

export const log: BackwardRule = (record, g) => [div(g, unpack(record, 0))];

export const castRule: BackwardRule = (record, g) => [cast(g, record.inputs[0]?.dtype ?? g.dtype) as Tensor];
