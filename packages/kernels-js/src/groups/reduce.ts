import type { Operand } from "@sw/tensor/seam";
import { quotientRows, sumRows } from "../generated/reduce.js";
import { mean, sum } from "../reduce.js";
import type { KernelGroup } from "./group.js";

/** A mean of floats has their dtype. One of integers of up to 32 bits, or of bool, has either float dtype: see `mean`. */
function takesMean(outputs: readonly Operand[], inputs: readonly Operand[]): boolean {
  const to = outputs[0]!.dtype;
  const from = inputs[0]!.dtype;
  if (quotientRows[to] === undefined || sumRows[from] === undefined) return false;
  return quotientRows[from] === undefined ? from !== "int64" && from !== "uint64" : from === to;
}

/** Reductions. */
export const reduce: KernelGroup = {
  kernels: { sum, mean },
  dtypes: { sum: sumRows, mean: takesMean },
};
