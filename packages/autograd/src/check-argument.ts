import { describe } from "@sw/layout";

/** Checks that an argument is a function. @throws TypeError naming the operation. */
export function checkFunction(operation: string, fn: unknown, what = "the argument"): void {
  if (typeof fn === "function") return;
  throw new TypeError(`${operation}: ${what} is no function: got ${describe(fn)}, expected one.`);
}

/** Checks that an argument is a list. @throws TypeError naming the operation. */
export function checkList(operation: string, list: unknown, what: string): void {
  if (Array.isArray(list)) return;
  throw new TypeError(`${operation}: ${what} are no list: got ${describe(list)}, expected an array.`);
}

/** Checks that options are an object, whose members are optional. @throws TypeError naming the operation. */
export function checkOptions(operation: string, options: unknown, expected: string): void {
  if (typeof options === "object" && options !== null) return;
  throw new TypeError(`${operation}: the options are no object: got ${describe(options)}, expected ${expected}.`);
}
