import type { Block } from "@sw/buffer";
import type { WasmMemory } from "@sw/buffer/wasm";
import { WasmThreadError } from "../errors.js";
import type { Matrix } from "../launch/products.js";
import { CONTROL_BYTES, ENDED, PRODUCT_ARGUMENTS, type ThreadStart, WORD } from "./control.js";
import { type StartedWorker, startWorker } from "./start-worker.js";

/** Terms of a product that is worth a thread which is awake, and one that has to be woken: some 50 and 200 µs. */
const WORTH_AWAKE = 2 ** 20;
const WORTH_ASLEEP = 2 ** 22;
/** Columns of a part, at least; parts are of whole tiles. */
const LEAST_COLUMNS = 32;
const TILE = 8;
/** How long a thread may take for a part, beside its share of the time that the others took, before it counts as dead. */
const PATIENCE_MS = 5000;
const PATIENCE_TIMES = 50;

interface Thread {
  readonly worker: StartedWorker;
  readonly words: Int32Array;
  readonly blocks: readonly Block[];
  isReady: boolean;
}

/**
 * Threads beside the calling one, each with working memory of its own. A product is cut by columns: every part packs for
 * itself, so nobody waits for anybody before the end, and an element is summed as it is without threads.
 */
export class ThreadPool {
  private readonly memory: WasmMemory;
  private readonly threads: Thread[] = [];
  private job = 0;
  private failure: string | undefined;

  private constructor(memory: WasmMemory) {
    this.memory = memory;
  }

  /** Starts threads; `ready` is fulfilled when all of them serve. */
  static start(
    memory: WasmMemory,
    count: number,
    url: URL | undefined,
    scratchBytes: number,
    modules: Pick<ThreadStart, "core" | "fused">,
  ): { readonly pool: ThreadPool; readonly ready: Promise<void> } {
    const pool = new ThreadPool(memory);
    const started = Array.from({ length: count }, () => pool.add(url, scratchBytes, modules));
    return { pool, ready: Promise.all(started).then(() => undefined) };
  }

  /** Threads that take part, the calling one among them. */
  get count(): number {
    return this.failure === undefined ? 1 + this.threads.filter(({ isReady }) => isReady).length : 1;
  }

  /** Why none takes part any more. */
  get reason(): string | undefined {
    return this.failure;
  }

  private add(url: URL | undefined, scratchBytes: number, modules: Pick<ThreadStart, "core" | "fused">): Promise<void> {
    const blocks = [this.memory.allocate(CONTROL_BYTES), this.memory.allocate(scratchBytes)];
    const [control, scratch] = blocks.map(({ address }) => address) as [number, number];
    const words = new Int32Array(this.memory.memory.buffer, control, WORD.arguments + PRODUCT_ARGUMENTS).fill(0);
    return new Promise((resolve, reject) => {
      const fail = (what: string): void => {
        const error = new WasmThreadError(`a thread of the kernels ${what}`);
        this.failure ??= error.message;
        reject(error);
      };
      const worker = startWorker(url, {
        message: (message) => {
          if (message === ENDED) fail("ended");
          else {
            thread.isReady = true;
            resolve();
          }
        },
        fail,
      });
      const thread: Thread = { worker, words, blocks, isReady: false };
      this.threads.push(thread);
      worker.post({ memory: this.memory.memory, ...modules, control, scratch });
    });
  }

  /**
   * Multiplies by `multiply`, parts of it in the other threads; false, and nothing is done, where it is not worth it.
   *
   * @throws WasmThreadError `SW_WASM_THREAD` for a thread that fails or does not come back; the output has any contents then.
   */
  share(
    bytes: 4 | 8,
    rows: number,
    columns: number,
    depth: number,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    accumulate: number,
    multiply: (columns: number, b: Matrix, c: Matrix) => void,
  ): boolean {
    const terms = rows * columns * depth;
    if (terms < WORTH_AWAKE || this.failure !== undefined) return false;
    const isWorth = ({ isReady, words }: Thread): boolean =>
      isReady && (terms >= WORTH_ASLEEP || Atomics.load(words, WORD.sleeps) === 0);
    const most = Math.floor(columns / LEAST_COLUMNS) - 1;
    const helpers = this.threads.filter(isWorth).slice(0, Math.max(0, most));
    if (helpers.length === 0) return false;
    const part = Math.ceil(columns / (helpers.length + 1) / TILE) * TILE;
    const partAt = (first: number): [b: Matrix, c: Matrix] => [
      { ...b, at: b.at + first * b.column },
      { ...c, at: c.at + first * c.column },
    ];
    this.job = (this.job % 0x3fffffff) + 1;
    const handed: Thread[] = [];
    for (let first = part, k = 0; first < columns; first += part, k++) {
      const [right, to] = partAt(first);
      const width = Math.min(part, columns - first);
      const numbers = [bytes, rows, width, depth, a.at, a.row, a.column, right.at, right.row, right.column];
      hand(helpers[k]!.words, this.job, [...numbers, to.at, to.row, to.column, accumulate]);
      handed.push(helpers[k]!);
    }
    const begin = performance.now();
    multiply(part, ...partAt(0));
    this.wait(handed, performance.now() - begin);
    return true;
  }

  /** Waits until all threads are done. They began before the calling one ended, so it stays awake. */
  private wait(handed: readonly Thread[], own: number): void {
    const end = performance.now() + PATIENCE_MS + PATIENCE_TIMES * own;
    for (const { words } of handed) {
      while (Atomics.load(words, WORD.done) !== this.job) {
        if (performance.now() <= end) continue;
        this.failure = "a thread of the kernels did not come back";
        throw new WasmThreadError(this.failure);
      }
      if (Atomics.load(words, WORD.failed) === 0) continue;
      this.failure = "a thread of the kernels failed";
      throw new WasmThreadError(this.failure);
    }
  }

  /** Ends the threads, and gives their working memory back. */
  dispose(): void {
    // One that did not come back may still write.
    const isLost = this.failure !== undefined;
    this.failure ??= "the threads were disposed";
    for (const { worker, words, blocks } of this.threads.splice(0)) {
      Atomics.store(words, WORD.job, ENDED);
      Atomics.notify(words, WORD.job);
      worker.end();
      for (const block of blocks) if (!isLost) this.memory.free(block);
    }
  }
}

function hand(words: Int32Array, job: number, numbers: readonly number[]): void {
  for (let k = 0; k < numbers.length; k++) words[WORD.arguments + k] = numbers[k]!;
  Atomics.store(words, WORD.job, job);
  // A thread that falls asleep meanwhile sees that the word has changed.
  if (Atomics.load(words, WORD.sleeps) === 1) Atomics.notify(words, WORD.job);
}
