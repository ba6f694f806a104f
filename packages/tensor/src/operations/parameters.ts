import { expandTo } from "@sw/layout";
import { toElement } from "../element.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, sameDType, showShape } from "../gate.js";
import { allocateRowMajor, viewAt } from "../handle.js";
import type { Tensor } from "../tensor.js";
import { type Writable, windowOf } from "../window.js";
import { checkNumber } from "./check-number.js";
import { FLOATS } from "./spec.js";

// What operations that normalise are given beside their operand.

/** A scale and a shift after normalising, and what keeps the divisor from 0. @since 0.1.0 */
export interface AffineOptions {
  /** Multiplies what was normalised. Default: ones. */
  readonly weight?: Tensor;
  /** Is added then. Default: zeros. */
  readonly bias?: Tensor;
  /** Is added to the variance. Default: 1e-5. */
  readonly epsilon?: number;
}

/** The default of `epsilon`. */
export const EPSILON = 1e-5;

/** @throws TypeError; TensorValueError `SW_TENSOR_OPTION`. */
export function checkEpsilon(operation: string, epsilon: unknown): void {
  const fits = (x: number): boolean => x >= 0 && Number.isFinite(x);
  checkNumber(operation, "epsilon", epsilon, fits, "a finite number of at least 0");
}

/** Checks an operand that is normalised. */
export function checkOperand(operation: string, x: unknown): asserts x is Tensor {
  plain(x, operation);
  checkKind(operation, x.dtype, FLOATS);
}

/**
 * Checks an operand that belongs to another one: of its dtype, and of one shape.
 *
 * @throws TensorValueError `SW_TENSOR_DTYPE_MISMATCH`; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`.
 */
export function checkParameter(
  operation: string,
  name: string,
  parameter: Tensor | undefined,
  x: Tensor,
  shape: readonly number[],
): void {
  if (parameter === undefined) return;
  plain(parameter, operation);
  sameDType(operation, x, parameter);
  const { shape: own } = parameter;
  if (own.length === shape.length && own.every((extent, axis) => extent === shape[axis])) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: the ${name} does not fit: got shape ${showShape(own)}, expected ${showShape(shape)}.`,
    { given: own, expected: shape, shape: own },
  );
}

/** One number in every element of a shape, in the memory of a single one. */
export function repeated(x: Tensor, operation: string, value: number, shape: readonly number[]): Tensor {
  const one = allocateRowMajor(x, operation, x.dtype, []);
  (windowOf(one) as Writable)[0] = toElement(operation, x.dtype, value, 0);
  return viewAt(one, expandTo(one.layout, shape, operation).layout, 0, undefined, operation);
}

/** The weight and the bias that a kernel is handed: both, or neither, what is absent being made. */
export interface Affine {
  readonly operands: readonly Tensor[];
  /** The weight that stands for none, whose slot in a record stays empty. */
  readonly number: Tensor | undefined;
  readonly made: readonly Tensor[];
}

export function affineOf(operation: string, x: Tensor, shape: readonly number[], options: AffineOptions): Affine {
  const { weight, bias } = options;
  if (weight === undefined && bias === undefined) return { operands: [], number: undefined, made: [] };
  if (weight !== undefined && bias !== undefined) return { operands: [weight, bias], number: undefined, made: [] };
  const made = repeated(x, operation, weight === undefined ? 1 : 0, shape);
  if (weight === undefined) return { operands: [made, bias as Tensor], number: made, made: [made] };
  return { operands: [weight, made], number: undefined, made: [made] };
}
