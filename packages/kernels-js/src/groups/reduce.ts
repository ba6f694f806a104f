import type { Operand } from "@sw/tensor/seam";
import { all, any, logSumExp, max, min, norm, prod, variance } from "../folds.js";
import { floatRows, loadRows, numberRows } from "../generated/lines.js";
import { mean, sum } from "../reduce.js";
import { isFloat, isWide } from "../reduction.js";
import type { KernelGroup } from "./group.js";

/** A mean of floats has their dtype. One of integers of up to 32 bits, or of bool, has any float dtype: see `mean`. */
function takesMean(outputs: readonly Operand[], inputs: readonly Operand[]): boolean {
  const to = outputs[0]!.dtype;
  const from = inputs[0]!.dtype;
  return isFloat(to) && (isFloat(from) ? from === to : !isWide(from));
}

/** Reductions. */
export const reduce: KernelGroup = {
  kernels: { sum, prod, mean, min, max, any, all, variance, norm, logSumExp },
  dtypes: {
    sum: loadRows,
    prod: loadRows,
    mean: takesMean,
    min: numberRows,
    max: numberRows,
    any: loadRows,
    all: loadRows,
    variance: floatRows,
    norm: floatRows,
    logSumExp: floatRows,
  },
};
