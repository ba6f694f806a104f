/** What the program answers with; help lists them. */
export const EXIT = { fine: 0, differs: 1, usage: 2, unreadable: 3, refused: 4, interrupted: 130 } as const;

/** Something that the program itself refuses, with the exit code that says what kind of thing it is. */
export class CliError extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

/**
 * The exit code of what was thrown when something was made of sound input: a rule of descriptors that is broken is broken
 * by what was to be made. What the data says is found out only then, and is the input's.
 */
export function exitCodeOfMaking(error: unknown): number {
  const { code } = error as { code?: unknown };
  return code === "SW_HURRAY_DESCRIPTOR_INVALID" ? EXIT.refused : exitCodeOf(error, EXIT.refused);
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
  const causes = causesOf(error);
  if (debug) return [error, ...causes].map((each) => each.stack ?? each.message).join("\ncaused by ");
  const { code, path, message } = error as NodeJS.ErrnoException;
  // "ENOENT: no such file or directory, open 'x'"
  const text = path === undefined ? message : `${path}: ${message.split(", ")[0]!.replace(`${code}: `, "")}.`;
  // The last of them says it most exactly: "fetch failed" is caused by "connect ECONNREFUSED 127.0.0.1:80".
  const reason = causes.map(reasonOf).findLast((each) => each !== "");
  const said = reason === undefined || text.includes(reason) ? text : `${text} The reason: ${reason}`;
  return said.replace(/\s*\n\s*/g, " ");
}

/** What caused an error, and what caused that; a chain that bites its tail ends there. */
function causesOf(error: Error): Error[] {
  const causes: Error[] = [];
  for (let cause = error.cause; cause instanceof Error && !causes.includes(cause); cause = cause.cause) {
    causes.push(cause);
  }
  return causes;
}

/** What an error says; one that stands for several, each address of a host being one, says nothing itself. */
function reasonOf(error: Error): string {
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join("; ");
}
