import { rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, showShape } from "../gate.js";
import { allocateLike } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { savedSlots } from "./saved-slots.js";
import { NLL_LOSS, NLL_LOSS_BACKWARD } from "./specs/indexing.js";

function checkTargets(operation: string, target: Tensor, count: number): void {
  plain(target, operation);
  checkKind(operation, target.dtype, ["int", "uint"]);
  if (target.rank === 1 && target.shape[0] === count) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: the targets do not fit: got shape ${showShape(target.shape)}, expected [${count}], one class per row.`,
    { given: target.shape, expected: [count], shape: target.shape },
  );
}

/**
 * Averages the negative log-probabilities of the target classes: `-mean(logProbabilities[i, target[i]])`.
 *
 * @param logProbabilities - `[n, classes]`, as {@link logSoftmax} gives them.
 * @param target - `[n]` class numbers of any integer dtype.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`, or `SW_TENSOR_SHAPE_INVALID` without rows; the kernel's
 * RangeError when a class is out of range.
 * @since 0.1.0
 */
export function nllLoss<D extends DType>(logProbabilities: Tensor<D>, target: Tensor): Tensor<D> {
  plain(logProbabilities, "nllLoss");
  checkKind("nllLoss", logProbabilities.dtype, NLL_LOSS.kinds);
  if (logProbabilities.rank !== 2) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `nllLoss: not a matrix of log-probabilities: got shape ${showShape(logProbabilities.shape)}, expected [n, classes].`,
      { given: logProbabilities.shape, shape: logProbabilities.shape },
    );
  }
  const [rows, classes] = logProbabilities.shape as [number, number];
  checkTargets("nllLoss", target, rows);
  if (rows === 0) {
    throw new TensorShapeError("SW_TENSOR_SHAPE_INVALID", "nllLoss: no rows to average: got 0, expected at least 1.", {
      given: 0,
      expected: 1,
    });
  }
  const out = allocateLike(logProbabilities, "nllLoss", logProbabilities.dtype, rowMajor([]));
  try {
    runAxes(NLL_LOSS, [out], [logProbabilities, target]);
  } catch (error) {
    out.dispose();
    throw error;
  }
  if (!isRecorded(logProbabilities)) return out;
  const inputs = [logProbabilities, target];
  return record(out, { kind: NLL_LOSS.kind, inputs, saved: savedSlots(NLL_LOSS, inputs, [out]), ints: [classes] });
}

/**
 * Spreads the cotangent of {@link nllLoss} over its input: `-cotangent / n` at each row's target, 0 elsewhere.
 * @since 0.1.0
 */
export function nllLossBackward<D extends DType>(cotangent: Tensor<D>, target: Tensor, classes: number): Tensor<D> {
  plain(cotangent, "nllLossBackward");
  checkKind("nllLossBackward", cotangent.dtype, NLL_LOSS_BACKWARD.kinds);
  if (cotangent.rank !== 0) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `nllLossBackward: the cotangent is no scalar: got shape ${showShape(cotangent.shape)}, expected [].`,
      { given: cotangent.shape, expected: [], shape: cotangent.shape },
    );
  }
  checkTargets("nllLossBackward", target, target.shape[0] ?? 0);
  const rows = target.shape[0] as number;
  const out = allocateLike(cotangent, "nllLossBackward", cotangent.dtype, rowMajor([rows, classes]));
  try {
    runAxes(NLL_LOSS_BACKWARD, [out], [cotangent, target], [classes]);
  } catch (error) {
    out.dispose();
    throw error;
  }
  if (!isRecorded(cotangent)) return out;
  const inputs = [cotangent, target];
  const saved = savedSlots(NLL_LOSS_BACKWARD, inputs, [out]);
  return record(out, { kind: NLL_LOSS_BACKWARD.kind, inputs, saved, ints: [classes] });
}
