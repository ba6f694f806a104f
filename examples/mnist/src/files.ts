import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** The codes of an {@link OutputFileError}. */
export type OutputFileErrorCode = "SW_MNIST_OUTPUT_FOLDER" | "SW_MNIST_OUTPUT_FILE" | "SW_MNIST_OUTPUT_SAME";

/** A path that nothing can be written to. */
export class OutputFileError extends Error {
  readonly code: OutputFileErrorCode;
  readonly file: string;
  constructor(code: OutputFileErrorCode, message: string, file: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "OutputFileError";
    this.code = code;
    this.file = file;
  }
}

/**
 * Checks, before minutes of work, that results can be written in the end.
 *
 * @throws OutputFileError when a folder is missing or read-only, a path is a folder, or two paths are one.
 */
export async function checkOutputs(files: readonly string[]): Promise<void> {
  const seen = new Set<string>();
  for (const file of files) {
    const full = resolve(file);
    if (seen.has(full)) {
      throw new OutputFileError(
        "SW_MNIST_OUTPUT_SAME",
        `write: two results go to one file: got ${file} twice, expected a file for each.`,
        file,
      );
    }
    seen.add(full);
    const folder = dirname(full);
    const refuse = (cause?: unknown): OutputFileError =>
      new OutputFileError(
        "SW_MNIST_OUTPUT_FOLDER",
        `write: the folder of a result is missing or cannot be written: got ${folder}, expected a folder. Create it first.`,
        file,
        cause,
      );
    await access(folder, constants.W_OK).catch((cause: unknown) => {
      throw refuse(cause);
    });
    if (!(await stat(folder)).isDirectory()) throw refuse();
    const present = await stat(full).catch(() => undefined);
    if (present !== undefined && !present.isFile()) {
      throw new OutputFileError(
        "SW_MNIST_OUTPUT_FILE",
        `write: a result cannot be written: got ${file}, which is no file, expected a path of a file.`,
        file,
      );
    }
  }
}

/** Writes a text file as a whole or not at all: into a temporary file beside it, which is then renamed. */
export async function writeText(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
