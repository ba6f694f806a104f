import { Presets, SingleBar } from "cli-progress";
import type { Step } from "./train.js";

/** Where text goes: a terminal, a pipe, or a test's list. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Shows how training goes on. */
export interface Progress {
  update(step: Step): void;
  /** Leaves the terminal as it was; again, it does nothing. */
  stop(): void;
}

/** The smoothing of the loss that is shown: about the last hundred steps. */
const KEEP = 0.99;

/**
 * Shows a progress bar with loss and images/s on a terminal, and a line per epoch anywhere else.
 *
 * @param now - milliseconds of a clock.
 */
export function createProgress(sink: TextSink, now: () => number): Progress {
  const began = now();
  let images = 0;
  let shown: number | undefined;
  const measure = (step: Step): { loss: string; speed: string } => {
    images += step.images;
    shown = shown === undefined ? step.loss : KEEP * shown + (1 - KEEP) * step.loss;
    const seconds = Math.max(1e-3, (now() - began) / 1000);
    return { loss: shown.toFixed(4), speed: Math.round(images / seconds).toLocaleString("en-US") };
  };
  return sink.isTTY === true ? barProgress(sink as NodeJS.WriteStream, measure) : lineProgress(sink, measure);
}

type Measure = (step: Step) => { loss: string; speed: string };

function barProgress(stream: NodeJS.WriteStream, measure: Measure): Progress {
  const bar = new SingleBar(
    {
      stream,
      format: "epoch {epoch} [{bar}] {percentage} % | loss {loss} | {speed} images/s | {eta_formatted}",
      barsize: 20,
      etaBuffer: 200,
      // The terminal's settings stay as they are, so an interrupt at any moment leaves nothing to mend.
      linewrap: true,
      // A step does not return to the event loop, so a timer would not get its turn.
      synchronousUpdate: true,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update(step) {
      const payload = { ...measure(step), epoch: `${step.epoch}/${step.epochs}` };
      if (!started) bar.start(step.steps, 0, payload);
      started = true;
      bar.update(step.step, payload);
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

function lineProgress(sink: TextSink, measure: Measure): Progress {
  return {
    update(step) {
      const { loss, speed } = measure(step);
      if (step.endsEpoch) sink.write(`epoch ${step.epoch}/${step.epochs} | loss ${loss} | ${speed} images/s\n`);
    },
    stop() {
      // Lines leave nothing behind.
    },
  };
}
