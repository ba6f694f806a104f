import { exp, mul, sub, sum } from "@sw/tensor";
import { type BackwardRule, unpack } from "@sw/tensor/seam";

export const softmax: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [mul(y, sub(g, sum(mul(g, y), { axes: record.ints, keepAxes: true }) as typeof g))];
};

export const logSoftmax: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [sub(g, mul(exp(y), sum(g, { axes: record.ints, keepAxes: true }) as typeof g))];
};
