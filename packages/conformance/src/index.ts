export {
  type AccumulatedBound,
  BOUNDS,
  type Bound,
  type BoundTable,
  EXACT_BOUNDS,
  type RoundedBound,
  type UlpBound,
} from "./bounds.js";
export type { Case, CaseOutcome, Needs } from "./case.js";
export { ConformanceError, type ConformanceErrorCode, ConformanceRunError, type FailureFacts } from "./errors.js";
export { exactKernelCases, kernelCases } from "./kernels/cases.js";
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
