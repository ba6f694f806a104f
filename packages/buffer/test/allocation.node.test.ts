import { describe, expect, test } from "vitest";
import { Arena, BufferPool } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { collectGarbage } from "./gc.js";

const CYCLES = 1_000_000;
/** A word a cycle would be 8 MB. What `memoryUsage` itself takes, and a collection that ends late, are allowed for. */
const NOTHING = 100_000;

/** How many bytes of the JavaScript heap a function leaves behind or drops: nothing collects while it runs, or it shows. */
function garbageOf(run: () => void): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  run();
  return process.memoryUsage().heapUsed - before;
}

/** The least of some rounds: compiling, and the runner beside us, allocate in some of them. */
function leastGarbage(run: () => void): number {
  run();
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 20 && least >= NOTHING; round += 1) least = Math.min(least, Math.abs(garbageOf(run)));
  return least;
}

describe("a million warm cycles make no garbage", () => {
  test("OneModel 6: renting and releasing, of mixed sizes, zeroed and transient ones among them", () => {
    const pool = new BufferPool({ checked: false });
    const sizes = [60, 100, 500, 1000, 5000, 100, 60, 500];
    const [zero, transient] = [{ zero: true }, { transient: true }];
    const cycle = (): void => {
      for (let i = 0; i < CYCLES; i += 1) {
        const options = (i & 63) === 0 ? zero : (i & 7) === 1 ? transient : undefined;
        const buffer = pool.allocate(sizes[i & 7]!, options);
        buffer.beginWrite(buffer.generation, "add");
        buffer.release(buffer.generation);
      }
    };
    expect(leastGarbage(cycle)).toBeLessThan(NOTHING);
  });

  test("OneModel 6: renting and releasing above 2^31, where addresses and sums are no small integers", () => {
    const source = wasmMemory({ initialBytes: 65_536, maximumBytes: 2 ** 32 });
    // Pages cost nothing until they are touched.
    source.allocate(2 ** 31 - 1);
    source.allocate(2 ** 29);
    const pool = new BufferPool({ source, maxIdleBytes: 2 ** 40, checked: false });
    pool.account.counts.liveBytes = 2 ** 33;
    pool.account.counts.idleBytes = 2 ** 33;
    const buffer = pool.allocate(1000);
    expect(buffer.address).toBeGreaterThan(2 ** 31);
    expect(buffer.generation).toBe(1);
    buffer.generation = 2 ** 33;
    buffer.release(2 ** 33);
    pool.prewarm(1000, 2);
    const cycle = (): void => {
      for (let i = 0; i < CYCLES; i += 1) {
        const rented = pool.allocate(1000);
        rented.release(rented.generation);
      }
    };
    expect(leastGarbage(cycle)).toBeLessThan(NOTHING);
  });

  test("OneModel 6: an arena whose runs repeat", () => {
    const arena = new Arena(new BufferPool({ checked: false }));
    const cycle = (): void => {
      for (let i = 0; i < CYCLES; i += 1) {
        if (i % 1000 === 0) {
          arena.reset();
          arena.end(arena.begin());
        }
        arena.allocate(100 + (i & 7));
      }
    };
    expect(leastGarbage(cycle)).toBeLessThan(NOTHING);
  });
});
