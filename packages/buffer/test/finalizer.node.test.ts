import { describe, expect, test } from "vitest";
import { Arena, BufferPool, type DataBuffer, heapMemory, wrapMemory } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { collectUntil } from "./gc.js";

/** A WebAssembly memory and its pool. What is made in here and not returned is out of reach afterwards. */
function wasmPool(): { memory: ReturnType<typeof wasmMemory>; pool: BufferPool } {
  const memory = wasmMemory({ initialBytes: 2 ** 22 });
  return { memory, pool: new BufferPool({ source: memory, checked: false }) };
}

describe("forgotten buffers", () => {
  test("OneModel 6: buffers of WebAssembly memory that nobody released come back, and are counted", async () => {
    const { memory, pool } = wasmPool();
    const kept = pool.allocate(1000);
    (() => {
      for (let i = 0; i < 100; i += 1) pool.allocate(1000);
    })();
    await collectUntil(() => pool.statistics().forgotten === 100);
    expect(pool.statistics()).toMatchObject({
      live: 1,
      liveBytes: 1024,
      forgotten: 100,
      created: 101,
      freed: 0,
      idle: 0,
    });
    expect(pool.statistics().classes).toEqual([{ byteLength: 1024, live: 1, idle: 0 }]);
    expect(memory.inUse).toBe(1024);
    kept.release(1);
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 1 });
  });

  test("buffers of the heap are counted as well; the collector has their bytes", async () => {
    const pool = new BufferPool({ source: heapMemory() });
    (() => {
      for (let i = 0; i < 10; i += 1) pool.allocate(1000);
    })();
    await collectUntil(() => pool.statistics().forgotten === 10);
    expect(pool.statistics()).toMatchObject({ live: 0, liveBytes: 0, forgotten: 10, classes: [] });
  });

  test("a pool that was forgotten is collected with what waits in it, and nothing of that is called forgotten", async () => {
    const memory = wasmMemory({ initialBytes: 2 ** 20 });
    const ends: WeakRef<BufferPool>[] = [];
    const accounts = (() => {
      return Array.from({ length: 10 }, () => {
        const pool = new BufferPool({ source: memory, checked: false });
        const buffers = [pool.allocate(100), pool.allocate(100), pool.allocate(5000)];
        for (const buffer of buffers) buffer.release(1);
        ends.push(new WeakRef(pool));
        return pool.account;
      });
    })();
    await collectUntil(() => memory.inUse === 0);
    expect(memory.inUse).toBe(0);
    expect(ends.every((end) => end.deref() === undefined)).toBe(true);
    expect(accounts.every(({ counts }) => counts.forgotten === 0)).toBe(true);
  });

  test("a forgotten arena gives its chunks back", async () => {
    const { memory, pool } = wasmPool();
    (() => {
      const arena = new Arena(pool, { chunkBytes: 4096 });
      for (let i = 0; i < 10; i += 1) arena.allocate(1000);
    })();
    await collectUntil(() => memory.inUse === 0);
    expect(pool.statistics()).toMatchObject({ live: 0, forgotten: 3 });
  });

  test("transients that outlived finalizers count as kept while they are out, and no longer", async () => {
    const source = wasmMemory({ initialBytes: 2 ** 20 });
    const pool = new BufferPool({ source, overflow: heapMemory(), checked: false });
    const fill = (): DataBuffer[] => {
      const made: DataBuffer[] = [];
      for (;;) {
        const buffer = pool.allocate(2 ** 20, { transient: true });
        if (buffer.source !== source) return made;
        made.push(buffer);
      }
    };
    const first = fill();
    expect(first).toHaveLength(16);
    (() => {
      pool.allocate(64);
    })();
    await collectUntil(() => pool.statistics().forgotten === 1);
    const second = fill();
    // 2 x 16 MiB + 16 MiB, of which 16 were taken.
    expect(second).toHaveLength(32);
    for (const buffer of [...first, ...second]) buffer.release(1);
    pool.trim();
    expect(fill()).toHaveLength(16);
  }, 60_000);

  test("a buffer that was released and one that was freed are not given back a second time", async () => {
    const { memory, pool } = wasmPool();
    (() => {
      pool.allocate(100).release(1);
      pool.trim();
      pool.allocate(100).release(1);
    })();
    const other = pool.allocate(5000);
    await collectUntil(() => false);
    expect(pool.statistics()).toMatchObject({ live: 1, idle: 1, freed: 1, forgotten: 0 });
    expect(memory.inUse).toBe(128 + 5120);
    expect(other.isLive(1)).toBe(true);
  }, 60_000);

  test("the leak report tells by creation site what is out and what was forgotten", async () => {
    const pool = new BufferPool({ source: wasmMemory({ initialBytes: 2 ** 20 }), checked: false, trackSites: true });
    const kept = (function keepsOne() {
      return pool.allocate(64);
    })();
    (function forgetsThree() {
      for (let i = 0; i < 3; i += 1) pool.allocate(1000);
    })();
    pool.allocate(64).release(1);
    const before = pool.leakReport();
    expect(before.map(({ live, forgotten, bytes }) => [live, forgotten, bytes])).toEqual([
      [3, 0, 3072],
      [1, 0, 64],
    ]);
    await collectUntil(() => pool.statistics().forgotten === 3);
    const after = pool.leakReport();
    expect(after.map(({ live, forgotten, bytes }) => [live, forgotten, bytes])).toEqual([
      [0, 3, 3072],
      [1, 0, 64],
    ]);
    expect(after[0]?.site).toContain("forgetsThree");
    expect(after[0]?.site).not.toMatch(/creationSite|BufferPool\.allocate/);
    expect(after[1]?.site).toContain("keepsOne");
    kept.release(1);
    expect(pool.leakReport()).toHaveLength(1);
  });

  test("without creation sites the leak report is one line", async () => {
    const pool = new BufferPool({ checked: false });
    expect(pool.leakReport()).toEqual([]);
    const kept = pool.allocate(64);
    (() => {
      pool.allocate(1000);
    })();
    await collectUntil(() => pool.statistics().forgotten === 1);
    expect(pool.leakReport()).toEqual([{ site: "", live: 1, forgotten: 1, bytes: 64 + 1024 }]);
    kept.release(1);
  });
});

describe("forgotten wrapped memory", () => {
  test("field case 11: onRelease is called once when the buffer was forgotten", async () => {
    let calls = 0;
    (() => {
      wrapMemory(new Uint8Array(8), {
        onRelease: () => {
          calls += 1;
        },
      });
    })();
    await collectUntil(() => calls > 0);
    await collectUntil(() => calls > 1);
    expect(calls).toBe(1);
  }, 60_000);

  test("field case 11: onRelease is not called again for a buffer that was released and then forgotten", async () => {
    let calls = 0;
    (() => {
      const onRelease = (): void => {
        calls += 1;
      };
      wrapMemory(new Uint8Array(8), { onRelease }).release(1);
    })();
    await collectUntil(() => calls > 1);
    expect(calls).toBe(1);
  }, 60_000);
});
