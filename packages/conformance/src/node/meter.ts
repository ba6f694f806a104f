import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Meter } from "../case.js";

/**
 * Makes a meter of the heap for the cases that need one: what some work takes of it and of array buffers, in bytes. The
 * garbage of before is collected first; the work's own counts.
 *
 * @since 0.1.0
 */
export function heapMeter(): Meter {
  // Node lets code collect only where it is told to, which needs no flag of the command line.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return (work) => {
    collect();
    const before = memoryUsage();
    work();
    const after = memoryUsage();
    return { heap: after.heapUsed - before.heapUsed, buffers: after.arrayBuffers - before.arrayBuffers };
  };
}
