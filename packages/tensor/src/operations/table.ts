import type { OperationSpec } from "./spec.js";
import {
  type DifferentiableComparisons,
  EQ,
  GE,
  GT,
  IS_FINITE,
  IS_INFINITE,
  IS_NAN,
  LE,
  LOGICAL_AND,
  LOGICAL_NOT,
  LOGICAL_OR,
  LOGICAL_XOR,
  LT,
  NE,
  type PlainComparisons,
} from "./specs/comparisons.js";
import {
  ADD,
  CLAMP,
  DIV,
  type DifferentiableElementwise,
  MAXIMUM,
  MINIMUM,
  MUL,
  type PlainElementwise,
  POW,
  RELU_BACKWARD,
  REMAINDER,
  SUB,
  WHERE,
} from "./specs/elementwise.js";
import {
  ABS,
  CEIL,
  COS,
  type DifferentiableFunctions,
  ELU,
  ERF,
  EXP,
  EXPM1,
  FLOOR,
  GELU,
  GELU_TANH,
  LEAKY_RELU,
  LOG,
  LOG1P,
  NEG,
  type PlainFunctions,
  RECIPROCAL,
  RELU,
  ROUND,
  RSQRT,
  SIGMOID,
  SIGN,
  SILU,
  SIN,
  SOFTPLUS,
  SQRT,
  TANH,
  TRUNC,
} from "./specs/functions.js";
import {
  ADAPTIVE_AVG_POOL2D,
  ADAPTIVE_AVG_POOL2D_BACKWARD,
  ATTENTION,
  AVG_POOL2D,
  AVG_POOL2D_BACKWARD,
  CONV2D,
  CONV2D_INPUT_BACKWARD,
  CONV2D_WEIGHT_BACKWARD,
  type DifferentiableImages,
  MAX_POOL2D,
  type PlainImages,
} from "./specs/images.js";
import {
  type DifferentiableIndexing,
  EMBEDDING,
  GATHER,
  INDEX_ADD,
  INDEX_SELECT,
  NLL_LOSS,
  NLL_LOSS_BACKWARD,
  type PlainIndexing,
  SCATTER,
  SCATTER_ADD,
} from "./specs/indexing.js";
import { type DifferentiableMatmul, MATMUL, type PlainMatmul } from "./specs/matmul.js";
import { ACCUMULATE, CAST, CONCAT, COPY, type DifferentiableMovement, type PlainMovement } from "./specs/movement.js";
import { ADAM_STEP, type DifferentiableOptimise, type PlainOptimise, SGD_STEP } from "./specs/optimise.js";
import {
  ALL,
  ANY,
  type DifferentiableReduce,
  LOG_SUM_EXP,
  MAX,
  MEAN,
  MIN,
  NORM,
  type PlainReduce,
  PROD,
  SUM,
  VARIANCE,
} from "./specs/reduce.js";
import {
  ARGMAX,
  ARGMIN,
  ARGSORT,
  BATCH_NORM,
  CUMSUM,
  type DifferentiableRows,
  LAYER_NORM,
  LOG_SOFTMAX,
  type PlainRows,
  RMS_NORM,
  SOFTMAX,
  TOP_K,
} from "./specs/rows.js";
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
  | DifferentiableComparisons
  | DifferentiableElementwise
  | DifferentiableFunctions
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
  | PlainComparisons
  | PlainElementwise
  | PlainFunctions
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
  pow: POW,
  remainder: REMAINDER,
  minimum: MINIMUM,
  maximum: MAXIMUM,
  clamp: CLAMP,
  where: WHERE,
  reluBackward: RELU_BACKWARD,
  eq: EQ,
  ne: NE,
  lt: LT,
  le: LE,
  gt: GT,
  ge: GE,
  logicalAnd: LOGICAL_AND,
  logicalOr: LOGICAL_OR,
  logicalXor: LOGICAL_XOR,
  logicalNot: LOGICAL_NOT,
  isNaN: IS_NAN,
  isFinite: IS_FINITE,
  isInfinite: IS_INFINITE,
  neg: NEG,
  abs: ABS,
  sign: SIGN,
  floor: FLOOR,
  ceil: CEIL,
  round: ROUND,
  trunc: TRUNC,
  exp: EXP,
  expm1: EXPM1,
  log: LOG,
  log1p: LOG1P,
  sqrt: SQRT,
  rsqrt: RSQRT,
  reciprocal: RECIPROCAL,
  sin: SIN,
  cos: COS,
  tanh: TANH,
  erf: ERF,
  relu: RELU,
  leakyRelu: LEAKY_RELU,
  elu: ELU,
  sigmoid: SIGMOID,
  silu: SILU,
  softplus: SOFTPLUS,
  gelu: GELU,
  geluTanh: GELU_TANH,

  // Reductions.
  sum: SUM,
  prod: PROD,
  mean: MEAN,
  min: MIN,
  max: MAX,
  any: ANY,
  all: ALL,
  variance: VARIANCE,
  norm: NORM,
  logSumExp: LOG_SUM_EXP,

  // Rows.
  argmax: ARGMAX,
  argmin: ARGMIN,
  argsort: ARGSORT,
  topK: TOP_K,
  cumsum: CUMSUM,
  softmax: SOFTMAX,
  logSoftmax: LOG_SOFTMAX,
  layerNorm: LAYER_NORM,
  rmsNorm: RMS_NORM,
  batchNorm: BATCH_NORM,

  // Products.
  matmul: MATMUL,

  // Images and attention.
  conv2d: CONV2D,
  conv2dInputBackward: CONV2D_INPUT_BACKWARD,
  conv2dWeightBackward: CONV2D_WEIGHT_BACKWARD,
  maxPool2d: MAX_POOL2D,
  avgPool2d: AVG_POOL2D,
  avgPool2dBackward: AVG_POOL2D_BACKWARD,
  adaptiveAvgPool2d: ADAPTIVE_AVG_POOL2D,
  adaptiveAvgPool2dBackward: ADAPTIVE_AVG_POOL2D_BACKWARD,
  attention: ATTENTION,

  // Indexing.
  gather: GATHER,
  scatter: SCATTER,
  scatterAdd: SCATTER_ADD,
  indexSelect: INDEX_SELECT,
  indexAdd: INDEX_ADD,
  embedding: EMBEDDING,
  nllLoss: NLL_LOSS,
  nllLossBackward: NLL_LOSS_BACKWARD,

  // Movement.
  cast: CAST,
  copy: COPY,
  accumulate: ACCUMULATE,
  concat: CONCAT,

  // Optimisers.
  adamStep: ADAM_STEP,
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
