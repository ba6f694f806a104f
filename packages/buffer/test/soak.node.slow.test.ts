import { describe, expect, test } from "vitest";
import { BufferPool, type DataBuffer, heapMemory } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { collectGarbage } from "./gc.js";

const MIB = 2 ** 20;

function residentBytes(): number {
  collectGarbage();
  return process.memoryUsage().rss;
}

describe("soak", () => {
  test.each([
    ["the heap", heapMemory],
    ["WebAssembly memory", () => wasmMemory({ initialBytes: 2 ** 26 })],
  ])(
    "10,000,000 times rented and released, of mixed sizes, over %s, leave the process as large as it was",
    (_n, make) => {
      const pool = new BufferPool({ source: make(), maxIdleBytes: 2 ** 24, checked: false });
      const held: (DataBuffer | undefined)[] = new Array(64).fill(undefined);
      let seed = 1;
      const rentAndRelease = (times: number): void => {
        for (let i = 0; i < times; i += 1) {
          seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
          const at = seed >>> 26;
          const before = held[at];
          before?.release(before.generation);
          // Mostly small, up to 64 KiB.
          held[at] = pool.allocate((seed & 0xffff) >>> ((seed >>> 16) & 15));
        }
      };
      rentAndRelease(1_000_000);
      const before = residentBytes();
      rentAndRelease(10_000_000);
      expect(residentBytes() - before).toBeLessThan(32 * MIB);
      const { live, created, hits, freed, idle } = pool.statistics();
      expect(live).toBe(64);
      expect(created).toBe(live + idle + freed);
      expect(hits + created).toBe(11_000_000);
    },
  );

  test("2 GB of forgotten buffers of the heap in a loop that never turns stay below 200 MB", () => {
    const before = residentBytes();
    const pool = new BufferPool({ source: heapMemory(), checked: false });
    let most = 0;
    for (let i = 0; i < 5000; i += 1) {
      pool.allocate(400_000).view(Uint8Array).fill(1);
      if (i % 100 === 0) most = Math.max(most, process.memoryUsage().rss);
    }
    expect(most - before).toBeLessThan(200 * MIB);
  });

  test("2 GB of forgotten transient buffers of WebAssembly memory stay within the limit and a small heap", () => {
    const source = wasmMemory({ initialBytes: 2 ** 26 });
    const pool = new BufferPool({ source, overflow: heapMemory(), checked: false });
    const before = residentBytes();
    let most = 0;
    for (let i = 0; i < 5000; i += 1) {
      pool.allocate(400_000, { transient: true }).view(Uint8Array).fill(1);
      if (i % 100 === 0) most = Math.max(most, process.memoryUsage().rss);
    }
    expect(source.inUse).toBeLessThanOrEqual(2 ** 24);
    expect(most - before).toBeLessThan(200 * MIB);
  });
});
