/** Runs work, not more of it at a time than a limit allows; the rest waits its turn in order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export function createLimiter(limit: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // A place that becomes free goes to who waits longest, and is never seen free by others.
    if (running >= limit) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
