import { cumsum, exp, mul, sub, sum, type Tensor } from "@sw/tensor";
import { type BackwardRule, unpack } from "@sw/tensor/seam";

export const softmax: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [mul(y, sub(g, sum(mul(g, y), { axes: record.ints, keepAxes: true }) as Tensor))];
};

export const logSoftmax: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [sub(g, mul(exp(y), sum(g, { axes: record.ints, keepAxes: true }) as Tensor))];
};

// Each element is in its own sum and in all that come after.
export const cumsumRule: BackwardRule = (record, g) => {
  const [axis = 0] = record.ints;
  return [(cumsum(g.flip(axis), axis) as Tensor).flip(axis)];
};
