import { HurrayValueError } from "./errors.js";

/**
 * Takes an option that counts something: an integer from `least` on, `usual` where it is undefined.
 *
 * @throws TypeError for what is no number; HurrayValueError `SW_HURRAY_VALUE` for any other number.
 */
export function countOption(
  operation: string,
  field: string,
  given: number | undefined,
  least: number,
  usual: number,
): number {
  return numberOption(operation, field, given, usual, `an integer from ${least} on`, (value) => {
    return Number.isSafeInteger(value) && value >= least;
  });
}

/**
 * Takes an option that is a time in milliseconds, above 0; `Infinity` is a time that never ends.
 *
 * @throws As `countOption`.
 */
export function timeOption(operation: string, field: string, given: number | undefined, usual: number): number {
  return numberOption(operation, field, given, usual, "milliseconds, more than 0", (value) => value > 0);
}

function numberOption(
  operation: string,
  field: string,
  given: number | undefined,
  usual: number,
  expected: string,
  isAllowed: (value: number) => boolean,
): number {
  if (given === undefined) return usual;
  if (typeof given !== "number") {
    const type = given === null ? "null" : typeof given;
    throw new TypeError(`${operation}: ${field} is no number: got ${type}, expected ${expected}.`);
  }
  if (isAllowed(given)) return given;
  throw new HurrayValueError(operation, field, `${field} is not allowed`, given, expected);
}
