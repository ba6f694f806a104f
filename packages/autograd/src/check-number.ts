import { describe } from "@sw/layout";
import { GradientError } from "./errors.js";

/**
 * Checks a number that a caller chose.
 *
 * @param rule - what it must be, in words.
 * @throws TypeError for what is no number; GradientError `SW_AUTOGRAD_OPTION` for one that does not fit.
 */
export function checkNumber(
  operation: string,
  name: string,
  value: unknown,
  fits: (x: number) => boolean,
  rule: string,
): asserts value is number {
  if (typeof value !== "number") {
    throw new TypeError(`${operation}: ${name} is no number: got ${describe(value)}, expected ${rule}.`);
  }
  if (fits(value)) return;
  throw new GradientError(
    "SW_AUTOGRAD_OPTION",
    `${operation}: ${name} is not possible: got ${value}, expected ${rule}.`,
    { operation, given: value },
  );
}

/** Checks a rate, a decay or the like, and returns it. */
export function finite(operation: string, name: string, value: unknown): number {
  checkNumber(operation, name, value, (x) => Number.isFinite(x) && x >= 0, "a finite number of at least 0");
  return value;
}

/** Checks a count, and returns it. */
export function whole(operation: string, name: string, value: unknown, least: number): number {
  const fits = (x: number): boolean => Number.isSafeInteger(x) && x >= least;
  checkNumber(operation, name, value, fits, `an integer of at least ${least}`);
  return value;
}
