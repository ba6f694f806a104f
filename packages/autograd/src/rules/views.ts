import { type Located, rowMajor, selectAxis, sliceAxis } from "@sw/layout";
import { type BackwardRecord, type BackwardRule, gatherFrom, scatterInto } from "@sw/tensor/seam";
import { inputShape } from "./needs.js";
import { sumTo } from "./sum-to.js";

// A view's rule is its transpose: where the view shows an element, the cotangent is added; elsewhere there is 0.

export const slice: BackwardRule = (record, g) => {
  const shape = inputShape(record, 0);
  const [axis = 0, start = 0, end = 0, step = 1] = record.ints;
  return [scatterInto(shape, sliceAxis(rowMajor(shape), axis, start, end, step), g)];
};

export const select: BackwardRule = (record, g) => {
  const shape = inputShape(record, 0);
  const [axis = 0, index = 0] = record.ints;
  return [scatterInto(shape, selectAxis(rowMajor(shape), axis, index), g)];
};

export const flip: BackwardRule = (record, g) => [g.flip(record.ints[0] ?? 0)];

export const permute: BackwardRule = (record, g) => {
  const inverse: number[] = [];
  record.ints.forEach((axis, position) => {
    inverse[axis] = position;
  });
  return [g.permute(inverse)];
};

export const reshape: BackwardRule = (record, g) => [g.reshape(inputShape(record, 0))];

export const expand: BackwardRule = (record, g) => [sumTo(g, inputShape(record, 0))];

function selectorOf(record: BackwardRecord): Located {
  if (record.selector !== undefined) return record.selector;
  throw new Error(`Internal: the record of ${record.kind} has no selector. Please report this.`);
}

export const scatterIntoRule: BackwardRule = (record, g) => [gatherFrom(g, selectorOf(record))];

export const gatherFromRule: BackwardRule = (record, g) => [scatterInto(inputShape(record, 0), selectorOf(record), g)];
