import { type Layout, type Located, rowMajor, selectAxis, sliceAxis } from "@sw/layout";
import { type BackwardRecord, type BackwardRule, checkSaved, gatherFrom, scatterInto } from "@sw/tensor/seam";
import { inputShape } from "./needs.js";
import { sumTo } from "./sum-to.js";

// A view's rule is its transpose: where the view shows an element, the cotangent is added; elsewhere there is 0.

export const slice: BackwardRule = (record, g) => {
  const domain = rowMajor(inputShape(record, 0));
  const [axis = 0, start = 0, end = 0, step = 1] = record.ints;
  return [scatterInto(domain, sliceAxis(domain, axis, start, end, step), g)];
};

export const select: BackwardRule = (record, g) => {
  const domain = rowMajor(inputShape(record, 0));
  const [axis = 0, index = 0] = record.ints;
  return [scatterInto(domain, selectAxis(domain, axis, index), g)];
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

function shownBy(record: BackwardRecord): { domain: Layout; selector: Located } {
  const { domain, selector } = record;
  if (domain !== undefined && selector !== undefined) return { domain, selector };
  throw new Error(`Internal: the record of ${record.kind} does not say what it shows. Please report this.`);
}

export const scatterIntoRule: BackwardRule = (record, g) => {
  const { domain, selector } = shownBy(record);
  return [gatherFrom(g, domain, selector)];
};

export const gatherFromRule: BackwardRule = (record, g) => {
  const { domain, selector } = shownBy(record);
  return [scatterInto(domain, selector, g)];
};

// The rule reads nothing of the source, but a source that was written shows other values than it was differentiated at
// (D6, VA-83).
export const viewsRule: BackwardRule = (record, g) => {
  checkSaved(record, 0);
  return gatherFromRule(record, g);
};
