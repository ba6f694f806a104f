/** Where text goes: a terminal, a pipe, or a test's list. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a run of the program has of the world. */
export interface Io {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Calls off what is going on, as Ctrl-C does. */
  readonly signal: AbortSignal;
}

/** Writes lines of results. */
export function printLines(io: Io, lines: Iterable<string>): void {
  for (const line of lines) io.stdout.write(`${line}\n`);
}
