import { HurrayValueError } from "./errors.js";

/** Tells whether a value is an integer from `lowest` to `highest`, and of their type. */
export function isWithin(value: unknown, lowest: number | bigint, highest: number | bigint): boolean {
  if (typeof value !== typeof lowest || (value as bigint) < lowest || (value as bigint) > highest) return false;
  return typeof value === "bigint" || Number.isInteger(value);
}

/**
 * Refuses a value that should have been another one, of the type of `example`.
 *
 * @throws TypeError for another type; HurrayValueError `SW_HURRAY_VALUE` for any other value of the type.
 */
export function refuseValue(
  operation: string,
  field: string,
  value: unknown,
  example: number | bigint | string,
  expected: string,
): never {
  const type = typeof example;
  if (typeof value === type) {
    throw new HurrayValueError(operation, field, `${field} is not allowed`, value, expected);
  }
  const given = value === null ? "null" : typeof value;
  throw new TypeError(`${operation}: ${field} is no ${type}: got ${given}, expected ${expected}.`);
}

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
  if (given === undefined) return usual;
  if (isWithin(given, least, Number.MAX_SAFE_INTEGER)) return given;
  return refuseValue(operation, field, given, least, `an integer from ${least} on`);
}

/**
 * Takes an option that is a time in milliseconds, above 0; `Infinity` is a time that never ends.
 *
 * @throws As `countOption`.
 */
export function timeOption(operation: string, field: string, given: number | undefined, usual: number): number {
  if (given === undefined) return usual;
  if (typeof given === "number" && given > 0) return given;
  return refuseValue(operation, field, given, 0, "milliseconds, more than 0");
}
