import { argmax } from "../argmax.js";
import { argmaxRows, logSoftmaxRows, softmaxRows } from "../generated/rows.js";
import { logSoftmax, softmax } from "../normalise.js";
import type { KernelGroup } from "./group.js";

/** Kernels along one axis. */
export const rows: KernelGroup = {
  kernels: { argmax, softmax, logSoftmax },
  dtypes: { argmax: argmaxRows, softmax: softmaxRows, logSoftmax: logSoftmaxRows },
};
