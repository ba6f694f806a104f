import { adamRows, sgdRows } from "../generated/optimise.js";
import { adamStep, sgdStep } from "../optimise.js";
import type { KernelGroup } from "./group.js";

/** Steps of optimisers. */
export const optimise: KernelGroup = {
  kernels: { adamStep, sgdStep },
  dtypes: { adamStep: adamRows, sgdStep: sgdRows },
};
