import { add, div, exp, log, mul, neg, relu, reluBackward, sub } from "../elementwise.js";
import {
  addRows,
  divRows,
  expRows,
  logRows,
  mulRows,
  negRows,
  reluBackwardRows,
  reluRows,
  subRows,
} from "../generated/elementwise.js";
import type { KernelGroup } from "./group.js";

/** Element-wise kernels. */
export const elementwise: KernelGroup = {
  kernels: { add, sub, mul, div, neg, relu, reluBackward, exp, log },
  dtypes: {
    add: addRows,
    sub: subRows,
    mul: mulRows,
    div: divRows,
    neg: negRows,
    relu: reluRows,
    reluBackward: reluBackwardRows,
    exp: expRows,
    log: logRows,
  },
};
