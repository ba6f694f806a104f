export { jsKernels } from "./backend.js";
export {
  KernelDTypeError,
  KernelEmptyAxisError,
  type KernelErrorCode,
  KernelIndexError,
  KernelTargetError,
} from "./errors.js";
