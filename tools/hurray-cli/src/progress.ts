import { Presets, SingleBar } from "cli-progress";
import type { TextSink } from "./io.js";

/** Shows how far something has come. */
export interface Progress {
  update(done: number, what?: string): void;
  /** Leaves the terminal as it was; again, it does nothing. */
  stop(): void;
}

const SILENT: Progress = { update: () => {}, stop: () => {} };

/** Shows a bar of bytes on a terminal, and nothing anywhere else: what is not a terminal is a log or another program. */
export function createProgress(sink: TextSink, verb: string, total: number): Progress {
  if (sink.isTTY !== true || total <= 0) return SILENT;
  const bar = new SingleBar(
    {
      stream: sink as NodeJS.WriteStream,
      format: `${verb} [{bar}] {percentage} % {what}`,
      barsize: 24,
      clearOnComplete: true,
      // The terminal's settings stay as they are, so an interrupt at any moment leaves nothing to mend.
      linewrap: true,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update(done, what = "") {
      if (!started) bar.start(total, 0, { what });
      started = true;
      bar.update(Math.min(done, total), { what });
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}
