import { describe, expect, test } from "vitest";
import { BufferPool, BufferStateError, StaleBufferError, wasmMemory } from "../src/index.js";
import { thrown } from "./thrown.js";

describe("a buffer", () => {
  test("starts live, in generation 1, at version 0, writable", () => {
    const pool = new BufferPool();
    const buffer = pool.allocate(10);
    expect(buffer).toMatchObject({ owner: pool, byteLength: 10, generation: 1, version: 0, readOnly: false });
    expect(buffer.isLive(1)).toBe(true);
    expect(buffer.isLive(2)).toBe(false);
    buffer.checkLive(1, "at");
  });

  test("views hold whole elements of any type and share the memory", () => {
    const buffer = new BufferPool().allocate(10);
    const bytes = buffer.view(Uint8Array);
    expect(bytes.length).toBe(10);
    bytes.fill(0);
    expect(buffer.view(Float32Array).length).toBe(2);
    expect(buffer.view(Float64Array).length).toBe(1);
    expect(buffer.view(BigInt64Array).length).toBe(1);
    buffer.view(Uint16Array)[0] = 0x0201;
    expect([...buffer.view(Uint8Array).subarray(0, 3)]).toEqual([1, 2, 0]);
  });

  test("a window is kept while nothing moves, and made anew for another type or after growth", () => {
    const memory = wasmMemory({ initialBytes: 65_536 });
    const buffer = new BufferPool({ source: memory }).allocate(16);
    const first = buffer.view(Int32Array);
    first.set([1, 2, 3, 4]);
    expect(buffer.view(Int32Array)).toBe(first);
    expect(buffer.view(Uint32Array)).toEqual(new Uint32Array([1, 2, 3, 4]));
    memory.allocate(200_000);
    expect(first.length).toBe(0);
    expect([...buffer.view(Int32Array)]).toEqual([1, 2, 3, 4]);
  });

  test("a recycled buffer never shows the window of its former length", () => {
    const pool = new BufferPool();
    const first = pool.allocate(64);
    expect(first.view(Uint8Array).length).toBe(64);
    first.release(first.generation);
    const second = pool.allocate(5);
    expect(second).toBe(first);
    expect(second.view(Uint8Array).length).toBe(5);
  });

  test("the write gate counts versions and refuses stale handles and read-only buffers", () => {
    const buffer = new BufferPool().allocate(4);
    buffer.beginWrite(1);
    buffer.beginWrite(1, "set");
    expect(buffer.version).toBe(2);
    buffer.readOnly = true;
    const refused = thrown(() => buffer.beginWrite(1, "fill"));
    expect(refused).toBeInstanceOf(BufferStateError);
    expect(refused).toMatchObject({ code: "SW_BUFFER_READ_ONLY", operation: "fill" });
    expect((refused as Error).message).toBe(
      "fill: the buffer is read-only: got a write, expected reads only. Write into a copy.",
    );
    expect(buffer.version).toBe(2);
    buffer.release(1);
    expect(thrown(() => buffer.beginWrite(1))).toMatchObject({ code: "SW_BUFFER_STALE", operation: "write" });
    expect(buffer.version).toBe(2);
  });

  test("a version counts on exactly beyond 2^32", () => {
    const buffer = new BufferPool().allocate(4);
    buffer.version = 2 ** 40;
    buffer.beginWrite(1);
    expect(buffer.version).toBe(2 ** 40 + 1);
  });

  test("release ends the generation once; a stale release does nothing", () => {
    const pool = new BufferPool();
    const buffer = pool.allocate(4);
    buffer.release(7);
    expect(buffer.isLive(1)).toBe(true);
    buffer.release(1);
    buffer.release(1);
    buffer.release(buffer.generation);
    expect(buffer.generation).toBe(2);
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 1 });
    const error = thrown(() => buffer.checkLive(1, "item"));
    expect(error).toBeInstanceOf(StaleBufferError);
    expect(error).toMatchObject({ operation: "item", generation: 1, present: 2, end: "released" });
  });

  test("a buffer that was given back shows no window, whatever generation is read off it", () => {
    const buffer = new BufferPool().allocate(4);
    buffer.view(Uint8Array);
    buffer.release(1);
    expect(buffer.isLive(buffer.generation)).toBe(false);
    expect(thrown(() => buffer.view(Uint8Array))).toMatchObject({ code: "SW_BUFFER_RELEASED", operation: "view" });
    expect(thrown(() => buffer.checkLive(buffer.generation, "at"))).toMatchObject({
      code: "SW_BUFFER_RELEASED",
      operation: "at",
    });
    expect(thrown(() => buffer.beginWrite(buffer.generation))).toMatchObject({ code: "SW_BUFFER_RELEASED" });
  });

  test("how a generation ended is said only of the one before the present", () => {
    const pool = new BufferPool();
    const buffer = pool.allocate(4);
    buffer.release(1);
    pool.allocate(4).release(2);
    expect(thrown(() => buffer.checkLive(1, "at"))).toMatchObject({ generation: 1, present: 3, end: undefined });
    expect(thrown(() => buffer.checkLive(2, "at"))).toMatchObject({ generation: 2, present: 3, end: "released" });
  });
});
