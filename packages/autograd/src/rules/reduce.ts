import { div, type Tensor } from "@sw/tensor";
import type { BackwardRecord, BackwardRule } from "@sw/tensor/seam";
import { inputShape } from "./needs.js";

/** Repeats a reduction's cotangent over the axes that were reduced. */
function spread(record: BackwardRecord, g: Tensor): Tensor {
  const shape = inputShape(record, 0);
  return g.reshape(shape.map((extent, axis) => (record.ints.includes(axis) ? 1 : extent))).expand(shape);
}

export const sum: BackwardRule = (record, g) => [spread(record, g)];

export const mean: BackwardRule = (record, g) => {
  const shape = inputShape(record, 0);
  const count = record.ints.reduce((product, axis) => product * (shape[axis] ?? 1), 1);
  // Divided before it is spread: one division per kept element.
  return [spread(record, div(g, count))];
};
