import { describe, expect, test } from "vitest";
import {
  BufferPool,
  BufferSizeError,
  heapMemory,
  type MemorySource,
  OutOfMemoryError,
  type PoolStatistics,
} from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { thrown } from "./thrown.js";

const EMPTY: PoolStatistics = {
  live: 0,
  liveBytes: 0,
  idle: 0,
  idleBytes: 0,
  peakBytes: 0,
  hits: 0,
  misses: 0,
  created: 0,
  freed: 0,
  forgotten: 0,
  overflow: 0,
  overflowBytes: 0,
  classes: [],
};

describe("a pool", () => {
  test("recycles the buffer object with its memory, within the class, last in first out", () => {
    const pool = new BufferPool();
    expect(pool.statistics()).toEqual(EMPTY);
    const a = pool.allocate(100);
    const b = pool.allocate(128);
    a.release(1);
    b.release(1);
    expect(pool.allocate(65)).toBe(b);
    expect(pool.allocate(128)).toBe(a);
    expect(pool.allocate(128)).not.toBe(a);
    expect(pool.allocate(64)).not.toBe(b);
    expect(b).toMatchObject({ byteLength: 65, generation: 2, version: 0 });
    expect(pool.statistics()).toEqual({
      ...EMPTY,
      live: 4,
      liveBytes: 448,
      peakBytes: 448,
      hits: 2,
      misses: 4,
      created: 4,
      classes: [
        { byteLength: 64, live: 1, idle: 0 },
        { byteLength: 128, live: 3, idle: 0 },
      ],
    });
  });

  test("hands out writable buffers of version 0, whatever the owner before did", () => {
    const pool = new BufferPool();
    const buffer = pool.allocate(8);
    buffer.beginWrite(1);
    buffer.readOnly = true;
    buffer.release(1);
    expect(pool.allocate(8)).toMatchObject({ version: 0, readOnly: false, state: "live" });
  });

  test("counts bytes of classes: live, idle, and the peak of live", () => {
    const pool = new BufferPool();
    const a = pool.allocate(1000);
    const b = pool.allocate(0);
    expect(pool.statistics()).toMatchObject({ live: 2, liveBytes: 1024 + 64, peakBytes: 1088 });
    a.release(1);
    expect(pool.statistics()).toMatchObject({ live: 1, liveBytes: 64, idle: 1, idleBytes: 1024, peakBytes: 1088 });
    b.release(1);
    pool.allocate(900);
    expect(pool.statistics()).toMatchObject({ liveBytes: 1024, idleBytes: 64, peakBytes: 1088, hits: 1, misses: 2 });
  });

  test("zeroes on request, new memory and recycled memory alike", () => {
    for (const source of [heapMemory(), wasmMemory({ initialBytes: 65_536 })]) {
      const pool = new BufferPool({ source });
      const dirty = pool.allocate(100);
      dirty.view(Uint8Array).fill(7);
      dirty.release(1);
      const clean = pool.allocate(90, { zero: true });
      expect(clean).toBe(dirty);
      expect(clean.view(Uint8Array).every((byte) => byte === 0)).toBe(true);
      expect(
        pool
          .allocate(90, { zero: true })
          .view(Uint8Array)
          .every((byte) => byte === 0),
      ).toBe(true);
    }
  });

  test("beyond the idle cap a released block goes back to the source", () => {
    const memory = wasmMemory({ initialBytes: 65_536 });
    const pool = new BufferPool({ source: memory, checked: false, maxIdleBytes: 200 });
    const three = [pool.allocate(128), pool.allocate(64), pool.allocate(64)];
    for (const buffer of three) buffer.release(1);
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 2, idleBytes: 192, created: 3, freed: 1 });
    expect(memory.inUse).toBe(192);
    expect(three[2]).toMatchObject({ state: "gone", generation: 2, lastWindow: undefined });
    expect(thrown(() => three[2]!.view(Uint8Array))).toMatchObject({ code: "SW_BUFFER_RELEASED" });
    three[2]!.release(2);
    expect(memory.inUse).toBe(192);
  });

  test("trim gives back what waits, large classes first, down to what is allowed", () => {
    const memory = wasmMemory({ initialBytes: 65_536 });
    const pool = new BufferPool({ source: memory, checked: false });
    const all = [64, 64, 512, 512, 4096].map((n) => pool.allocate(n));
    for (const buffer of all.slice(1)) buffer.release(1);
    pool.trim(600);
    expect(pool.statistics()).toMatchObject({ live: 1, idle: 2, idleBytes: 64 + 512, freed: 2 });
    pool.trim();
    expect(pool.statistics()).toMatchObject({ live: 1, liveBytes: 64, idle: 0, idleBytes: 0, freed: 4 });
    expect(memory.inUse).toBe(64);
    expect(() => pool.trim(-1)).toThrow(BufferSizeError);
    expect(() => pool.trim(Number.NaN)).toThrow(TypeError);
  });

  test("refuses sizes outside 0 to 2^31-1, and what is no integer, before anything is allocated", () => {
    const asked: number[] = [];
    const heap = heapMemory();
    const source: MemorySource = {
      ...heap,
      allocate(n) {
        asked.push(n);
        return heap.allocate(n);
      },
    };
    const pool = new BufferPool({ source });
    for (const n of [-1, 2 ** 31, 2 ** 32, 40_000_000_000, Number.MAX_SAFE_INTEGER]) {
      expect(thrown(() => pool.allocate(n))).toMatchObject({
        name: "BufferSizeError",
        code: "SW_BUFFER_SIZE",
        operation: "allocate",
        requested: n,
        maximum: 2 ** 31 - 1,
      });
    }
    for (const n of [0.5, Number.NaN, Number.POSITIVE_INFINITY, "8", undefined, 8n]) {
      expect(() => pool.allocate(n as number)).toThrow(TypeError);
    }
    expect(asked).toEqual([]);
    expect(pool.statistics()).toEqual(EMPTY);
  });

  test("gives back what waits when the source is exhausted, and asks again", () => {
    const pool = new BufferPool({
      checked: false,
      source: wasmMemory({ initialBytes: 65_536, maximumBytes: 131_072 }),
    });
    const small = Array.from({ length: 100 }, () => pool.allocate(1024));
    for (const buffer of small) buffer.release(1);
    expect(pool.allocate(100_000).byteLength).toBe(100_000);
    expect(pool.statistics()).toMatchObject({ live: 1, idle: 0, freed: 100 });
    const error = thrown(() => pool.allocate(100_000));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error).toMatchObject({ requested: 114_688, inUse: 114_688, maximum: 131_072 });
    expect(pool.statistics()).toMatchObject({ live: 1, liveBytes: 114_688, misses: 101, created: 101 });
  });

  test("other errors of the source pass through, and nothing is counted", () => {
    const source: MemorySource = {
      ...heapMemory(),
      allocate: () => {
        throw undefined;
      },
    };
    const pool = new BufferPool({ source });
    expect(thrown(() => pool.allocate(8))).toBeUndefined();
    expect(pool.statistics()).toEqual(EMPTY);
  });

  test("takes back only its own buffers, and only while they are released", () => {
    const pool = new BufferPool();
    const buffer = pool.allocate(8);
    expect(thrown(() => pool.reclaim(buffer))).toMatchObject({ code: "SW_BUFFER_RECLAIM", operation: "reclaim" });
    buffer.release(1);
    expect(thrown(() => pool.reclaim(buffer))).toMatchObject({ code: "SW_BUFFER_RECLAIM" });
    expect(thrown(() => new BufferPool().reclaim(buffer))).toMatchObject({ code: "SW_BUFFER_RECLAIM" });
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 1 });
  });

  test("dispose gives back what waits, refuses requests, and leaves rented buffers good until released", () => {
    const memory = wasmMemory({ initialBytes: 65_536 });
    const pool = new BufferPool({ source: memory });
    const kept = pool.allocate(64);
    pool.allocate(64).release(1);
    pool.dispose();
    pool[Symbol.dispose]();
    expect(pool.statistics()).toMatchObject({ live: 1, idle: 0, freed: 1 });
    const refused = thrown(() => pool.allocate(8));
    expect(refused).toMatchObject({ name: "BufferStateError", code: "SW_BUFFER_DISPOSED" });
    expect((refused as Error).message).toBe(
      "allocate: the pool was disposed: got a later call, expected none. Make a new pool.",
    );
    kept.view(Uint8Array)[0] = 5;
    kept.release(1);
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 0, freed: 2 });
    expect(memory.inUse).toBe(0);
  });

  test("options are checked", () => {
    expect(thrown(() => new BufferPool({ maxIdleBytes: -1 }))).toMatchObject({
      code: "SW_BUFFER_OPTION",
      requested: -1,
    });
    expect(() => new BufferPool({ maxIdleBytes: 1.5 })).toThrow(TypeError);
    expect(new BufferPool().maxIdleBytes).toBe(2 ** 31);
  });
});
