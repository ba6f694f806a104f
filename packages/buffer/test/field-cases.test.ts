import { describe, expect, test } from "vitest";
import { Arena, BufferPool, type DataBuffer, StaleBufferError } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { thrown } from "./thrown.js";

const PAGE = 65_536;

/** A handle as `@sw/tensor` keeps one: the buffer and the generation it was given in. */
interface Handle {
  readonly buffer: DataBuffer;
  readonly generation: number;
}

function hold(buffer: DataBuffer, values: readonly number[]): Handle {
  buffer.beginWrite(buffer.generation);
  buffer.view(Float32Array).set(values);
  return { buffer, generation: buffer.generation };
}

function read(handle: Handle): number[] {
  handle.buffer.checkLive(handle.generation, "data");
  return [...handle.buffer.view(Float32Array)];
}

describe("field case 8: the heap grows while tensors are alive", () => {
  test("field case 8: (a) and (c) values are read and written in place across two growths", () => {
    const memory = wasmMemory({ initialBytes: PAGE });
    const pool = new BufferPool({ source: memory });
    const t = hold(pool.allocate(16), [1, 2, 3, 4]);
    const epoch = memory.epoch;
    while (memory.epoch < epoch + 2) pool.allocate(PAGE);
    expect(read(t)).toEqual([1, 2, 3, 4]);
    t.buffer.beginWrite(t.generation);
    t.buffer.view(Float32Array)[1] = 7;
    while (memory.epoch < epoch + 4) pool.allocate(PAGE);
    expect(read(t).reduce((a, b) => a + b)).toBe(15);
  });

  test("field case 8: (b) windows made after the output was allocated are good when that allocation grew the memory", () => {
    const memory = wasmMemory({ initialBytes: PAGE });
    const pool = new BufferPool({ source: memory, checked: false });
    const t = hold(pool.allocate(16), [1, 2, 3, 4]);
    t.buffer.view(Float32Array);
    memory.allocate(PAGE - 128);
    const epoch = memory.epoch;
    const out = pool.allocate(16);
    expect(memory.epoch).toBe(epoch + 1);
    const [a, sum] = [t.buffer.view(Float32Array), out.view(Float32Array)];
    for (let i = 0; i < 4; i += 1) sum[i] = a[i]! + a[i]!;
    expect([...sum]).toEqual([2, 4, 6, 8]);
  });

  test("field case 8: (d) 300 buffers keep their values through more than three growths", () => {
    const memory = wasmMemory({ initialBytes: PAGE });
    const pool = new BufferPool({ source: memory });
    const epoch = memory.epoch;
    const handles = Array.from({ length: 300 }, (_, k) => {
      const length = 1000 * ((k % 7) + 1);
      return hold(pool.allocate(4 * length), new Array<number>(length).fill(k));
    });
    expect(memory.epoch - epoch).toBeGreaterThanOrEqual(3);
    const sums = handles.map((handle) => read(handle).reduce((a, b) => a + b));
    expect(sums).toEqual(handles.map((_, k) => k * 1000 * ((k % 7) + 1)));
  });
});

describe("field case 9: reuse while a view is alive", () => {
  test("field case 9: (a) a handle whose block was handed out again throws, and the new owner keeps its values", () => {
    const pool = new BufferPool();
    const a = hold(pool.allocate(16), [1, 1, 1, 1]);
    const v = { ...a };
    a.buffer.release(a.generation);
    const b = hold(pool.allocate(16), [7, 7, 7, 7]);
    expect(b.buffer).toBe(a.buffer);
    const error = thrown(() => read(v));
    expect(error).toBeInstanceOf(StaleBufferError);
    expect((error as Error).message).toContain("got generation 1, expected 2");
    v.buffer.release(v.generation);
    a.buffer.release(a.generation);
    expect(read(b)).toEqual([7, 7, 7, 7]);
  });

  test("field case 9: (b) and (c) after a reset reading and writing throw with both generations; the new value stays", () => {
    const arena = new Arena(new BufferPool());
    const x = hold(arena.allocate(8), [1, 2]);
    const saved = { ...x, version: x.buffer.version };
    arena.reset();
    const y = hold(arena.allocate(8), [8, 9]);
    expect(y.buffer.address).toBe(x.buffer.address);
    expect(thrown(() => read(x))).toMatchObject({ code: "SW_BUFFER_STALE", generation: 1, present: 2, end: "reset" });
    expect(thrown(() => x.buffer.beginWrite(x.generation, "set"))).toMatchObject({ generation: 1, present: 2 });
    // Position, shape, size and even the version are the same: only the generation tells.
    expect(saved.version).toBe(y.buffer.version);
    expect(saved.buffer.isLive(saved.generation)).toBe(false);
    expect(read(y)).toEqual([8, 9]);
  });
});

describe("field case 10: accounting", () => {
  test("field case 10: (a) 10,000 times made and released twice leaves the pool where it was", () => {
    const pool = new BufferPool();
    pool.allocate(6000).release(1);
    const before = pool.statistics();
    for (let i = 0; i < 10_000; i += 1) {
      const buffer = pool.allocate(6000);
      const generation = buffer.generation;
      buffer.release(generation);
      buffer.release(generation);
    }
    expect(pool.statistics()).toEqual({ ...before, hits: 10_000 });
  });
});
