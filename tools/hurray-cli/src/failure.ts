/** What the program answers with; help lists them. */
export const EXIT = { fine: 0, differs: 1, usage: 2, unreadable: 3, refused: 4, interrupted: 130 } as const;

/** Something that the program itself refuses, with the exit code that says what kind of thing it is. */
export class CliError extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

/** The exit code of anything thrown; `refused` is that of what a command cannot do with sound input. */
export function exitCodeOf(error: unknown, refused: number = EXIT.unreadable): number {
  if (error instanceof CliError) return error.exitCode;
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === "AbortError") return EXIT.interrupted;
  // Keys are what the user typed.
  if (code === "SW_TENSOR_KEY" || code === "SW_TENSOR_INDEX") return EXIT.usage;
  if (/^SW_HURRAY_(VALUE|LIMIT|\w+_UNSUPPORTED|FOREIGN_UNSUPPORTED)$/.test(String(code))) return refused;
  return EXIT.unreadable;
}

/** An error in one line, and with its stack where that is asked for. */
export function errorText(error: unknown, debug: boolean): string {
  if (!(error instanceof Error)) return String(error);
  if (debug) return error.stack ?? error.message;
  const { code, path, message } = error as NodeJS.ErrnoException;
  // "ENOENT: no such file or directory, open 'x'"
  const text = path === undefined ? message : `${path}: ${message.split(", ")[0]!.replace(`${code}: `, "")}.`;
  return text.replace(/\s*\n\s*/g, " ");
}
