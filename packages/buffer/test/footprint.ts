import { expect } from "vitest";
import { BufferPool } from "../src/index.js";
import { WasmMemory } from "../src/wasm-memory.js";
import { byteSizes, gpt2Small, resNet50 } from "./model-sizes.js";
import { randomNumbers } from "./random.js";
import { SparseMemory } from "./sparse-memory.js";

const MIB = 2 ** 20;
const OPERATIONS = 1_000_000;

/** A piece of memory that a run holds: where it ends, what was asked for, and how it is given back. */
interface Held {
  readonly end: number;
  readonly byteLength: number;
  readonly free: () => void;
}

export const MODELS = [
  ["ResNet-50, batch 4", byteSizes(resNet50(4))],
  ["GPT-2 small, 4 sequences of 64 tokens", byteSizes(gpt2Small(4, 64))],
] as const;

/**
 * Allocates tensors at random and frees them at random, with as many alive as make 512 MiB on
 * average: the more there are, the likelier is a free. The footprint is the end of the highest byte
 * ever given, since pages that nobody touches cost nothing.
 */
function footprintOverPeak(sizes: readonly number[], seed: number, allocate: (byteLength: number) => Held): number {
  const random = randomNumbers(seed);
  const mean = sizes.reduce((a, b) => a + b) / sizes.length;
  const usual = Math.round((512 * MIB) / mean);
  const held: Held[] = [];
  let [live, peak, footprint] = [0, 0, 0];
  for (let i = 0; i < OPERATIONS; i += 1) {
    if (random(2 * usual) >= held.length) {
      const one = allocate(sizes[random(sizes.length)]!);
      held.push(one);
      live += one.byteLength;
      peak = Math.max(peak, live);
      footprint = Math.max(footprint, one.end);
    } else {
      const index = random(held.length);
      const one = held[index]!;
      held[index] = held.at(-1)!;
      held.pop();
      one.free();
      live -= one.byteLength;
    }
  }
  for (const one of held) one.free();
  return footprint / peak;
}

/** The footprint over the peak of a WebAssembly memory alone. */
export function ofMemory(sizes: readonly number[], seed: number): number {
  const memory = new WasmMemory(new SparseMemory({ initial: 1 }));
  const ratio = footprintOverPeak(sizes, seed, (byteLength) => {
    const block = memory.allocate(byteLength);
    return { end: block.address + block.byteLength, byteLength, free: () => memory.free(block) };
  });
  expect(memory.inUse).toBe(0);
  return ratio;
}

/** The footprint over the peak of a pool over such a memory, in which 32 MiB may wait. */
export function ofPool(sizes: readonly number[], seed: number): number {
  const source = new WasmMemory(new SparseMemory({ initial: 1 }));
  // There are no bytes to fill, so the pool must not be a checked one, whatever the lane.
  const options = { source, maxIdleBytes: 32 * MIB, checked: false };
  const pool = new BufferPool(options);
  const ratio = footprintOverPeak(sizes, seed, (byteLength) => {
    const buffer = pool.allocate(byteLength);
    const { generation } = buffer;
    const end = buffer.address + buffer.block.byteLength;
    return { end, byteLength, free: () => buffer.release(generation) };
  });
  expect(pool.statistics()).toMatchObject({ live: 0, liveBytes: 0 });
  pool.dispose();
  expect(source.inUse).toBe(0);
  return ratio;
}
