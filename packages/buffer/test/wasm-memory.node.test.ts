import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { wasmMemory } from "../src/wasm-memory.js";

const PAGE = 65_536;

/** A worker as the rule wants it: it has the memory and is told addresses. It grows only where it is told to. */
const WORKER = `
  const { parentPort, workerData: memory } = require("node:worker_threads");
  parentPort.on("message", ({ address, pages }) => {
    const previous = pages === 0 ? -1 : memory.grow(pages);
    // Made at use: the array buffer of a shared memory is another one after growth.
    const words = new Int32Array(memory.buffer, address, 16);
    const before = words[0];
    words[0] = before + 1;
    parentPort.postMessage({ before, previous });
  });
`;

test("workers use a shared memory by address while its owner grows it; pages that a worker grew stay the worker's", async () => {
  const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: 16 * PAGE, shared: true });
  const worker = new Worker(WORKER, { eval: true, workerData: memory.memory });
  const ask = async (address: number, pages: number): Promise<unknown> => {
    worker.postMessage({ address, pages });
    return (await once(worker, "message"))[0];
  };
  const word = (block: { readonly address: number }): number => new Int32Array(memory.bytes(first), block.address)[0]!;
  const first = memory.allocate(64);
  try {
    new Int32Array(memory.bytes(first), first.address)[0] = 41;
    expect(await ask(first.address, 0)).toEqual({ before: 41, previous: -1 });
    expect(word(first)).toBe(42);

    // The owner grows: the worker reaches the new block.
    const epoch = memory.epoch;
    const second = memory.allocate(2 * PAGE);
    expect(memory.epoch).toBe(epoch + 1);
    new Int32Array(memory.bytes(second), second.address)[0] = 7;
    expect(await ask(second.address, 0)).toEqual({ before: 7, previous: -1 });
    expect(word(second)).toBe(8);

    // The worker breaks the rule and grows: its pages are never handed out, and no block loses a byte.
    const end = memory.capacity / PAGE;
    expect(await ask(first.address, 1)).toEqual({ before: 42, previous: end });
    expect([word(first), word(second)]).toEqual([43, 8]);
    const third = memory.allocate(4 * PAGE);
    expect(third.address).toBeGreaterThanOrEqual((end + 1) * PAGE);
    expect(memory.bytes(third).byteLength).toBeGreaterThanOrEqual(third.address + third.byteLength);
    expect(await ask(third.address, 0)).toEqual({ before: 0, previous: -1 });
    expect([word(first), word(second), word(third)]).toEqual([43, 8, 1]);
    for (const block of [first, second, third]) memory.free(block);
    expect(memory.inUse).toBe(0);
  } finally {
    await worker.terminate();
  }
});
