export type { Case, CaseOutcome, Meter, Tools } from "./case.js";
export { ConformanceError, type ConformanceErrorCode, ConformanceRunError, type FailureFacts } from "./errors.js";
export { type FormatCandidate, formatKit, formatKitOf } from "./format/kit.js";
export type { FormatVector } from "./format/vectors.js";
export { type KernelBound, kernelBounds } from "./kernels/kernel-bounds.js";
export { exactKernelKit, kernelKit } from "./kernels/kit.js";
export type { Kit } from "./kit.js";
export { type LayoutCandidate, layoutKit, layoutKitOf } from "./layout/kit.js";
export type { LayoutJSON, LayoutLine, Tree, Wanted } from "./layout/vectors.js";
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
export { type FailureData, formatJUnit, type ReportData, reportData } from "./report-data.js";
export { type RunOptions, run } from "./run.js";
