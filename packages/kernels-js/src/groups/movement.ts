import { accumulate } from "../accumulate.js";
import { accumulateRows } from "../generated/movement.js";
import type { KernelGroup } from "./group.js";

/** Kernels that move elements. */
export const movement: KernelGroup = {
  kernels: { accumulate },
  dtypes: { accumulate: accumulateRows },
};
