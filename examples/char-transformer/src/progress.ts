import { Presets, SingleBar } from "cli-progress";

/** Where text goes: a terminal, a pipe, or a test's list. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Shows how training goes on. */
export interface Progress {
  update(step: number, loss: number): void;
  /** Leaves the terminal as it was. */
  stop(): void;
}

/** The smoothing of the loss that is shown: about the last twenty steps. */
const KEEP = 0.95;

/**
 * Shows a progress bar with the loss on a terminal, and a line every so many steps anywhere else.
 *
 * @param first - how many steps were made before.
 */
export function createProgress(sink: TextSink, first: number, last: number, every = 50): Progress {
  let shown: number | undefined;
  const smooth = (loss: number): string => {
    shown = shown === undefined ? loss : KEEP * shown + (1 - KEEP) * loss;
    return shown.toFixed(4);
  };
  if (sink.isTTY !== true) {
    return {
      update(step, loss) {
        const text = smooth(loss);
        if (step % every === 0 || step === last) sink.write(`step ${step}/${last} | loss ${text}\n`);
      },
      stop() {
        // Lines leave nothing behind.
      },
    };
  }
  const bar = new SingleBar(
    {
      stream: sink as NodeJS.WriteStream,
      format: "step {value}/{total} [{bar}] {percentage} % | loss {loss} | {eta_formatted}",
      barsize: 20,
      etaBuffer: 50,
      linewrap: true,
      // A step does not return to the event loop, so a timer would not get its turn.
      synchronousUpdate: true,
    },
    Presets.shades_classic,
  );
  bar.start(last, first, { loss: "-" });
  return { update: (step, loss) => bar.update(step, { loss: smooth(loss) }), stop: () => bar.stop() };
}
