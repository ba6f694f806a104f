import { describe, expect, test, vi } from "vitest";
import {
  Arena,
  BufferOverrunError,
  BufferPool,
  type BufferPoolOptions,
  type DataBuffer,
  heapMemory,
  sizeClassOf,
  wrapMemory,
} from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { thrown } from "./thrown.js";

const SOURCES = [
  ["the heap", heapMemory],
  ["WebAssembly memory", () => wasmMemory({ initialBytes: 2 ** 22 })],
] as const;

/** Writes past the end of a buffer, as a wrong kernel would. */
function overrun(buffer: DataBuffer, position: number): void {
  new Uint8Array(buffer.source.bytes(buffer.block))[buffer.address + position] = 7;
}

describe.each(SOURCES)("checked mode over %s", (_name, makeSource) => {
  test("OneModel 6: memory is filled with 0xFF on rent and on release, and zero where asked", () => {
    const pool = new BufferPool({ source: makeSource(), checked: true });
    const buffer = pool.allocate(100);
    expect(buffer.view(Uint8Array).every((byte) => byte === 0xff)).toBe(true);
    expect(buffer.view(Float32Array).every(Number.isNaN)).toBe(true);
    const window = buffer.view(Uint8Array).fill(1);
    buffer.release(1);
    expect(window.every((byte) => byte === 0xff)).toBe(true);
    expect(pool.allocate(100, { zero: true })).toBe(buffer);
    expect(buffer.view(Uint8Array).every((byte) => byte === 0)).toBe(true);
    buffer.release(2);
  });

  test("OneModel 6: a write past the end makes release throw, once, and names the byte and the creation site", () => {
    const pool = new BufferPool({ source: makeSource(), checked: true });
    for (const [byteLength, position] of [
      [100, 100],
      [128, 128],
      [128, 191],
      [0, 0],
      [60, 61],
    ] as const) {
      const buffer = (function makesTheBuffer() {
        return pool.allocate(byteLength);
      })();
      const { generation } = buffer;
      overrun(buffer, position);
      const error = thrown(() => buffer.release(generation));
      expect(error).toBeInstanceOf(BufferOverrunError);
      expect(error).toMatchObject({ code: "SW_BUFFER_OVERRUN", operation: "release", byteLength, position, count: 1 });
      expect((error as BufferOverrunError).site).toContain("makesTheBuffer");
      expect((error as Error).message).toContain(
        `release: a write went past the end of a buffer: got byte ${position} changed, expected writes below ${byteLength}. The buffer was made at\n`,
      );
      expect((error as Error).message).toContain("makesTheBuffer");
      // It was released all the same, is handed out again, and is not reported a second time.
      expect(buffer.isLive(generation)).toBe(false);
      buffer.release(generation);
      expect(pool.allocate(byteLength)).toBe(buffer);
      buffer.release(generation + 1);
    }
    expect(pool.statistics()).toMatchObject({ live: 0, hits: 8, created: 2 });
  });

  test("a release that throws leaves exact accounts, also where the block goes back", () => {
    const source = makeSource();
    const pool = new BufferPool({ source, checked: true, maxIdleBytes: 0 });
    const buffer = pool.allocate(100);
    overrun(buffer, 100);
    expect(thrown(() => buffer.release(1))).toMatchObject({ code: "SW_BUFFER_OVERRUN" });
    expect(pool.statistics()).toMatchObject({ live: 0, liveBytes: 0, idle: 0, freed: 1, classes: [] });
  });

  test("a write past the end of buffers of an arena makes reset throw, once, with the first and how many", () => {
    const pool = new BufferPool({ source: makeSource(), checked: true });
    const arena = new Arena(pool, { chunkBytes: 4096 });
    const buffers = [100, 64, 1000, 4096, 5000].map((n) => arena.allocate(n));
    overrun(buffers[1]!, 70);
    overrun(buffers[3]!, 4096);
    const error = thrown(() => arena.reset());
    expect(error).toMatchObject({
      code: "SW_BUFFER_OVERRUN",
      operation: "reset",
      byteLength: 64,
      position: 70,
      count: 2,
    });
    expect((error as Error).message).toContain("past the end of a buffer and of 1 more: got byte 70");
    expect(buffers.some((buffer) => buffer.isLive(1))).toBe(false);
    expect(arena.statistics()).toMatchObject({ live: 0, usedBytes: 0, resets: 1 });
    arena.reset();
    const again = arena.allocate(4096);
    expect(again.view(Uint8Array).every((byte) => byte === 0xff)).toBe(true);
    overrun(again, 4100);
    expect(thrown(() => again.release(again.generation))).toMatchObject({ operation: "release", position: 4100 });
    // Reported at the release, so neither at the reset nor when the chunk goes back.
    arena.reset();
    arena.dispose();
    expect(pool.statistics()).toMatchObject({ live: 0 });
  });

  test("a write past the end makes the dispose of an arena throw, once, after all was given back", () => {
    const pool = new BufferPool({ source: makeSource(), checked: true });
    const arena = new Arena(pool, { chunkBytes: 4096 });
    const buffers = [4096, 4096].map((n) => arena.allocate(n));
    for (const buffer of buffers) overrun(buffer, 4096);
    expect(thrown(() => arena.dispose())).toMatchObject({ operation: "dispose", position: 4096, count: 2 });
    arena.dispose();
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 2 });
    expect(arena.statistics()).toMatchObject({ chunks: 0, live: 0 });
  });

  test("statistics and size classes are those of plain mode", () => {
    const [plain, checked] = [false, true].map((isChecked) => {
      const pool = new BufferPool({ source: makeSource(), checked: isChecked });
      const buffers = [0, 64, 65, 1000, 1024, 100_000].map((n) => pool.allocate(n));
      for (const buffer of buffers.slice(2)) buffer.release(1);
      pool.allocate(128);
      return pool.statistics();
    });
    expect(checked).toEqual(plain);
  });
});

describe("checked mode", () => {
  test("the environment variable switches it on; the option wins", () => {
    // A page has no environment of its own.
    const made = (value: string, options?: BufferPoolOptions): BufferPool => {
      vi.stubGlobal("process", { env: { SW_CHECKED: value } });
      try {
        return new BufferPool(options);
      } finally {
        vi.unstubAllGlobals();
      }
    };
    expect(made("1")).toMatchObject({ checked: true, trackSites: true });
    expect(made("1", { checked: false })).toMatchObject({ checked: false, trackSites: false });
    expect(made("0").checked).toBe(false);
    expect(made("0", { checked: true, trackSites: false })).toMatchObject({ checked: true, trackSites: false });
  });

  test("a host that refuses to show its environment is not asked for it", () => {
    vi.stubGlobal("process", {
      get env(): never {
        throw new Error("denied");
      },
    });
    try {
      expect(new BufferPool().checked).toBe(false);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("a buffer leaves room for its canary: 64 bytes less than the largest, also where the class fits", () => {
    const pool = new BufferPool({ checked: true });
    for (const byteLength of [2 ** 31 - 64, 2 ** 31 - 1]) {
      expect(thrown(() => pool.allocate(byteLength))).toMatchObject({
        code: "SW_BUFFER_SIZE",
        requested: byteLength,
        maximum: 2 ** 31 - 65,
      });
    }
    expect(pool.statistics()).toMatchObject({ live: 0, misses: 0 });
    expect(sizeClassOf(2 ** 31 - 65)).toBe(2 ** 31 - 1);
  });

  test("without creation sites the error says so", () => {
    const buffer = new BufferPool({ checked: true, trackSites: false }).allocate(8);
    overrun(buffer, 8);
    const error = thrown(() => buffer.release(1));
    expect(error).toMatchObject({ site: "" });
    expect((error as Error).message).toContain("not tracked");
  });

  test("wrapped memory is neither filled nor watched", () => {
    vi.stubEnv("SW_CHECKED", "1");
    const bytes = new Uint8Array(100);
    const buffer = wrapMemory(bytes.subarray(10, 20));
    bytes[20] = 7;
    buffer.release(1);
    expect([...bytes].filter((byte) => byte !== 0)).toEqual([7]);
  });

  test("the limit of stack traces is as it was", () => {
    const before = Error.stackTraceLimit;
    new BufferPool({ trackSites: true }).allocate(8);
    expect(Error.stackTraceLimit).toBe(before);
  });
});
