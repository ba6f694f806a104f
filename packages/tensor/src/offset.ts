import { describe } from "@sw/layout";
import { ViewError } from "./errors.js";

/**
 * Checks where a view starts, in elements: also that of an empty one, which reaches nothing (VA-1, VA-5).
 *
 * @throws TypeError when it is no integer; ViewError `SW_TENSOR_VIEW_BOUNDS` when it is negative or beyond 2^53 - 1.
 */
export function checkOffset(operation: string, offset: unknown): asserts offset is number {
  if (typeof offset !== "number" || !Number.isInteger(offset)) {
    throw new TypeError(
      `${operation}: the offset is no integer: got ${describe(offset)}, expected an integer of at least 0.`,
    );
  }
  if (offset >= 0 && Number.isSafeInteger(offset)) return;
  throw new ViewError(
    "SW_TENSOR_VIEW_BOUNDS",
    `${operation}: the offset is not possible: got ${offset}, expected an integer of at least 0.`,
    { given: offset },
  );
}
