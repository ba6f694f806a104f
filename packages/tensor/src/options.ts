import { describe } from "@sw/layout";

/**
 * Checks that options are an object, before anything is read of them: not `null`, and not the value of the one option
 * that was meant, as in `zeros([2], "int32")`.
 *
 * @param example - what to write, as in `{ dtype }`.
 * @throws TypeError when they are none.
 */
export function checkOptions(operation: string, options: unknown, example: string): void {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return;
  throw new TypeError(
    `${operation}: the options are no object: got ${describe(options)}, expected one like ${example}.`,
  );
}
