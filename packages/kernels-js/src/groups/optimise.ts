import { sgdRows } from "../generated/optimise.js";
import { sgdStep } from "../optimise.js";
import type { KernelGroup } from "./group.js";

/** Steps of optimisers. */
export const optimise: KernelGroup = {
  kernels: { sgdStep },
  dtypes: { sgdStep: sgdRows },
};
