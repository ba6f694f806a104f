export type { Arena } from "@sw/buffer";
export type { Backend, Kernel, Operand } from "./backend.js";
export { broadcastShapes } from "./broadcast.js";
export { allClose, arrayEqual, type Tolerance } from "./compare.js";
export {
  asTensor,
  type CreateOptions,
  type DefaultDType,
  full,
  ones,
  tensor,
  zeros,
} from "./create.js";
export type { Declined, ExplainedCall } from "./declined.js";
export {
  type ArrayOf,
  DTYPES,
  type DType,
  type DTypeInfo,
  type DTypeKind,
  dtypeFromOnnx,
  isDType,
  type TypedArray,
  type ValueOf,
} from "./dtype.js";
export {
  KernelMissingError,
  StaleTensorError,
  type TensorErrorCode,
  type TensorErrorFields,
  TensorShapeError,
  TensorStateError,
  TensorValueError,
  TensorVersionError,
  UnsupportedError,
  ViewError,
} from "./errors.js";
export { type Explained, explain } from "./explain.js";
export { isTensor } from "./gate.js";
export { createGenerator, type Generator } from "./generator.js";
export { type ImageLayout, imageLayout } from "./image-layout.js";
export type { IndexEntry } from "./index-key.js";
export { type EyeOptions, eye, matrix, type Rows } from "./matrix.js";
export { keep } from "./movement.js";
export type { Nested, NestedOf } from "./nested.js";
export type { PrintOptions } from "./print.js";
export { type ResultType, resultType } from "./promotion.js";
export { arange, type LinspaceOptions, linspace } from "./ranges.js";
export { type NestedArray, withData, withMutableData } from "./read.js";
export { createArena, type Scope, type Synchronous, setKernels, withArena, withKernels } from "./scope.js";
export { type StridedOptions, strided } from "./strided.js";
export { fromBuffer, Tensor } from "./tensor.js";
export { format } from "./text.js";
export * as views from "./views.js";
export type { StridedWindow } from "./window-view.js";

// Element-wise operations.

export { clamp, maskedFill, tril, triu, where } from "./operations/choices.js";
export {
  eq,
  ge,
  gt,
  isInfinite,
  le,
  logicalAnd,
  logicalNot,
  logicalOr,
  logicalXor,
  lt,
  ne,
  whereFinite as isFinite,
  whereNaN as isNaN,
} from "./operations/comparisons.js";
export { add, div, maximum, minimum, mul, pow, remainder, sub } from "./operations/elementwise.js";
export {
  abs,
  ceil,
  cos,
  type EluOptions,
  elu,
  erf,
  exp,
  expm1,
  floor,
  gelu,
  geluTanh,
  type LeakyReluOptions,
  leakyRelu,
  log,
  log1p,
  neg,
  reciprocal,
  relu,
  round,
  rsqrt,
  sigmoid,
  sign,
  silu,
  sin,
  softplus,
  sqrt,
  tanh,
  trunc,
} from "./operations/functions.js";
export type { Value } from "./operations/meet.js";

// Reductions, and operations along one axis.

export {
  type BatchNormOptions,
  type BatchNormResult,
  batchNorm,
  batchNormTraining,
  groupNorm,
} from "./operations/batch-norm.js";
export { layerNorm, rmsNorm } from "./operations/layer-norm.js";
export { argmax, argmin, argsort, type ChoiceOptions } from "./operations/order.js";
export type { AffineOptions } from "./operations/parameters.js";
export type { DTypeOption, ReduceOptions, SumDType } from "./operations/reduce.js";
export {
  all,
  any,
  logSumExp,
  max,
  mean,
  min,
  type NormOptions,
  norm,
  prod,
  sum,
  type VarianceOptions,
  variance,
} from "./operations/reductions.js";
export { cumsum, logSoftmax, softmax } from "./operations/rows.js";

// Products of matrices, images and attention.

export { type AttentionOptions, attention } from "./operations/attention.js";
export {
  type Conv1dOptions,
  type Conv2dOptions,
  type ConvolutionOptions,
  type ConvTranspose2dOptions,
  conv1d,
  conv2d,
  convTranspose2d,
} from "./operations/convolution.js";
export type { Pair } from "./operations/image-options.js";
export { matmul } from "./operations/matmul.js";
export {
  type AvgPoolOptions,
  adaptiveAvgPool2d,
  avgPool2d,
  type MaxPooled,
  maxPool2d,
  maxPool2dWithIndices,
  type PoolOptions,
} from "./operations/pooling.js";

// Indexing, losses, movement and random numbers.

export { cast } from "./operations/cast.js";
export { concat, roll, stack } from "./operations/concat.js";
export { einsum } from "./operations/einsum.js";
export { type EmbeddingOptions, embedding, oneHot } from "./operations/embedding.js";
export { gather, indexAdd, indexSelect, scatter, scatterAdd } from "./operations/indexing.js";
export {
  type ClassLossOptions,
  crossEntropy,
  mseLoss,
  nllLoss,
  type ReductionOption,
} from "./operations/loss.js";
export { type PadOptions, pad } from "./operations/pad.js";
export { sort, type Top, topK } from "./operations/sort.js";
export { split } from "./operations/split.js";
export { repeat, tile } from "./operations/tile.js";
export {
  type BernoulliOptions,
  bernoulli,
  type IntegerOptions,
  type NormalOptions,
  permutation,
  type RandomOptions,
  rand,
  randint,
  randn,
  type UniformOptions,
} from "./random.js";
