import { abortable } from "../bytes/abortable.js";

/** Lets so many in at a time; the others wait in a row. */
export interface Gate {
  /** Settles when it is one's turn, with the function that leaves again. */
  enter(signal?: AbortSignal): Promise<() => void>;
}

/** Makes a gate. */
export function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  /** Leaves once, however often it is called. */
  const once = (): (() => void) => {
    let isIn = true;
    return () => {
      if (isIn) leave();
      isIn = false;
    };
  };
  return {
    enter: async (signal) => {
      if (free > 0) {
        free--;
        return once();
      }
      const turn = new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await abortable(turn, signal);
      } catch (error) {
        // The turn comes all the same, and goes to the next one.
        void turn.then(leave);
        throw error;
      }
      return once();
    },
  };
}
