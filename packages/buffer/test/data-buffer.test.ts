import { describe, expect, test } from "vitest";
import { Arena, BufferPool, BufferStateError, StaleBufferError } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
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

  test("a window of no type is a TypeError, also before the first window and after a change of length", () => {
    const pool = new BufferPool();
    const buffer = pool.allocate(16);
    const nothing = undefined as unknown as Uint8ArrayConstructor;
    expect(() => buffer.view(nothing)).toThrow(TypeError);
    buffer.view(Uint8Array);
    buffer.release(1);
    expect(pool.allocate(8)).toBe(buffer);
    expect(() => buffer.view(nothing)).toThrow(TypeError);
    expect(buffer.view(Uint8Array).length).toBe(8);
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
      "fill: the buffer is read-only: got a write, expected reads. Write into a copy.",
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

  test("a generation counts on exactly beyond 2^32, and none of the earlier ones releases the next owner's buffer", () => {
    const pool = new BufferPool();
    const buffer = pool.allocate(4);
    buffer.generation = 2 ** 32 - 2;
    for (const generation of [2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1]) {
      buffer.release(generation);
      expect(pool.allocate(4)).toBe(buffer);
      for (let old = 2 ** 32 - 2; old <= generation; old += 1) buffer.release(old);
      // What 32 bits make of the present one.
      for (const low of [(generation + 1) | 0, (generation + 1) % 2 ** 31]) buffer.release(low);
      expect(buffer.isLive(generation + 1)).toBe(true);
    }
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

  describe("a holder", () => {
    const make = () => {
      const pool = new BufferPool();
      const [holder, other] = [{ name: "holder" }, { name: "other" }];
      return { pool, buffer: pool.allocate(8), holder, other };
    };

    test("VA-24 writes by others are refused while a buffer is held; the holder writes", () => {
      const { buffer, holder, other } = make();
      buffer.claim(1, holder);
      buffer.claim(1, holder);
      for (const write of [
        () => buffer.beginWrite(1, "fill"),
        () => buffer.checkWritable(1, "fill"),
        () => buffer.beginWrite(1, "fill", other),
      ]) {
        expect(thrown(write)).toMatchObject({ name: "BufferStateError", code: "SW_BUFFER_HELD", operation: "fill" });
      }
      expect(buffer.version).toBe(0);
      buffer.beginWrite(1, "fill", holder);
      expect(buffer.version).toBe(1);
      buffer.disclaim(other);
      expect(thrown(() => buffer.beginWrite(1))).toMatchObject({ code: "SW_BUFFER_HELD", operation: "write" });
      buffer.disclaim(holder);
      buffer.beginWrite(1);
      buffer.beginWrite(1, "write", holder);
      expect(buffer.version).toBe(3);
    });

    test("VA-24 a buffer has one holder, and a stale handle claims nothing", () => {
      const { pool, buffer, holder, other } = make();
      buffer.claim(1, holder);
      expect(thrown(() => buffer.claim(1, other))).toMatchObject({ code: "SW_BUFFER_HELD", operation: "claim" });
      buffer.release(1, holder);
      expect(pool.allocate(8)).toBe(buffer);
      expect(thrown(() => buffer.claim(1, holder))).toMatchObject({ code: "SW_BUFFER_STALE" });
      // The next owner's buffer is nobody's, and an old holder's disclaim takes nothing away.
      buffer.claim(2, other);
      buffer.disclaim(holder);
      expect(buffer.holder).toBe(other);
    });

    test("VA-26 releasing a held buffer is the holder's alone, and changes no version", () => {
      const { buffer, holder, other } = make();
      buffer.beginWrite(1);
      buffer.claim(1, holder);
      expect(thrown(() => buffer.release(1))).toMatchObject({ code: "SW_BUFFER_HELD", operation: "release" });
      expect(thrown(() => buffer.release(1, other))).toMatchObject({ code: "SW_BUFFER_HELD" });
      expect(buffer.isLive(1)).toBe(true);
      buffer.release(1, holder);
      expect(buffer).toMatchObject({ version: 1, holder: undefined, state: "idle" });
      buffer.release(1, holder);
      buffer.release(1);
      expect(thrown(() => buffer.beginWrite(1))).toMatchObject({ code: "SW_BUFFER_STALE" });
    });

    test("a reset of the arena ends a claim", () => {
      const arena = new Arena(new BufferPool());
      const buffer = arena.allocate(8);
      buffer.claim(1, {});
      arena.reset();
      expect(arena.allocate(8)).toBe(buffer);
      buffer.beginWrite(2);
      expect(buffer.version).toBe(1);
    });

    test("a read-only buffer refuses its holder too", () => {
      const { buffer, holder } = make();
      buffer.claim(1, holder);
      buffer.readOnly = true;
      expect(thrown(() => buffer.beginWrite(1, "fill", holder))).toMatchObject({ code: "SW_BUFFER_READ_ONLY" });
      expect(buffer.version).toBe(0);
    });
  });
});
