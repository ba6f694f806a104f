import type { CoreExports } from "../kernels/core.js";
import type { FusedExports } from "../kernels/fused-product.js";
import { multiplyByRows } from "../launch/matmul.js";
import { productEngines } from "../launch/products.js";
import { AWAKE_MS, ENDED, PRODUCT_ARGUMENTS, type ThreadStart, WORD } from "./control.js";

/** Runs the jobs of a thread until there are no more. */
export function serve({ memory, core, fused, control, scratch }: ThreadStart): void {
  const imports = { env: { memory } };
  const exports = new WebAssembly.Instance(core, imports).exports as unknown as CoreExports;
  const instance = fused === undefined ? undefined : new WebAssembly.Instance(fused, imports);
  const engines = productEngines(
    exports,
    scratch,
    instance === undefined ? undefined : () => instance.exports as unknown as FusedExports,
  );
  const words = new Int32Array(memory.buffer, control, WORD.arguments + PRODUCT_ARGUMENTS);
  let last = 0;
  for (;;) {
    last = nextJob(words, last);
    if (last === ENDED) return;
    const [bytes, rows, columns, depth, aAt, aRow, aColumn, bAt, bRow, bColumn, cAt, cRow, cColumn, accumulate] =
      words.subarray(WORD.arguments) as unknown as readonly [number, ...number[]] as readonly number[];
    try {
      multiplyByRows(
        bytes === 4 ? engines.float32 : engines.float64,
        rows!,
        columns!,
        depth!,
        { at: aAt!, row: aRow!, column: aColumn! },
        { at: bAt!, row: bRow!, column: bColumn! },
        { at: cAt!, row: cRow!, column: cColumn! },
        accumulate!,
      );
    } catch {
      Atomics.store(words, WORD.failed, 1);
    }
    Atomics.store(words, WORD.done, last);
  }
}

/** Waits for another job than the last one: awake at first, since jobs follow one another, then asleep. */
function nextJob(words: Int32Array, last: number): number {
  const end = performance.now() + AWAKE_MS;
  do {
    for (let turn = 0; turn < 100; turn++) {
      const job = Atomics.load(words, WORD.job);
      if (job !== last) return job;
    }
  } while (performance.now() < end);
  Atomics.store(words, WORD.sleeps, 1);
  Atomics.wait(words, WORD.job, last);
  Atomics.store(words, WORD.sleeps, 0);
  return Atomics.load(words, WORD.job);
}
