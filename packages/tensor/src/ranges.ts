import { type CreateOptions, createWith, wantedDType } from "./create.js";
import type { DType } from "./dtype.js";
import { toElement } from "./element.js";
import { TensorShapeError, TensorValueError } from "./errors.js";
import { LIMIT } from "./handle.js";
import type { Tensor } from "./tensor.js";
import type { Writable } from "./window.js";

// Tensors of one axis whose elements are evenly spaced.

/** Checks that the numbers of a range are numbers, and finite. */
function checkFinite(operation: string, names: string, values: readonly unknown[]): void {
  for (const value of values) {
    if (typeof value === "number") continue;
    throw new TypeError(`${operation}: not a number: got ${typeof value}, expected numbers.`);
  }
  if (values.every(Number.isFinite)) return;
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `${operation}: no such range: got ${names} ${values.join(", ")}, expected finite numbers.`,
    { given: values },
  );
}

/**
 * Makes the numbers `start, start + step, …` before `end`; `arange(n)` counts from 0. Each is `start + i · step`, rounded
 * to float64 and then to the dtype; an integer dtype takes integers only.
 *
 * @throws TensorValueError `SW_TENSOR_OPTION` for a step of 0 or bounds that are not finite, `SW_TENSOR_VALUE` for a number
 * that the dtype cannot hold; TensorShapeError `SW_TENSOR_SHAPE_LIMIT` for more than 2³¹−1 numbers.
 * @example
 * ```ts
 * import { arange } from "@sw/tensor";
 * console.log(arange(1, 0, -0.25).toArray()); // [ 1, 0.75, 0.5, 0.25 ]
 * ```
 * @since 0.1.0
 */
export function arange<D extends DType = "float32">(
  start: number,
  end?: number,
  step = 1,
  options: CreateOptions<D> = {},
): Tensor<D> {
  const first = end === undefined ? 0 : start;
  const last = end === undefined ? start : end;
  checkFinite("arange", "start, end and step", [first, last, step]);
  if (step === 0) {
    throw new TensorValueError("SW_TENSOR_OPTION", "arange: the step is 0: got 0, expected another number.", {
      given: [first, last, step],
    });
  }
  // Divided before it is subtracted where the distance is no float64.
  const distance = last - first;
  const count = Math.max(0, Math.ceil(Number.isFinite(distance) ? distance / step : last / step - first / step));
  if (count > LIMIT) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_LIMIT",
      `arange: too many numbers: got ${count} from ${first} to ${last} by ${step}, expected at most ${LIMIT}.`,
      { given: count, expected: LIMIT },
    );
  }
  const dtype = wantedDType("arange", options);
  return createWith("arange", [count], dtype, (elements) => {
    const out = elements as Writable;
    for (let i = 0; i < count; i++) out[i] = toElement("arange", dtype, first + i * step, i);
  });
}

/** Options of {@link linspace}. @since 0.1.0 */
export interface LinspaceOptions<D extends DType> extends CreateOptions<D> {
  /** Whether `end` is the last number; otherwise it would be the next one. Default: true. */
  readonly endpoint?: boolean;
}

/**
 * Makes `count` evenly spaced numbers from `start` to `end`, both exact. Each is computed in float64 and rounded to the
 * dtype once; an integer dtype takes integers only.
 *
 * @throws TypeError for what is no number, or a count that is no integer; TensorValueError `SW_TENSOR_OPTION` for bounds
 * that are not finite, `SW_TENSOR_VALUE` for a number that the dtype cannot hold; TensorShapeError
 * `SW_TENSOR_SHAPE_INVALID` or `SW_TENSOR_SHAPE_LIMIT` for a count below 0 or too large.
 * @example
 * ```ts
 * import { linspace } from "@sw/tensor";
 * console.log(linspace(0, 1, 5).toArray()); // [ 0, 0.25, 0.5, 0.75, 1 ]
 * ```
 * @since 0.1.0
 */
export function linspace<D extends DType = "float32">(
  start: number,
  end: number,
  count: number,
  options: LinspaceOptions<D> = {},
): Tensor<D> {
  checkFinite("linspace", "start and end", [start, end]);
  const dtype = wantedDType("linspace", options);
  const endpoint = options.endpoint ?? true;
  return createWith("linspace", [count], dtype, (elements) => {
    const out = elements as Writable;
    const gaps = endpoint ? count - 1 : count;
    const distance = end - start;
    const step = distance / gaps;
    for (let i = 0; i < count; i++) {
      // A distance beyond float64 is taken in two parts; one near 0 has steps that are rounded up.
      const x = Number.isFinite(distance) ? start + i * step : start * (1 - i / gaps) + end * (i / gaps);
      const between = Math.min(Math.max(x, Math.min(start, end)), Math.max(start, end));
      out[i] = toElement("linspace", dtype, i === 0 ? start : i === gaps ? end : between, i);
    }
  });
}
