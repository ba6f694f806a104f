import type { RunOptions } from "../run.js";

/** What text is written to. @since 0.1.0 */
export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** How far a run is, on one line that is written over. */
export interface Progress {
  readonly show: NonNullable<RunOptions["onCase"]>;
  clear(): void;
}

/** A terminal shows no more than this many lines a second usefully. */
const EVERY = 100;

/** Shows progress where somebody looks: on a terminal, and nowhere else. */
export function progressOn(terminal: Terminal, now: () => number = () => performance.now()): Progress {
  let failures = 0;
  let last = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(id, status, done, of): void {
      if (status === "failed") failures += 1;
      const time = now();
      if (terminal.isTTY !== true || (time - last < EVERY && done < of)) return;
      last = time;
      isShown = true;
      const failed = failures === 0 ? "" : `, ${failures} failed`;
      const line = `${done} of ${of}${failed}  ${id}`;
      terminal.write(`\r\u001b[K${line.slice(0, (terminal.columns ?? 80) - 1)}`);
    },
    clear(): void {
      if (isShown) terminal.write("\r\u001b[K");
    },
  };
}
