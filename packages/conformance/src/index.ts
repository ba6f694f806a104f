export type { Case, CaseOutcome, Tools } from "./case.js";
export { ConformanceError, type ConformanceErrorCode, ConformanceRunError, type FailureFacts } from "./errors.js";
export { type KernelBound, kernelBounds } from "./kernels/kernel-bounds.js";
export { exactKernelKit, kernelKit } from "./kernels/kit.js";
export type { Kit } from "./kit.js";
export { type MemoryCandidate, memoryKit } from "./memory/kit.js";
export {
  type ExceptedCase,
  type FailedCase,
  formatReport,
  type PartlyDeclinedCase,
  type Report,
  type SkippedCase,
  type StaleException,
} from "./report.js";
export { type RunOptions, run } from "./run.js";
