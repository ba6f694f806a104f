import { describe } from "@sw/layout";
import { TensorValueError } from "../errors.js";

/**
 * Checks a number among options.
 *
 * @throws TypeError for what is no number; TensorValueError `SW_TENSOR_OPTION` for one that does not fit.
 */
export function checkNumber(
  operation: string,
  name: string,
  value: unknown,
  fits: (x: number) => boolean,
  rule: string,
): void {
  if (typeof value !== "number") {
    throw new TypeError(`${operation}: ${name} is not a number: got ${describe(value)}, expected ${rule}.`);
  }
  if (fits(value)) return;
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `${operation}: ${name} is out of range: got ${value}, expected ${rule}.`,
    {
      given: value,
    },
  );
}
