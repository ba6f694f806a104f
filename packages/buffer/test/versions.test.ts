import { describe, expect, test } from "vitest";
import { Arena, BufferHandle, BufferPool, snapshotVersions } from "../src/index.js";
import { thrown } from "./thrown.js";

describe("a snapshot of versions", () => {
  test("OneModel 7: tells the first of several buffers that was written since", () => {
    const pool = new BufferPool();
    const handles = [1, 2, 3].map(() => new BufferHandle(pool.allocate(8)));
    handles[1]!.beginWrite();
    const snapshot = snapshotVersions(handles);
    expect(snapshot.versions).toEqual([0, 1, 0]);
    expect(snapshot.firstChanged()).toBe(-1);
    handles[2]!.beginWrite();
    expect(snapshot.firstChanged()).toBe(2);
    handles[1]!.beginWrite();
    expect(snapshot.firstChanged()).toBe(1);
    expect(snapshotVersions([]).firstChanged()).toBe(-1);
  });

  test("field case 9: a buffer that was handed out again is changed, though its version is the same", () => {
    const arena = new Arena(new BufferPool());
    const snapshot = snapshotVersions([new BufferHandle(arena.allocate(8))]);
    arena.reset();
    expect(snapshot.firstChanged()).toBe(0);
    arena.allocate(8);
    expect(snapshot.firstChanged()).toBe(0);
  });

  test("a handle that is stale already is refused, rather than its memory's next owner remembered", () => {
    const pool = new BufferPool();
    const stale = new BufferHandle(pool.allocate(8));
    stale.release();
    const present = new BufferHandle(pool.allocate(8));
    expect(present.buffer).toBe(stale.buffer);
    expect(thrown(() => snapshotVersions([present, stale]))).toMatchObject({
      code: "SW_BUFFER_STALE",
      operation: "snapshotVersions",
      generation: 1,
      present: 2,
    });
  });

  test("a handle that points elsewhere later does not move the snapshot", () => {
    const pool = new BufferPool();
    const [a, b] = [new BufferHandle(pool.allocate(8)), new BufferHandle(pool.allocate(8))];
    const moving = { buffer: a.buffer, generation: a.generation };
    const snapshot = snapshotVersions([moving]);
    moving.buffer = b.buffer;
    b.beginWrite();
    expect(snapshot.firstChanged()).toBe(-1);
  });

  test.each([2 ** 31 - 2, 2 ** 32 - 2, 2 ** 53 - 4])("versions and generations are exact beyond %i", (start) => {
    const pool = new BufferPool();
    const buffer = pool.allocate(8);
    buffer.generation = start;
    buffer.version = start;
    const handle = new BufferHandle(buffer);
    const snapshot = snapshotVersions([handle]);
    for (let i = 0; i < 3; i += 1) {
      handle.beginWrite();
      expect(buffer.version).toBe(start + 1 + i);
      expect(snapshot.firstChanged()).toBe(0);
    }
    for (let i = 0; i < 3; i += 1) {
      const generation = start + i;
      expect(buffer.isLive(generation)).toBe(true);
      buffer.release(generation);
      expect(pool.allocate(8)).toBe(buffer);
      expect(thrown(() => buffer.checkLive(generation, "at"))).toMatchObject({ generation, present: generation + 1 });
    }
  });
});
