import type { Operand } from "@sw/tensor/seam";
import {
  accumulateRows,
  addRows,
  divRows,
  expRows,
  logRows,
  mulRows,
  negRows,
  reluBackwardRows,
  reluRows,
  subRows,
} from "./generated/elementwise.js";
import { pickedRows, scatterRows, targetRows } from "./generated/loss.js";
import { storeRows } from "./generated/matmul.js";
import { logSoftmaxRows, softmaxRows } from "./generated/normalise.js";
import { sgdRows } from "./generated/optimise.js";
import { argmaxRows, quotientRows, sumRows } from "./generated/reduce.js";
import type { DType, RowTable } from "./rows.js";

/**
 * Tells whether a kernel has a loop for the dtypes of these operands. Of strides and extents it takes all.
 * A kernel that this backend lacks is not supported.
 */
export function supports(kernel: string, outputs: readonly Operand[], inputs: readonly Operand[]): boolean {
  const dtype = outputs[0]?.dtype;
  if (dtype === undefined) return false;
  const from = inputs[0]?.dtype;
  const rows = Object.hasOwn(UNIFORM, kernel) ? UNIFORM[kernel] : undefined;
  if (rows !== undefined) return has(rows, dtype) && uniform(dtype, outputs) && uniform(dtype, inputs);
  switch (kernel) {
    case "sum":
      return has(sumRows, from) && dtype === (has(quotientRows, from) ? from : "int64");
    case "mean":
      return has(quotientRows, dtype) && (has(quotientRows, from) ? from === dtype : isNarrow(from));
    case "argmax":
      return dtype === "int64" && has(argmaxRows, from);
    case "nllLoss":
      return has(pickedRows, dtype) && from === dtype && has(targetRows, inputs[1]?.dtype);
    case "nllLossBackward":
      return has(scatterRows, dtype) && from === dtype && has(targetRows, inputs[1]?.dtype);
    default:
      return false;
  }
}

/** Kernels whose operands all have one dtype, by the dtypes that they take. */
const UNIFORM: { readonly [kernel: string]: RowTable<unknown> | undefined } = {
  add: addRows,
  sub: subRows,
  mul: mulRows,
  div: divRows,
  neg: negRows,
  relu: reluRows,
  exp: expRows,
  log: logRows,
  reluBackward: reluBackwardRows,
  accumulate: accumulateRows,
  sgdStep: sgdRows,
  matmul: storeRows,
  softmax: softmaxRows,
  logSoftmax: logSoftmaxRows,
};

function has(rows: RowTable<unknown>, dtype: DType | undefined): boolean {
  return dtype !== undefined && rows[dtype] !== undefined;
}

function uniform(dtype: DType, operands: readonly Operand[]): boolean {
  for (let i = 0; i < operands.length; i++) if (operands[i]!.dtype !== dtype) return false;
  return true;
}

/** Integers whose sums a mean can hold exactly: see `mean`. */
function isNarrow(dtype: DType | undefined): boolean {
  return has(sumRows, dtype) && dtype !== "int64" && dtype !== "uint64";
}
