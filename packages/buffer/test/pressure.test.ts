import { describe, expect, test } from "vitest";
import { BufferPool, type DataBuffer, heapMemory } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { thrown } from "./thrown.js";

const TRANSIENT = { transient: true } as const;
const MIB = 2 ** 20;

function pressed(softLimitBytes: number, hardLimitBytes?: number) {
  const source = wasmMemory({ initialBytes: MIB, maximumBytes: 2 ** 26 });
  const overflow = heapMemory();
  const limits = { softLimitBytes, ...(hardLimitBytes === undefined ? {} : { hardLimitBytes }) };
  return { source, overflow, pool: new BufferPool({ source, overflow, checked: false, ...limits }) };
}

describe("under pressure", () => {
  test("a transient request past the soft limit lies outside, and counts as overflow only", () => {
    const { pool, source, overflow } = pressed(4096);
    const inside = [pool.allocate(2048, TRANSIENT), pool.allocate(2048, TRANSIENT)];
    const outside = pool.allocate(1000, TRANSIENT);
    expect(inside.every((buffer) => buffer.source === source)).toBe(true);
    // Booleans: a matcher would compare the memories, byte by byte.
    expect(outside.source === overflow && outside.owner === pool).toBe(true);
    expect(outside).toMatchObject({ byteLength: 1000, version: 0 });
    expect(pool.statistics()).toMatchObject({
      live: 2,
      liveBytes: 4096,
      misses: 3,
      created: 2,
      overflow: 1,
      overflowBytes: 1000,
    });
    outside.beginWrite(1);
    outside.view(Float32Array)[249] = 1.5;
    outside.release(1);
    outside.release(1);
    expect(thrown(() => outside.checkLive(1, "at"))).toMatchObject({ code: "SW_BUFFER_STALE" });
    expect(pool.statistics()).toMatchObject({ live: 2, idle: 0, freed: 0, overflow: 1 });
  });

  test("what was released in between is used first, and a hit is never refused", () => {
    const { pool, source } = pressed(4096);
    const first = pool.allocate(4096, TRANSIENT);
    first.release(1);
    expect(pool.allocate(4096, TRANSIENT)).toBe(first);
    first.release(2);
    // Another class: what waits is given up for it.
    expect(pool.allocate(2048, TRANSIENT).source === source).toBe(true);
    expect(pool.statistics()).toMatchObject({ live: 1, idle: 0, freed: 1, overflow: 0 });
  });

  test("a request that is not transient always lies in the source, and raises what transients may take", () => {
    const source = wasmMemory({ initialBytes: MIB, maximumBytes: 2 ** 28 });
    const pool = new BufferPool({ source, overflow: heapMemory(), checked: false });
    const fill = (): number => {
      const made: DataBuffer[] = [];
      for (;;) {
        const buffer = pool.allocate(MIB, TRANSIENT);
        if (buffer.source !== source) break;
        made.push(buffer);
      }
      for (const buffer of made) buffer.release(buffer.generation);
      pool.trim();
      return made.length;
    };
    expect(fill()).toBe(16);
    const kept = Array.from({ length: 4 }, () => pool.allocate(MIB));
    // 2 x 4 MiB + 16 MiB, of which 4 are taken.
    expect(fill()).toBe(20);
    for (const buffer of kept) buffer.release(1);
    pool.trim();
    expect(fill()).toBe(16);
  });

  test("a small transient that does not wait in the pool lies outside at once", () => {
    const { pool, source, overflow } = pressed(MIB);
    expect(pool.allocate(64, TRANSIENT).source === overflow).toBe(true);
    expect(pool.allocate(65, TRANSIENT).source === source).toBe(true);
    pool.prewarm(64);
    expect(pool.allocate(64, TRANSIENT).source === source).toBe(true);
  });

  test("once a tiny one was released by hand, the next lies in the source, and waits there when it is released", () => {
    const { pool, source, overflow } = pressed(MIB);
    const first = pool.allocate(16, TRANSIENT);
    expect(first.source === overflow).toBe(true);
    first.release(first.generation);
    const second = pool.allocate(16, TRANSIENT);
    expect(second.source === source).toBe(true);
    // One release pays for one buffer: a program that drops the rest goes on as before.
    expect(pool.allocate(16, TRANSIENT).source === overflow).toBe(true);
    second.release(second.generation);
    expect(pool.allocate(16, TRANSIENT)).toBe(second);
    expect(pool.statistics()).toMatchObject({ live: 1, idle: 0, hits: 1, created: 1, overflow: 2 });
  });
  test("a source that is exhausted overflows too, for transients alone", () => {
    const source = wasmMemory({ initialBytes: 65_536, maximumBytes: 65_536 });
    const pool = new BufferPool({ source, overflow: heapMemory(), checked: false });
    expect(pool.allocate(MIB, TRANSIENT).source.name).toBe("heap");
    expect(thrown(() => pool.allocate(MIB))).toMatchObject({ code: "SW_BUFFER_OUT_OF_MEMORY", requested: MIB });
    expect(pool.statistics()).toMatchObject({ live: 0, overflow: 1 });
  });

  test("the hard limit is an error that names arena and dispose, after what waits was given up", () => {
    const pool = new BufferPool({ hardLimitBytes: 8192, checked: false });
    const kept = pool.allocate(4096);
    pool.allocate(4096).release(1);
    expect(pool.allocate(2048).byteLength).toBe(2048);
    expect(pool.statistics()).toMatchObject({ idle: 0, freed: 1 });
    const error = thrown(() => pool.allocate(4096));
    expect(error).toMatchObject({ code: "SW_BUFFER_OUT_OF_MEMORY", requested: 4096, inUse: 6144, maximum: 8192 });
    expect((error as Error).message).toMatch(/Dispose .* arena/);
    kept.release(1);
    expect(pool.allocate(4096)).toBe(kept);
    const under = pressed(MIB, 4096);
    expect(under.pool.allocate(8192, TRANSIENT).source === under.overflow).toBe(true);
  });

  test("what waits is not given up for a request that is refused or overflows all the same", () => {
    const pool = new BufferPool({ hardLimitBytes: 8192, checked: false });
    pool.prewarm(1024, 4);
    expect(thrown(() => pool.allocate(10_000))).toMatchObject({ code: "SW_BUFFER_OUT_OF_MEMORY" });
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 4, freed: 0 });
    const under = pressed(8192);
    under.pool.prewarm(1024, 4);
    expect(under.pool.allocate(10_000, TRANSIENT).source === under.overflow).toBe(true);
    expect(under.pool.statistics()).toMatchObject({ live: 0, idle: 4, freed: 0 });
  });

  test("without an overflow there is no soft limit, and transient means nothing", () => {
    const pool = new BufferPool({ softLimitBytes: 64 });
    for (let i = 0; i < 10; i += 1) pool.allocate(1000, TRANSIENT);
    expect(pool.statistics()).toMatchObject({ live: 10, overflow: 0 });
  });

  test("checked mode watches buffers that overflowed", () => {
    const pool = new BufferPool({ overflow: heapMemory(), softLimitBytes: 0, checked: true });
    const buffer = pool.allocate(100, TRANSIENT);
    expect(pool.statistics().overflow).toBe(1);
    expect(buffer.view(Uint8Array).every((byte) => byte === 0xff)).toBe(true);
    new Uint8Array(buffer.source.bytes(buffer.block))[100] = 0;
    expect(thrown(() => buffer.release(1))).toMatchObject({ code: "SW_BUFFER_OVERRUN", position: 100 });
    pool.allocate(10, TRANSIENT).release(1);
  });

  test("limits are checked", () => {
    for (const name of ["softLimitBytes", "hardLimitBytes", "maxIdleBytes"]) {
      expect(thrown(() => new BufferPool({ [name]: -1 }))).toMatchObject({ code: "SW_BUFFER_OPTION", requested: -1 });
      expect(() => new BufferPool({ [name]: 1.5 })).toThrow(TypeError);
    }
  });
});

describe("prewarm", () => {
  test("has so many buffers wait, so that the next requests take no block", () => {
    const source = wasmMemory({ initialBytes: MIB });
    const pool = new BufferPool({ source });
    pool.prewarm(10_000, 3);
    pool.prewarm(10_000, 2);
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 3, created: 3 });
    for (let i = 0; i < 3; i += 1) pool.allocate(9000);
    expect(pool.statistics()).toMatchObject({ live: 3, created: 3 });
    pool.prewarm(0);
    pool.prewarm(100, 0);
  });

  test("a request that fails half-way holds nothing", () => {
    const pool = new BufferPool({ hardLimitBytes: 10_000 });
    expect(thrown(() => pool.prewarm(4096, 5))).toMatchObject({ code: "SW_BUFFER_OUT_OF_MEMORY" });
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 2 });
    expect(thrown(() => pool.prewarm(8, -1))).toMatchObject({ code: "SW_BUFFER_OPTION", requested: -1 });
    expect(() => pool.prewarm(8, 0.5)).toThrow(TypeError);
  });
});
