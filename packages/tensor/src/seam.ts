// The entry for authors of backends (docs/kernel-seam.md), operations, gradient engines and formats.
export type { Backend, DirectKernel, Kernel, Operand } from "./backend.js";
export { copyBox } from "./box.js";
export { checkProgram } from "./check-program.js";
export { bfloat16ToNumber, numberToBfloat16 } from "./convert/bfloat16.js";
export { halfToNumber, numberToHalf } from "./convert/half.js";
export type { Declined, ExplainedCall, Trace } from "./declined.js";
export { DTYPES } from "./dtype.js";
export { checkAxis, checkKind, live, plain, sameDType } from "./gate.js";
export { allocateLike, allocateRowMajor, checkLive, derive } from "./handle.js";
export { isNeeded } from "./operations/saved-slots.js";
export type { Family, OperationSpec, Slot } from "./operations/spec.js";
export { type DifferentiableKind, OPERATIONS, type OperationKind, operationSpec } from "./operations/table.js";
export type { Program, ProgramConstant, ProgramReduction, ProgramStep } from "./program.js";
export {
  type BackwardRecord,
  type BackwardRule,
  checkSaved,
  type Edge,
  type GradNode,
  type History,
  isRecorded,
  record,
  type SavedSlot,
  save,
  type Tape,
  unpack,
  withLeaf,
} from "./record.js";
export { refuseCompound } from "./refuse-compound.js";
export { checkLoops, choose, runAxes, runLoops, runReduce } from "./run.js";
export { runProgram } from "./run-program.js";
export { current, defaultPool, type Scope, type Synchronous, withRecording, withScope } from "./scope.js";
export { fromBuffer } from "./tensor.js";

// Element-wise operations, and steps of optimisers.

export { reluBackward } from "./operations/elementwise.js";
export { ADAM_STEP, SGD_STEP } from "./operations/specs/optimise.js";

// Images.

export { conv2dInputBackward, conv2dWeightBackward } from "./operations/convolution.js";
export { adaptiveAvgPool2dBackward, avgPool2dBackward } from "./operations/pooling.js";

// Indexing, losses and movement.

export { nllLossBackward } from "./operations/loss.js";
export { gatherFrom, scatterInto } from "./operations/scatter.js";
export { ACCUMULATE, COPY } from "./operations/specs/movement.js";
