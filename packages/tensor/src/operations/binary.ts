import type { DType } from "../dtype.js";
import { checkKind, isTensor } from "../gate.js";
import { allocateLike } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runInto } from "../run.js";
import type { Tensor } from "../tensor.js";
import { meet, resultLayout } from "./meet.js";
import { settle } from "./promoted.js";
import { lieAlike, runSameLayout } from "./same-layout.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";

/** The dtype of the result of operands of a dtype. */
export function outputDType(spec: OperationSpec, dtype: DType): DType {
  return spec.outputs[0] === "r:bool" ? "bool" : dtype;
}

/** The common part of arithmetic and comparison: two tensors meet in one dtype, a number takes that of the tensor beside it. */
export function binary(spec: OperationSpec, first: unknown, second: unknown): Tensor {
  if (isTensor(first) && isTensor(second) && lieAlike(first, second)) {
    checkKind(spec.kind, first.dtype, spec.kinds);
    return runSameLayout(spec, first, second, outputDType(spec, first.dtype));
  }
  const { tensors, dtype, shape, made } = meet(spec, [first, second]);
  const [a, b] = tensors as readonly [Tensor, Tensor];
  let out: Tensor;
  try {
    const layout = resultLayout(shape, tensors);
    out = runInto(spec, allocateLike(a, spec.kind, outputDType(spec, dtype), layout), tensors);
  } catch (error) {
    settle(made);
    throw error;
  }
  if (!spec.differentiable || (!isRecorded(a) && !isRecorded(b))) {
    settle(made);
    return out;
  }
  // A rule meets the operands in the result's dtype, and a number as a number.
  const number = isTensor(first) ? (isTensor(second) ? undefined : b) : a;
  const saved = savedSlots(spec, tensors, [out], number);
  const floats = number !== undefined && spec.floats.includes("number?") ? [Number(number === a ? first : second)] : [];
  return record(out, { kind: spec.kind, inputs: tensors, saved, floats, owned: settle(made, saved) });
}
