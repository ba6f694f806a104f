import { describe } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError, TensorValueError } from "../errors.js";
import { checkKind, plain, showShape } from "../gate.js";
import { checkOptions } from "../options.js";
import { resultType } from "../promotion.js";
import type { Tensor } from "../tensor.js";
import { checkNumber } from "./check-number.js";
import { mul, sub } from "./elementwise.js";
import { checkFits, checkIndices, withIndices } from "./indices.js";
import { replaced } from "./owned.js";
import { mean, sum } from "./reductions.js";
import { logSoftmax } from "./rows.js";
import { FLOATS } from "./spec.js";
import { NLL_LOSS, NLL_LOSS_BACKWARD } from "./specs/indexing.js";
import { structural } from "./structural.js";

/** What becomes of the losses of a batch. @since 0.1.0 */
export interface ReductionOption {
  /** Their mean (the default), their sum, or each by itself. */
  readonly reduction?: "mean" | "sum" | "none";
}

/** Options of {@link nllLoss} and {@link crossEntropy}. @since 0.1.0 */
export interface ClassLossOptions extends ReductionOption {
  /** Rows of this class count nothing: as if they were not there, but for a loss of 0 where there is no reduction. */
  readonly ignoredClass?: number;
}

/** The numbers of the reductions, as kernels are told them. */
const REDUCTIONS: readonly unknown[] = ["mean", "sum", "none"];
const MEAN = 0;
const NONE = 2;

function reductionOf(operation: string, { reduction = "mean" }: ReductionOption): number {
  const number = REDUCTIONS.indexOf(reduction);
  if (number >= 0) return number;
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `${operation}: no such reduction: got ${describe(reduction)}, expected "mean", "sum" or "none".`,
    { given: reduction, expected: REDUCTIONS },
  );
}

/** The reduction, and the ignored class if there is one. */
function attributesOf(operation: string, options: ClassLossOptions): readonly number[] {
  checkOptions(operation, options, '{ reduction: "sum" }');
  const reduction = reductionOf(operation, options);
  const { ignoredClass } = options;
  if (ignoredClass === undefined) return [reduction];
  checkNumber(operation, "ignoredClass", ignoredClass, Number.isSafeInteger, "a safe integer");
  return [reduction, ignoredClass];
}

function checkLogits(operation: string, what: string, x: unknown): asserts x is Tensor {
  plain(x, operation);
  checkKind(operation, x.dtype, FLOATS);
  if (x.rank === 2) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: not a matrix of ${what}: got shape ${showShape(x.shape)}, expected [n, classes].`,
    { given: x.shape, shape: x.shape },
  );
}

function checkTargets(operation: string, target: Tensor, rows: number): void {
  checkIndices(operation, target);
  checkFits(operation, "the target", target, [rows], "one class per row");
}

function checkRows(operation: string, rows: number, reduction: number): void {
  if (rows > 0 || reduction !== MEAN) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_INVALID",
    `${operation}: no rows to average: got 0, expected at least 1.`,
    {
      given: 0,
      expected: 1,
    },
  );
}

/**
 * Takes the negative log-probability of each row's target class, `-logProbabilities[i, target[i]]`, and averages them. The
 * mean is over the rows whose class is not ignored; where all are, it is NaN, and its gradient 0.
 *
 * @param logProbabilities - `[n, classes]` of a float dtype, as {@link logSoftmax} gives them.
 * @param target - `[n]` class numbers of any integer dtype.
 * @returns `[]`; `[n]` for the reduction "none".
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`, or `SW_TENSOR_SHAPE_INVALID` for a mean of no rows;
 * TensorValueError `SW_TENSOR_DTYPE_REFUSED` or `SW_TENSOR_OPTION`; the kernel's RangeError, with `position` and `value`,
 * for a class that is out of range and not the ignored one.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { nllLoss, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const target = tensor([1, 0, -100], { dtype: "int32" });
 * const loss = nllLoss(tensor([[-3, -1], [-2, -5], [-7, -9]]), target, { ignoredClass: -100 });
 * console.log(loss.item()); // 1.5
 * ```
 * @since 0.1.0
 */
export function nllLoss<D extends DType>(
  logProbabilities: Tensor<D>,
  target: Tensor,
  options: ClassLossOptions = {},
): Tensor<D> {
  const { kind } = NLL_LOSS;
  checkLogits(kind, "log-probabilities", logProbabilities);
  const [rows] = logProbabilities.shape as readonly [number, number];
  checkTargets(kind, target, rows);
  const ints = attributesOf(kind, options);
  const reduction = ints[0] as number;
  checkRows(kind, rows, reduction);
  const shape = reduction === NONE ? [rows] : [];
  return withIndices(target, (classes) => structural(NLL_LOSS, shape, [logProbabilities, classes], ints));
}

/**
 * Gives the cotangent of the log-probabilities of {@link nllLoss}: at each row's target `-cotangent`, divided for the mean
 * by the number of rows that are not ignored; 0 elsewhere.
 *
 * @param cotangent - `[]`; `[n]` for the reduction "none".
 * @returns `[n, classes]`.
 * @throws as {@link nllLoss}, but for a mean of no rows.
 * @since 0.1.0
 */
export function nllLossBackward<D extends DType>(
  cotangent: Tensor<D>,
  target: Tensor,
  classes: number,
  options: ClassLossOptions = {},
): Tensor<D> {
  const { kind } = NLL_LOSS_BACKWARD;
  plain(cotangent, kind);
  checkKind(kind, cotangent.dtype, NLL_LOSS_BACKWARD.kinds);
  checkIndices(kind, target);
  const rows = target.shape[0] ?? 0;
  checkTargets(kind, target, rows);
  const ints = [classes, ...attributesOf(kind, options)];
  const shape = ints[1] === NONE ? [rows] : [];
  checkFits(kind, "the cotangent", cotangent, shape, ints[1] === NONE ? "one per row" : "a scalar");
  return withIndices(target, (picked) => structural(NLL_LOSS_BACKWARD, [rows, classes], [cotangent, picked], ints));
}

/**
 * Compares the classes that logits make likely with the true ones: {@link nllLoss} of the {@link logSoftmax} of each row.
 * Records its parts.
 *
 * @param logits - `[n, classes]` of a float dtype.
 * @param target - `[n]` class numbers of any integer dtype.
 * @throws as {@link nllLoss}.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { crossEntropy, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const loss = crossEntropy(tensor([[0, 0]]), tensor([1], { dtype: "int32" }));
 * console.log(Math.exp(loss.item()).toFixed(3)); // 2.000
 * ```
 * @since 0.1.0
 */
export function crossEntropy<D extends DType>(
  logits: Tensor<D>,
  target: Tensor,
  options: ClassLossOptions = {},
): Tensor<D> {
  const operation = "crossEntropy";
  checkLogits(operation, "logits", logits);
  const [rows] = logits.shape as readonly [number, number];
  checkTargets(operation, target, rows);
  checkRows(operation, rows, attributesOf(operation, options)[0] as number);
  const logProbabilities = logSoftmax(logits, 1);
  try {
    return replaced(nllLoss(logProbabilities, target, options), logProbabilities) as Tensor<D>;
  } catch (error) {
    logProbabilities.dispose();
    throw error;
  }
}

/**
 * Averages the squared differences of two tensors, `(prediction - target)²`. Records its parts.
 *
 * @param target - of the prediction's shape: nothing broadcasts here.
 * @returns `[]`; the prediction's shape for the reduction "none".
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for operands that meet
 * in no float, or `SW_TENSOR_OPTION`.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { mseLoss, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(mseLoss(tensor([1, 5]), tensor([2, 2])).item()); // 5
 * ```
 * @since 0.1.0
 */
export function mseLoss<D extends DType>(
  prediction: Tensor<D>,
  target: Tensor<NoInfer<D>>,
  options: ReductionOption = {},
): Tensor<D> {
  const operation = "mseLoss";
  plain(prediction, operation);
  plain(target, operation);
  checkKind(operation, resultType(prediction.dtype, target.dtype), FLOATS);
  checkFits(operation, "the target", target, prediction.shape, "as the prediction");
  checkOptions(operation, options, '{ reduction: "sum" }');
  const reduction = reductionOf(operation, options);
  const difference = sub(prediction, target);
  const squares = replaced(mul(difference, difference), difference);
  if (reduction === NONE) return squares as Tensor<D>;
  return replaced(reduction === MEAN ? mean(squares) : sum(squares), squares) as Tensor<D>;
}
