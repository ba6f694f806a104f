import type { KernelModel } from "../model.js";

/** Convolution, pooling and attention. */
export function imageModels(): readonly KernelModel[] {
  return [];
}
