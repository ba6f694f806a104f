import { pickedRows, scatterRows } from "../generated/indexing.js";
import { nllLoss, nllLossBackward } from "../loss.js";
import type { KernelGroup } from "./group.js";

/** Kernels that pick elements by the numbers in another operand. */
export const indexing: KernelGroup = {
  kernels: { nllLoss, nllLossBackward },
  dtypes: { nllLoss: pickedRows, nllLossBackward: scatterRows },
};
