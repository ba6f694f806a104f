/** Timers; those of the host when absent. @since 0.1.0 */
export interface Clock {
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The timers of the host. */
export const HOST_CLOCK: Clock = {
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** The longest time that timers count; longer ones never end. */
const LONGEST = 2 ** 31 - 1;

/** Waits for something that must not take forever. */
export interface Patience {
  /** Begins to wait, or begins anew. */
  restart(milliseconds?: number): void;
  stop(): void;
}

/** Makes a patience that calls `onEnd` when so much time passes between a restart and a stop. */
export function createPatience(clock: Clock, milliseconds: number, onEnd: (milliseconds: number) => void): Patience {
  let timer: unknown;
  const stop = (): void => {
    if (timer !== undefined) clock.clearTimeout(timer);
    timer = undefined;
  };
  return {
    restart: (time = milliseconds) => {
      stop();
      if (time <= LONGEST) timer = clock.setTimeout(() => onEnd(time), time);
    },
    stop,
  };
}
