import { describe, rowMajor } from "@sw/layout";
import { checkDType, DTYPES, type DType } from "../dtype.js";
import { isFloat } from "../element.js";
import { TensorShapeError } from "../errors.js";
import { checkAxis, checkKind, plain, showShape } from "../gate.js";
import { allocateLike, checkBytes } from "../handle.js";
import { checkOptions } from "../options.js";
import { isRecorded, record } from "../record.js";
import { runReduce } from "../run.js";
import type { Tensor } from "../tensor.js";
import { cast } from "./cast.js";
import { settle } from "./promoted.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";
import { MEAN } from "./specs/reduce.js";

/** Which axes a reduction is over, and whether they stay with extent 1. @since 0.1.0 */
export interface ReduceOptions {
  /** Default: all axes. */
  readonly axes?: number | readonly number[];
  /** Default: false. */
  readonly keepAxes?: boolean;
}

/** The dtype that is computed in and that the result has. @since 0.1.0 */
export interface DTypeOption<D extends DType> {
  /** The operand is cast to it first. Default: the operand's own dtype, or what the operation makes of it. */
  readonly dtype?: D;
}

/** The dtype a sum has: integers are summed in int64 (D14). @since 0.1.0 */
export type SumDType<D extends DType> = D extends "float32" | "float64" | "float16" | "bfloat16" ? D : "int64";

/** The axes of a reduction, each once, ascending. */
export function axesOf(
  operation: string,
  { shape }: { readonly shape: readonly number[] },
  axes: number | readonly number[] | undefined,
): readonly number[] {
  if (axes === undefined) return shape.map((_, axis) => axis);
  if (typeof axes !== "number" && !Array.isArray(axes)) {
    throw new TypeError(
      `${operation}: the axes are no list: got ${describe(axes)}, expected an axis or a list of axes.`,
    );
  }
  const list = (typeof axes === "number" ? [axes] : axes).map((axis) => checkAxis(operation, axis, shape.length));
  if (new Set(list).size !== list.length) {
    throw new TensorShapeError(
      "SW_TENSOR_AXIS",
      `${operation}: an axis is named twice: got ${showShape(list)}, expected each axis at most once.`,
      { given: axes },
    );
  }
  return list.sort((a, b) => a - b);
}

/** The dtype of the result of an operand that is in dtype `d` already. */
export function sumDType(d: DType): DType {
  return isFloat(d) ? d : "int64";
}

/**
 * The operand in the dtype that is asked for, and the copy that was made for it, if any. Sums of integers go without:
 * wrapped before or after they are added up, they are the same.
 */
export function broughtTo(operation: string, t: Tensor, dtype: DType): { x: Tensor; made: readonly Tensor[] } {
  const wraps = !isFloat(t.dtype) && !isFloat(dtype) && dtype !== "bool";
  const averages = operation === MEAN.kind && !isFloat(t.dtype) && DTYPES[t.dtype].byteLength < 8;
  if (t.dtype === dtype || wraps || averages) return { x: t, made: [] };
  checkBytes(operation, t.shape, dtype);
  const x = cast(t, dtype);
  return { x, made: [x] };
}

/** Runs a reduction over axes, in the dtype that is asked for, and records it. */
export function reduce(
  spec: OperationSpec,
  t: Tensor,
  options: ReduceOptions & DTypeOption<DType>,
  floats: readonly number[] = [],
): Tensor {
  const { kind } = spec;
  const { dtype: wanted = t.dtype } = options;
  checkDType(kind, wanted);
  checkKind(kind, wanted, spec.kinds);
  const axes = axesOf(kind, t, options.axes);
  const { x, made } = broughtTo(kind, t, wanted);
  const out = allocateLike(
    x,
    kind,
    resultOf(spec, wanted),
    rowMajor(t.shape.filter((_, axis) => !axes.includes(axis))),
  );
  try {
    runReduce(spec, out, x, axes, [], floats);
  } catch (error) {
    out.dispose();
    settle(made);
    throw error;
  }
  const recorded = isRecorded(x) && spec.differentiable;
  const saved = recorded ? savedSlots(spec, [x], [out]) : [];
  const owned = settle(made, saved);
  if (recorded) record(out, { kind, inputs: [x], saved, ints: axes, floats, owned });
  const result = converted(out, options.dtype);
  if (options.keepAxes !== true) return result;
  return result.reshape(t.shape.map((extent, axis) => (axes.includes(axis) ? 1 : extent)));
}

/** The dtype that a kernel writes, of an operand that counts as `dtype`. */
function resultOf(spec: OperationSpec, dtype: DType): DType {
  const type = spec.outputs[0]?.split(":")[1];
  if (type === "bool") return "bool";
  return type === "sum" ? sumDType(dtype) : dtype;
}

/** An int64 sum in the integer dtype that was asked for. */
export function converted(out: Tensor, dtype: DType | undefined): Tensor {
  if (dtype === undefined || dtype === out.dtype) return out;
  try {
    return cast(out, dtype);
  } finally {
    out.dispose();
  }
}

/** Checks what every reduction is given. */
export function checkReduction(spec: OperationSpec, t: unknown, options: unknown): asserts t is Tensor {
  plain(t, spec.kind);
  checkOptions(spec.kind, options, "{ axes: 0 }");
}

/** A choice among no elements, though there may be nobody who asks for its outcome. */
export function nothingToChoose(operation: string, t: Tensor, axis: number): TensorShapeError {
  return new TensorShapeError(
    "SW_TENSOR_SHAPE_INVALID",
    `${operation}: nothing to choose from: got extent 0 of axis ${axis} (shape ${showShape(t.shape)}), expected at least 1.`,
    { given: 0, axis, shape: t.shape },
  );
}
