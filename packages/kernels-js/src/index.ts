export { jsKernels } from "./backend.js";
export { KernelDTypeError, KernelEmptyAxisError, type KernelErrorCode, KernelTargetError } from "./errors.js";
