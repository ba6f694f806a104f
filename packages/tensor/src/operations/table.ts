import type { OperationSpec } from "./spec.js";
import {
  ADD,
  DIV,
  type DifferentiableElementwise,
  EXP,
  LOG,
  MUL,
  NEG,
  type PlainElementwise,
  RELU,
  RELU_BACKWARD,
  SUB,
} from "./specs/elementwise.js";
import type { DifferentiableImages, PlainImages } from "./specs/images.js";
import { type DifferentiableIndexing, NLL_LOSS, NLL_LOSS_BACKWARD, type PlainIndexing } from "./specs/indexing.js";
import { type DifferentiableMatmul, MATMUL, type PlainMatmul } from "./specs/matmul.js";
import { ACCUMULATE, CAST, COPY, type DifferentiableMovement, type PlainMovement } from "./specs/movement.js";
import { type DifferentiableOptimise, type PlainOptimise, SGD_STEP } from "./specs/optimise.js";
import { type DifferentiableReduce, MEAN, type PlainReduce, SUM } from "./specs/reduce.js";
import { ARGMAX, type DifferentiableRows, LOG_SOFTMAX, type PlainRows, SOFTMAX } from "./specs/rows.js";
import {
  type DifferentiableViews,
  EXPAND,
  FLIP,
  GATHER_FROM,
  PERMUTE,
  type PlainViews,
  RESHAPE,
  SCATTER_INTO,
  SELECT,
  SLICE,
  VIEWS,
} from "./specs/views.js";

/** The kinds that records are written of. @since 0.1.0 */
export type DifferentiableKind =
  | DifferentiableElementwise
  | DifferentiableImages
  | DifferentiableIndexing
  | DifferentiableMatmul
  | DifferentiableMovement
  | DifferentiableOptimise
  | DifferentiableReduce
  | DifferentiableRows
  | DifferentiableViews;

/** The kinds that nothing is recorded of. */
type PlainKind =
  | PlainElementwise
  | PlainImages
  | PlainIndexing
  | PlainMatmul
  | PlainMovement
  | PlainOptimise
  | PlainReduce
  | PlainRows
  | PlainViews;

/** The kinds of operations. @since 0.1.0 */
export type OperationKind = DifferentiableKind | PlainKind;

/**
 * Every operation by its kind, which kernels and backward records are named by: for gradient engines, conformance kits
 * and docs. A function of this package imports the spec of its own operation, and never this table.
 * @since 0.1.0
 */
export const OPERATIONS: { readonly [K in DifferentiableKind]: OperationSpec<K, true> } & {
  readonly [K in PlainKind]: OperationSpec<K, false>;
} = {
  // Element-wise.
  add: ADD,
  sub: SUB,
  mul: MUL,
  div: DIV,
  neg: NEG,
  relu: RELU,
  reluBackward: RELU_BACKWARD,
  exp: EXP,
  log: LOG,

  // Reductions.
  sum: SUM,
  mean: MEAN,

  // Rows.
  argmax: ARGMAX,
  softmax: SOFTMAX,
  logSoftmax: LOG_SOFTMAX,

  // Products.
  matmul: MATMUL,

  // Indexing.
  nllLoss: NLL_LOSS,
  nllLossBackward: NLL_LOSS_BACKWARD,

  // Movement.
  cast: CAST,
  copy: COPY,
  accumulate: ACCUMULATE,

  // Optimisers.
  sgdStep: SGD_STEP,

  // Views.
  slice: SLICE,
  select: SELECT,
  flip: FLIP,
  permute: PERMUTE,
  reshape: RESHAPE,
  expand: EXPAND,
  views: VIEWS,
  scatterInto: SCATTER_INTO,
  gatherFrom: GATHER_FROM,
};

/** Looks an operation up by a kind that need not exist. @since 0.1.0 */
export function operationSpec(kind: string): OperationSpec | undefined {
  return Object.hasOwn(OPERATIONS, kind) ? OPERATIONS[kind as OperationKind] : undefined;
}
