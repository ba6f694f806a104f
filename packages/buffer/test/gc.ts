import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects now. The flag is set here, so that the test runner needs none. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/** Collects, and lets the event loop turn, until something holds that finalizers bring about. */
export async function collectUntil(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100 && !holds(); turn += 1) {
    collectGarbage();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
