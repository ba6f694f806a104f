import { argmax, argmin, argsort, topK } from "../choose.js";
import { cumsum } from "../cumulate.js";
import { floatRows, loadRows, numberRows } from "../generated/lines.js";
import { batchNorm, layerNorm, rmsNorm } from "../normalise.js";
import { logSoftmax, softmax } from "../softmax.js";
import type { KernelGroup } from "./group.js";

/** Kernels along one axis. */
export const rows: KernelGroup = {
  kernels: { argmax, argmin, argsort, topK, cumsum, softmax, logSoftmax, layerNorm, rmsNorm, batchNorm },
  dtypes: {
    argmax: numberRows,
    argmin: numberRows,
    argsort: numberRows,
    topK: numberRows,
    cumsum: loadRows,
    softmax: floatRows,
    logSoftmax: floatRows,
    layerNorm: floatRows,
    rmsNorm: floatRows,
    batchNorm: floatRows,
  },
};
