import { addRows, moveRows, pickedRows, spreadRows } from "../generated/indexing.js";
import { gather, indexAdd, indexSelect, scatter, scatterAdd } from "../indexing.js";
import { nllLoss, nllLossBackward } from "../loss.js";
import type { KernelGroup } from "./group.js";

/** Kernels that pick elements by the numbers in another operand. */
export const indexing: KernelGroup = {
  kernels: { gather, scatter, scatterAdd, indexSelect, indexAdd, nllLoss, nllLossBackward },
  dtypes: {
    gather: moveRows,
    scatter: moveRows,
    scatterAdd: addRows,
    indexSelect: moveRows,
    indexAdd: addRows,
    nllLoss: pickedRows,
    nllLossBackward: spreadRows,
  },
};
