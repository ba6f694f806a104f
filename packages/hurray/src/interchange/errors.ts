import { type ForeignFormat, HurrayForeignError } from "../errors.js";

/** Who reads or writes what: what every error says. */
export interface Task {
  readonly operation: string;
  readonly format: ForeignFormat;
  readonly tensorName?: string | undefined;
}

/** What says that bytes break a rule of their format. */
export function invalid(
  task: Task,
  field: string,
  byteOffset: number,
  problem: string,
  given: unknown,
  expected: string,
  more: { readonly advice?: string; readonly cause?: unknown } = {},
): HurrayForeignError {
  const place = { format: task.format, field, byteOffset, tensorName: task.tensorName };
  return new HurrayForeignError("SW_HURRAY_FOREIGN_INVALID", task.operation, place, problem, given, expected, more);
}

/** What says that something has no counterpart, and what to do. `byteOffset` is `undefined` where it was to be written. */
export function unsupported(
  task: Task,
  field: string,
  byteOffset: number | undefined,
  problem: string,
  given: unknown,
  expected: string,
  advice: string,
): HurrayForeignError {
  const place = { format: task.format, field, byteOffset, tensorName: task.tensorName };
  return new HurrayForeignError("SW_HURRAY_FOREIGN_UNSUPPORTED", task.operation, place, problem, given, expected, {
    advice,
  });
}
