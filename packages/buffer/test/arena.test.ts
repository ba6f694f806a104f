import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Arena, BufferPool, StaleBufferError } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { thrown } from "./thrown.js";

const MIB = 2 ** 20;

/** Where buffers of these sizes are placed, after the beginning of their chunk. */
function run(arena: Arena, sizes: readonly number[]): number[] {
  return sizes.map((n) => {
    const { address, block } = arena.allocate(n);
    return address - block.address;
  });
}

describe("an arena", () => {
  test("places buffers one after the other, on 64-byte lines, in a chunk of 1 MiB", () => {
    const pool = new BufferPool({ checked: false });
    const arena = new Arena(pool);
    expect(run(arena, [1, 64, 65, 0, 10])).toEqual([0, 64, 128, 256, 320]);
    expect(arena.statistics()).toEqual({
      live: 5,
      liveBytes: 140,
      usedBytes: 384,
      peakBytes: 384,
      chunks: 1,
      chunkBytes: MIB,
      created: 5,
      resets: 0,
    });
    expect(pool.statistics()).toMatchObject({ live: 1, liveBytes: MIB });
  });

  test("takes a chunk of the size of a request that is larger than a chunk", () => {
    const arena = new Arena(new BufferPool());
    arena.allocate(3 * MIB + 1);
    arena.allocate(8);
    expect(arena.statistics()).toMatchObject({ chunks: 2, chunkBytes: 4 * MIB + 1 });
  });

  test("after the first run, the same run allocates nothing: no block, no buffer object", () => {
    const sizes = [100, 3 * MIB, 5000, MIB, 900_000, 200_000, 0, 64];
    const pool = new BufferPool();
    const arena = new Arena(pool);
    const first = sizes.map((n) => arena.allocate(n));
    const places = first.map((buffer) => [buffer.block, buffer.address]);
    const before = pool.statistics();
    const created = arena.statistics().created;
    for (let i = 0; i < 3; i += 1) {
      arena.reset();
      const again = sizes.map((n) => arena.allocate(n));
      expect(again.every((buffer, position) => buffer === first[position])).toBe(true);
      expect(again.map((buffer) => [buffer.block, buffer.address])).toEqual(places);
    }
    expect(pool.statistics()).toEqual(before);
    expect(arena.statistics()).toMatchObject({ created, resets: 3, live: 8, peakBytes: arena.usedBytes });
  });

  test("a run of any sizes after runs of any other sizes repeats without allocating", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(sizes, { maxLength: 4 }), sizes, (history, wanted) => {
        const pool = new BufferPool();
        const arena = new Arena(pool, { chunkBytes: 1024 });
        for (const other of history) {
          run(arena, other);
          arena.reset();
        }
        run(arena, wanted);
        const before = pool.statistics();
        const { created, chunks } = arena.statistics();
        arena.reset();
        run(arena, wanted);
        expect(pool.statistics()).toEqual(before);
        expect(arena.statistics()).toMatchObject({ created, chunks });
      }),
    );
  });

  test("reset makes what it gave stale, and the error says so and names keep", () => {
    const arena = new Arena(new BufferPool());
    const buffer = arena.allocate(8);
    arena.reset();
    const error = thrown(() => buffer.checkLive(1, "at"));
    expect(error).toBeInstanceOf(StaleBufferError);
    expect(error).toMatchObject({ generation: 1, present: 2, end: "reset" });
    expect((error as Error).message).toContain("its arena was reset");
    expect((error as Error).message).toContain("keep(tensor)");
    expect(thrown(() => buffer.view(Uint8Array))).toMatchObject({ code: "SW_BUFFER_RELEASED" });
  });

  test("releasing one buffer makes it stale at once; its memory comes back at the reset", () => {
    const arena = new Arena(new BufferPool({ checked: false }));
    const [a, b] = [arena.allocate(64), arena.allocate(64)];
    a.release(1);
    a.release(1);
    expect(a.isLive(1)).toBe(false);
    expect(b.isLive(1)).toBe(true);
    expect(run(arena, [64])).toEqual([128]);
    expect(arena.statistics()).toMatchObject({ live: 2, liveBytes: 128, usedBytes: 192 });
    arena.reset();
    expect([a.generation, b.generation]).toEqual([2, 2]);
    expect(thrown(() => a.checkLive(1, "at"))).toMatchObject({ end: "released" });
    expect(arena.allocate(64)).toBe(a);
    expect(a).toMatchObject({ address: a.block.address, generation: 2, version: 0 });
    expect(thrown(() => arena.reclaim(a))).toMatchObject({ code: "SW_BUFFER_RECLAIM" });
  });

  test("zeroes on request where an earlier run wrote", () => {
    const arena = new Arena(new BufferPool());
    arena.allocate(100).view(Uint8Array).fill(9);
    arena.reset();
    expect(
      arena
        .allocate(100, { zero: true })
        .view(Uint8Array)
        .every((byte) => byte === 0),
    ).toBe(true);
  });

  test("a buffer that moves in a later run shows its new place", () => {
    const arena = new Arena(new BufferPool({ checked: false }), { chunkBytes: 4096 });
    arena.allocate(64);
    const moved = arena.allocate(4);
    moved.view(Uint8Array).fill(1);
    arena.reset();
    arena.allocate(128).view(Uint8Array).fill(2);
    expect(arena.allocate(4)).toBe(moved);
    expect(moved.address).toBe(128);
    expect([...moved.view(Uint8Array)]).not.toEqual([2, 2, 2, 2]);
    expect(moved.view(Uint8Array).byteOffset).toBe(128);
  });

  test("windows survive the growth that a chunk causes", () => {
    const memory = wasmMemory({ initialBytes: 65_536 });
    const arena = new Arena(new BufferPool({ source: memory }), { chunkBytes: 4096 });
    const buffer = arena.allocate(8);
    buffer.view(Float64Array)[0] = 1.5;
    for (let i = 0; i < 100; i += 1) arena.allocate(4096);
    expect(buffer.view(Float64Array)[0]).toBe(1.5);
  });

  test("dispose gives the chunks back, makes everything stale, and ends the arena", () => {
    const pool = new BufferPool();
    const arena = new Arena(pool);
    const buffer = arena.allocate(8);
    arena.allocate(2 * MIB);
    arena.dispose();
    arena.dispose();
    arena[Symbol.dispose]();
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 2 });
    expect(thrown(() => buffer.checkLive(1, "at"))).toMatchObject({ present: 2, end: "disposed" });
    expect(arena.statistics()).toMatchObject({ live: 0, chunks: 0, chunkBytes: 0, usedBytes: 0 });
    const refused = thrown(() => arena.allocate(8));
    expect(refused).toMatchObject({ code: "SW_BUFFER_DISPOSED", operation: "allocate" });
    expect((refused as Error).message).toContain("the arena was disposed");
    expect(thrown(() => arena.reset())).toMatchObject({ code: "SW_BUFFER_DISPOSED", operation: "reset" });
    buffer.release(1);
    buffer.release(2);
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 2 });
  });

  test("a request or an option out of range is refused and changes nothing", () => {
    const pool = new BufferPool();
    const arena = new Arena(pool);
    expect(thrown(() => arena.allocate(2 ** 31))).toMatchObject({ code: "SW_BUFFER_SIZE", operation: "allocate" });
    expect(() => arena.allocate(1.5)).toThrow(TypeError);
    expect(arena.statistics()).toMatchObject({ live: 0, chunks: 0, created: 0 });
    expect(thrown(() => new Arena(pool, { chunkBytes: 63 }))).toMatchObject({ code: "SW_BUFFER_OPTION", minimum: 64 });
    expect(() => new Arena(pool, { chunkBytes: 64.5 })).toThrow(TypeError);
  });

  test("a request that the pool cannot serve leaves the arena as it was", () => {
    const source = wasmMemory({ initialBytes: 65_536, maximumBytes: 131_072 });
    const arena = new Arena(new BufferPool({ source, checked: false }), { chunkBytes: 4096 });
    const buffer = arena.allocate(100);
    const before = arena.statistics();
    expect(thrown(() => arena.allocate(200_000))).toMatchObject({ code: "SW_BUFFER_OUT_OF_MEMORY" });
    expect(arena.statistics()).toEqual(before);
    expect(arena.allocate(100).address).toBe(buffer.address + 128);
  });

  test("two runs at once are refused, also asynchronous ones whose calls take turns", async () => {
    const arena = new Arena(new BufferPool());
    const step = async (): Promise<number> => {
      const run = arena.begin();
      try {
        arena.allocate(8);
        await null;
        arena.checkRun("allocate", run);
        return run;
      } finally {
        arena.end(run);
      }
    };
    const [first, second] = await Promise.allSettled([step(), step()]);
    expect(first).toEqual({ status: "fulfilled", value: 1 });
    expect(second).toMatchObject({
      status: "rejected",
      reason: { name: "BufferStateError", code: "SW_BUFFER_ARENA_BUSY", operation: "begin" },
    });
    expect((second as PromiseRejectedResult).reason.message).toContain("run 1");
    arena.reset();
    expect(await step()).toBe(2);
  });

  test("while a run is open nothing is reset or disposed, and only that run ends it", () => {
    const arena = new Arena(new BufferPool());
    const buffer = arena.allocate(8);
    const run = arena.begin();
    for (const [operation, call] of [
      ["reset", () => arena.reset()],
      ["dispose", () => arena.dispose()],
      ["end", () => arena.end(run + 1)],
      ["begin", () => arena.begin()],
    ] as const) {
      expect(thrown(call)).toMatchObject({ code: "SW_BUFFER_ARENA_BUSY", operation });
    }
    expect(buffer.isLive(1)).toBe(true);
    arena.end(run);
    expect(thrown(() => arena.end(run))).toMatchObject({ code: "SW_BUFFER_ARENA_BUSY", operation: "end" });
    // Ended, what it allocated is good until the reset.
    expect(buffer.isLive(1)).toBe(true);
    arena.reset();
    arena.dispose();
    expect(thrown(() => arena.begin())).toMatchObject({ code: "SW_BUFFER_DISPOSED", operation: "begin" });
  });
});
