// The entry for authors of backends, operations, gradient engines and formats.
export type { Attributes, Backend, Kernel, Operand } from "./backend.js";
export { copyBox } from "./box.js";
export { bfloat16ToNumber, numberToBfloat16 } from "./convert/bfloat16.js";
export { halfToNumber, numberToHalf } from "./convert/half.js";
export { checkAxis, checkKind, live, plain, sameDType } from "./gate.js";
export { allocateLike, allocateRowMajor, checkLive, derive } from "./handle.js";
export { reluBackward } from "./operations/elementwise.js";
export { nllLossBackward } from "./operations/loss.js";
export { gatherFrom, scatterInto } from "./operations/scatter.js";
export {
  type DifferentiableKind,
  type Family,
  OPERATIONS,
  type OperationKind,
  type OperationSpec,
  operationSpec,
} from "./operations/table.js";
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
  unpack,
  withLeaf,
} from "./record.js";
export { refuseCompound } from "./refuse-compound.js";
export { checkLoops, choose, runAxes, runLoops, runReduce } from "./run.js";
export { current, defaultPool, type Scope, type Synchronous, withRecording, withScope } from "./scope.js";
export { fromBuffer } from "./tensor.js";
