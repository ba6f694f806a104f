import { describe, expect, test } from "vitest";
import { BufferHandle, BufferPool } from "../src/index.js";
import { thrown } from "./thrown.js";

describe("a buffer handle", () => {
  test("reads and writes its memory, and gives it back at the end of a using block", () => {
    const pool = new BufferPool();
    {
      using handle = new BufferHandle(pool.allocate(16));
      handle.beginWrite();
      handle.view(Float32Array).set([1, 2]);
      expect([...handle.view(Float32Array)].slice(0, 2)).toEqual([1, 2]);
      expect(handle.buffer.version).toBe(1);
      expect(pool.statistics().live).toBe(1);
    }
    expect(pool.statistics()).toMatchObject({ live: 0, idle: 1 });
  });

  test("field case 9: after the release every use throws, also when the memory is somebody else's", () => {
    const pool = new BufferPool();
    const handle = new BufferHandle(pool.allocate(16));
    handle.release();
    handle.release();
    const next = new BufferHandle(pool.allocate(16));
    expect(next.buffer).toBe(handle.buffer);
    const stale = { code: "SW_BUFFER_STALE", generation: 1, present: 2, end: "released" };
    expect(thrown(() => handle.view(Float32Array))).toMatchObject({ ...stale, operation: "view" });
    expect(thrown(() => handle.beginWrite("fill"))).toMatchObject({ ...stale, operation: "fill" });
    handle.release();
    expect(next.view(Float32Array)).toHaveLength(4);
  });

  test("a buffer that nobody holds has no handle", () => {
    const buffer = new BufferPool().allocate(8);
    buffer.release(1);
    expect(thrown(() => new BufferHandle(buffer))).toMatchObject({
      code: "SW_BUFFER_RELEASED",
      operation: "BufferHandle",
    });
  });

  test("an overrun found at the end of a using block does not hide what the block threw", () => {
    const pool = new BufferPool({ checked: true });
    const error = thrown(() => {
      using handle = new BufferHandle(pool.allocate(8));
      new Uint8Array(handle.buffer.source.bytes(handle.buffer.block))[8] = 0;
      throw new Error("the body's");
    });
    expect(error).toMatchObject({
      name: "SuppressedError",
      error: { code: "SW_BUFFER_OVERRUN" },
      suppressed: { message: "the body's" },
    });
    expect(pool.statistics().live).toBe(0);
  });
});
