import fc from "fast-check";
import { expect } from "vitest";
import { BufferPool, heapMemory, type MemorySource } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { ArenaModel, arenaCommand, runArenaCommand } from "./arena-model.js";
import { PoolModel, poolCommand, runPoolCommand } from "./pool-model.js";

/** A page may hold a hundred or so WebAssembly memories at a time, so that each serves this many runs. */
const RUNS_A_MEMORY = 100;

function growingMemories(): () => MemorySource {
  let memory: MemorySource | undefined;
  let runs = 0;
  return () => {
    if (memory === undefined || runs === RUNS_A_MEMORY) {
      memory = wasmMemory({ initialBytes: 0, maximumBytes: 2 ** 26 });
      runs = 0;
    }
    runs += 1;
    return memory;
  };
}

export const SOURCES: readonly (readonly [name: string, make: () => MemorySource])[] = [
  ["the heap", heapMemory],
  ["a WebAssembly memory that grows", growingMemories()],
];

/** Asserts a property again until so many commands ran. A counterexample is shrunk, and its seed printed. */
function until(commands: number, done: () => number, property: () => fc.IRawProperty<unknown>): void {
  while (done() < commands) fc.assert(property(), { numRuns: 20 });
}

const list = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { maxLength: 300, size: "max" });

/** Runs pools of all options against the model. */
export function modelPools(makeSource: () => MemorySource, checked: boolean, commands: number): void {
  let done = 0;
  const options = fc.record({
    maxIdleBytes: fc.constantFrom(0, 1000, 2 ** 31),
    pressure: fc.constantFrom({}, { overflow: heapMemory(), softLimitBytes: 20_000 }),
  });
  until(
    commands,
    () => done,
    () =>
      fc.property(list(poolCommand), options, (steps, { maxIdleBytes, pressure }) => {
        const model = new PoolModel({
          source: makeSource(),
          maxIdleBytes,
          ...pressure,
          checked,
          trackSites: false,
        });
        for (const step of steps) runPoolCommand(model, step);
        checkEmpty(model);
        done += steps.length;
      }),
  );
}

/** Releases what is left: nothing stays out, and in checked mode every canary is whole. */
function checkEmpty({ pool, held }: PoolModel): void {
  for (const { buffer, generation } of held) buffer.release(generation);
  pool.dispose();
  expect(pool.statistics()).toMatchObject({ live: 0, liveBytes: 0, idle: 0, idleBytes: 0, classes: [] });
}

/** Runs arenas against the model. */
export function modelArenas(makeSource: () => MemorySource, checked: boolean, commands: number): void {
  let done = 0;
  until(
    commands,
    () => done,
    () =>
      fc.property(list(arenaCommand), fc.constantFrom(64, 4096, 10_000), (steps, chunkBytes) => {
        const pool = new BufferPool({ source: makeSource(), checked, trackSites: false });
        const model = new ArenaModel(pool, chunkBytes);
        for (const step of steps) runArenaCommand(model, step);
        model.arena.dispose();
        expect(pool.statistics()).toMatchObject({ live: 0, liveBytes: 0 });
        pool.dispose();
        done += steps.length;
      }),
  );
}
