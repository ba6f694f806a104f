import type { KernelGroup } from "./group.js";

/** Convolution, pooling and attention. */
export const images: KernelGroup = { kernels: {}, dtypes: {} };
