import { compactLike, type Layout, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { checkDType } from "../dtype.js";
import { isFloat, toElement } from "../element.js";
import { TensorValueError } from "../errors.js";
import { broadcastShapes, checkKind, isTensor, plain, sameDType } from "../gate.js";
import { allocateLike, allocateRowMajor } from "../handle.js";
import { isRecorded, record, type SavedSlot, save } from "../record.js";
import { refuseCompound } from "../refuse-compound.js";
import { runLoops } from "../run.js";
import type { Tensor } from "../tensor.js";
import { type Writable, windowOf } from "../window.js";
import { OPERATIONS } from "./table.js";

/** An operand of arithmetic: a tensor, or a number that takes the other operand's dtype (D14). @since 0.1.0 */
export type Value = Tensor | number | bigint;

type BinaryKind = "add" | "sub" | "mul" | "div" | "reluBackward";
type UnaryKind = "neg" | "relu" | "exp" | "log";

/** The layout of an element-wise result: that of the first operand of full shape, compact (D15). */
function resultLayout(shape: readonly number[], operands: readonly Tensor[]): Layout {
  for (const operand of operands) {
    const full = operand.rank === shape.length && operand.shape.every((extent, axis) => extent === shape[axis]);
    if (full) return compactLike(operand.layout);
  }
  return rowMajor(shape);
}

/** A number as a rank-0 tensor of the dtype it meets. */
function scalarOf(operation: string, value: unknown, other: Tensor): Tensor {
  if (typeof value === "number" && !isFloat(other.dtype) && !Number.isInteger(value)) {
    throw new TensorValueError(
      "SW_TENSOR_VALUE",
      `${operation}: ${other.dtype} cannot hold the number: got ${value}, expected an integer. Write cast(x, "float32") first.`,
      { given: value, position: 0 },
    );
  }
  const element = toElement(operation, other.dtype, value, 0);
  const scalar = allocateRowMajor(other, operation, other.dtype, []);
  (windowOf(scalar) as Writable)[0] = element;
  return scalar;
}

/** Runs a kernel into an output, and returns the output's memory where that throws. */
function into<D extends DType>(out: Tensor<D>, kind: string, inputs: readonly Tensor[]): Tensor<D> {
  try {
    runLoops(kind, [out], inputs);
    return out;
  } catch (error) {
    out.dispose();
    throw error;
  }
}

/** A number among the operands: which one it is, and what a record keeps of it. */
interface NumberOperand {
  readonly scalar: Tensor;
  readonly value: number;
}

/**
 * What each binary operation keeps for backward: a where b needs a gradient, b where a does (OneModel section 8).
 * Division needs b for both. A number is kept as a number: nobody could return the memory of a tensor made for it.
 */
function savedOf(kind: BinaryKind, a: Tensor, b: Tensor, number?: NumberOperand): readonly (SavedSlot | undefined)[] {
  const keep = (t: Tensor): SavedSlot | undefined => (t === number?.scalar ? undefined : save(t));
  switch (kind) {
    case "mul":
      return [b.node === undefined ? undefined : keep(a), a.node === undefined ? undefined : keep(b)];
    case "div":
      return [b.node === undefined ? undefined : keep(a), keep(b)];
    case "reluBackward":
      return [keep(b)];
    case "add":
    case "sub":
      return [];
  }
}

function binary(kind: BinaryKind, first: unknown, second: unknown): Tensor {
  for (const operand of [first, second]) {
    if (isTensor(operand)) plain(operand, kind);
    else refuseCompound(operand, kind);
  }
  if (!isTensor(first) && !isTensor(second)) plain(first, kind);
  const other = (isTensor(first) ? first : second) as Tensor;
  checkKind(kind, other.dtype, OPERATIONS[kind].kinds);
  if (isTensor(first) && isTensor(second)) {
    sameDType(kind, first, second);
    return apply(kind, first, second);
  }
  const scalar = scalarOf(kind, isTensor(first) ? second : first, other);
  try {
    const number = { scalar, value: Number(isTensor(first) ? second : first) };
    return isTensor(first) ? apply(kind, first, scalar, number) : apply(kind, scalar, second as Tensor, number);
  } finally {
    scalar.dispose();
  }
}

function apply(kind: BinaryKind, a: Tensor, b: Tensor, number?: NumberOperand): Tensor {
  const shape = broadcastShapes(kind, a.shape, b.shape);
  const out = into(allocateLike(a, kind, a.dtype, resultLayout(shape, [a, b])), kind, [a, b]);
  if (!isRecorded(a) && !isRecorded(b)) return out;
  const floats = number !== undefined && (kind === "mul" || kind === "div") ? [number.value] : [];
  return record(out, { kind, inputs: [a, b], saved: savedOf(kind, a, b, number), floats });
}

function unary<D extends DType>(kind: UnaryKind, x: Tensor<D>): Tensor<D> {
  plain(x, kind);
  checkKind(kind, x.dtype, OPERATIONS[kind].kinds);
  const out = into(allocateLike(x, kind, x.dtype, compactLike(x.layout)), kind, [x]);
  if (!isRecorded(x)) return out;
  switch (kind) {
    case "neg":
      return record(out, { kind, inputs: [x] });
    case "log":
      return record(out, { kind, inputs: [x], saved: [save(x)] });
    case "relu":
    case "exp": {
      record(out, { kind, inputs: [x] });
      // The output is what backward reads, and only now does it have its node.
      (out.node?.record as { saved: readonly SavedSlot[] }).saved = [save(out)];
      return out;
    }
  }
}

/**
 * Adds element by element, broadcasting. Integers wrap. A number takes the tensor's dtype.
 *
 * @throws LayoutError when the shapes do not broadcast; TensorValueError for dtypes that differ or a number the
 * dtype cannot hold; KernelMissingError without kernels in force.
 * @since 0.1.0
 */
export function add<D extends DType>(a: Tensor<D>, b: Tensor<D> | number | bigint): Tensor<D>;
export function add<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function add(a: Value, b: Value): Tensor {
  return binary("add", a, b);
}

/** Subtracts element by element, broadcasting; see {@link add}. @since 0.1.0 */
export function sub<D extends DType>(a: Tensor<D>, b: Tensor<D> | number | bigint): Tensor<D>;
export function sub<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function sub(a: Value, b: Value): Tensor {
  return binary("sub", a, b);
}

/** Multiplies element by element, broadcasting; see {@link add}. @since 0.1.0 */
export function mul<D extends DType>(a: Tensor<D>, b: Tensor<D> | number | bigint): Tensor<D>;
export function mul<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function mul(a: Value, b: Value): Tensor {
  return binary("mul", a, b);
}

/** Divides element by element, broadcasting; float dtypes only. See {@link add}. @since 0.1.0 */
export function div<D extends DType>(a: Tensor<D>, b: Tensor<D> | number): Tensor<D>;
export function div<D extends DType>(a: number, b: Tensor<D>): Tensor<D>;
export function div(a: Value, b: Value): Tensor {
  return binary("div", a, b);
}

/** Negates every element; integers wrap. @since 0.1.0 */
export function neg<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary("neg", x);
}

/** Computes `x < 0 ? 0 : x`: NaN passes, and so does -0. Float dtypes only. @since 0.1.0 */
export function relu<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary("relu", x);
}

/** Computes e to the power of every element. Float dtypes only. @since 0.1.0 */
export function exp<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary("exp", x);
}

/** Computes the natural logarithm of every element: -Infinity at 0, NaN below. Float dtypes only. @since 0.1.0 */
export function log<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary("log", x);
}

/** Passes a cotangent where relu's output is positive, and 0 elsewhere: the rule of {@link relu}. @since 0.1.0 */
export function reluBackward<D extends DType>(cotangent: Tensor<D>, output: Tensor<D>): Tensor<D> {
  return binary("reluBackward", cotangent, output) as Tensor<D>;
}

/**
 * Converts to another dtype by the rules of OneModel section 10: floats round to nearest even (float64 reaches 16
 * bits through float32), float to integer truncates and saturates with NaN as 0, integers wrap, anything to bool is
 * "not zero". A tensor of that dtype already is returned as it is.
 * @since 0.1.0
 */
export function cast<D extends DType>(x: Tensor, dtype: D): Tensor<D> {
  plain(x, "cast");
  checkDType("cast", dtype);
  if (x.dtype === (dtype as DType)) return x as Tensor<D>;
  const out = into(allocateLike(x, "cast", dtype, compactLike(x.layout)), "cast", [x]);
  // History goes through float dtypes only: an integer has no derivative.
  return isRecorded(x) && isFloat(dtype) ? record(out, { kind: "cast", inputs: [x] }) : out;
}
