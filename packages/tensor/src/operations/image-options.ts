import { describe } from "@sw/layout";
import { TensorShapeError, TensorValueError } from "../errors.js";
import { showShape } from "../gate.js";
import { checkShape, LIMIT } from "../handle.js";
import type { Tensor } from "../tensor.js";

/** A number for the height and the width of an image, or one for both. @since 0.1.0 */
export type Pair = number | readonly [height: number, width: number];

/**
 * Reads a whole number of an option.
 *
 * @throws TypeError when it is no integer; TensorValueError `SW_TENSOR_OPTION` outside `[least, most]`.
 */
export function wholeOption(operation: string, name: string, value: unknown, least: number, most: number): number {
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new TypeError(`${operation}: ${name} is no integer: got ${describe(value)}, expected an integer.`);
  }
  if (value >= least && value <= most) return value;
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `${operation}: ${name} is out of range: got ${value}, expected an integer from ${least} to ${most}.`,
    { given: value, expected: [least, most] },
  );
}

/**
 * Reads an option that is a number, or one for the height and one for the width.
 *
 * @throws as {@link wholeOption}; TypeError for a list of another length.
 */
export function pairOption(operation: string, name: string, value: unknown, least: number): [number, number] {
  if (!Array.isArray(value)) {
    const both = wholeOption(operation, name, value, least, LIMIT);
    return [both, both];
  }
  if (value.length === 2) {
    return [
      wholeOption(operation, `the height of ${name}`, value[0], least, LIMIT),
      wholeOption(operation, `the width of ${name}`, value[1], least, LIMIT),
    ];
  }
  throw new TypeError(
    `${operation}: ${name} is no pair: got a list of ${value.length}, expected a number or [height, width].`,
  );
}

/**
 * Checks how many axes an operand has.
 *
 * @param expected - the axes, as in `[n,c,h,w]`.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`.
 */
export function checkRank(operation: string, what: string, { shape }: Pick<Tensor, "shape">, expected: string): void {
  const rank = expected.split(",").length;
  if (shape.length === rank) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: ${what} has other axes: got shape ${showShape(shape)}, expected ${expected}.`,
    { given: shape.length, expected: rank, shape },
  );
}

/**
 * Checks the extents of a result that a caller names: four of them.
 *
 * @throws as {@link checkShape}, and {@link checkRank}.
 */
export function checkFour(operation: string, what: string, shape: readonly number[], expected: string): void {
  checkShape(operation, shape);
  checkRank(operation, what, { shape }, expected);
}

/**
 * Checks the shape of a cotangent, or of another operand that can have only one.
 *
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`.
 */
export function checkExtents(operation: string, what: string, t: Tensor, expected: readonly number[]): void {
  if (t.rank === expected.length && expected.every((extent, axis) => extent === t.shape[axis])) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: ${what} does not fit: got shape ${showShape(t.shape)}, expected ${showShape(expected)}.`,
    { given: t.shape, expected, shape: t.shape },
  );
}
