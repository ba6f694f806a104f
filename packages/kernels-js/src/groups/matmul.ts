import { storeRows } from "../generated/matmul.js";
import { matmul as product } from "../matmul.js";
import type { KernelGroup } from "./group.js";

/** Products of matrices. */
export const matmul: KernelGroup = {
  kernels: { matmul: product },
  dtypes: { matmul: storeRows },
};
