import { FILE_MAGIC } from "../file/frame.js";
import { type HurrayInput, sourceOf } from "../source/input.js";
import { type HurraySource, readBytes } from "../source/source.js";
import { surveyFile } from "./file.js";
import type { Finding } from "./finding.js";
import { type CheckedOptions, checkedOptions, type VerifyOptions } from "./options.js";
import { surveyStream } from "./stream.js";

/**
 * Checks a file or a raw stream by every rule, and gives all that breaks one, with the rule, the field and where it
 * lies: frame, index and metadata entry by entry, descriptors section by section, what the data says (`checkData`), composites and
 * their covers. Past a broken section it goes on wherever lengths tell what comes next. What is allowed and worth
 * knowing comes as a note: regions that overlap, padding that is not zero, what could not be checked.
 *
 * Findings come as they are found, in the order of the file. In memory at a time are the index and one tensor, and
 * only if its data has rules.
 *
 * @throws TypeError for what is nothing to read from; TypeError, HurrayValueError `SW_HURRAY_VALUE` for wrong options.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` when the source gives fewer bytes than it promised.
 * @example
 * ```ts
 * import { encodeHurray } from "@sw/hurray";
 * import { verify } from "@sw/hurray/verify";
 * import { tensor } from "@sw/tensor";
 *
 * const bytes = encodeHurray({ w: tensor([1, 2, 3]) });
 * bytes[10] = 7;
 * for await (const { rule, byteOffset } of verify(bytes)) console.log(rule, byteOffset); // R129 10
 * ```
 * @since 0.1.0
 */
export function verify(input: HurrayInput, options: VerifyOptions = {}): AsyncIterable<Finding> {
  const operation = "verify";
  return survey(sourceOf(input, operation), operation, checkedOptions(operation, options));
}

async function* survey(
  source: HurraySource,
  operation: string,
  options: CheckedOptions,
): AsyncGenerator<Finding, void, void> {
  options.signal?.throwIfAborted();
  const as = options.as ?? (await kindOf(source, operation));
  yield* as === "file" ? surveyFile(source, operation, options) : surveyStream(source, operation, options);
}

/** Tells a stream by the descriptor that it begins with; all else is to be a file. */
async function kindOf(source: HurraySource, operation: string): Promise<"file" | "stream"> {
  const start = await readBytes(source, operation, 0, Math.min(source.byteLength, FILE_MAGIC.length));
  const matches = (length: number): boolean =>
    start.byteLength >= length && FILE_MAGIC.slice(0, length).every((byte, k) => start[k] === byte);
  return matches(4) && !matches(FILE_MAGIC.length) ? "stream" : "file";
}
