import { describe, expect, test } from "vitest";
import { wrapMemory } from "../src/index.js";
import { thrown } from "./thrown.js";

describe("wrapped memory", () => {
  test("field case 11: a window in the middle of an array buffer is read and written in place", () => {
    const base = new Float32Array([9, 1, 2, 3, 9]);
    const buffer = wrapMemory(base.subarray(1, 4));
    expect(buffer).toMatchObject({ address: 4, byteLength: 12, generation: 1, version: 0, readOnly: false });
    expect([...buffer.view(Float32Array)]).toEqual([1, 2, 3]);
    buffer.view(Float32Array)[0] = 8;
    expect([...base]).toEqual([9, 8, 2, 3, 9]);
    expect(buffer.view(Float32Array).byteLength).toBe(12);
  });

  test("takes array buffers, shared ones and DataViews, of any length", () => {
    const bytes = new Uint8Array([1, 2, 3, 4]);
    expect([...wrapMemory(bytes.buffer).view(Uint8Array)]).toEqual([1, 2, 3, 4]);
    expect([...wrapMemory(new DataView(bytes.buffer, 2)).view(Uint8Array)]).toEqual([3, 4]);
    // A page without cross-origin isolation has no SharedArrayBuffer by name, and shared memory all the same.
    const shared = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer;
    wrapMemory(shared).view(Int32Array)[1] = 5;
    expect([...new Int32Array(shared, 0, 2)]).toEqual([0, 5]);
    expect(wrapMemory(new Uint8Array(0)).view(Float64Array).length).toBe(0);
  });

  test("refuses what is no memory", () => {
    expect(() => wrapMemory(null as unknown as ArrayBuffer)).toThrow(
      "wrapMemory: not memory: got null, expected a typed array, a DataView or an array buffer.",
    );
    for (const value of [[1, 2, 3], "bytes", { byteLength: 4 }, 7]) {
      expect(() => wrapMemory(value as unknown as ArrayBuffer)).toThrow(TypeError);
    }
  });

  test("field case 22: a misaligned window is refused with both numbers, and read where it fits", () => {
    const buffer = wrapMemory(new Uint8Array(16).subarray(6));
    expect(buffer.view(Uint16Array).length).toBe(5);
    expect(thrown(() => buffer.view(Float32Array))).toMatchObject({
      name: "BufferAlignmentError",
      code: "SW_BUFFER_ALIGNMENT",
      address: 6,
      alignment: 4,
    });
  });

  test("readOnly refuses writes at the gate", () => {
    const buffer = wrapMemory(new Uint8Array(4), { readOnly: true });
    expect(buffer.readOnly).toBe(true);
    expect(thrown(() => buffer.beginWrite(1, "fill"))).toMatchObject({
      code: "SW_BUFFER_READ_ONLY",
      operation: "fill",
    });
  });

  test("onRelease is called exactly once, at the first release of the present generation", () => {
    let calls = 0;
    const buffer = wrapMemory(new Uint8Array(4), {
      onRelease: () => {
        calls += 1;
      },
    });
    buffer.release(2);
    expect(calls).toBe(0);
    buffer.release(1);
    buffer.release(1);
    buffer.release(2);
    expect(calls).toBe(1);
    expect(thrown(() => buffer.checkLive(1, "at"))).toMatchObject({
      code: "SW_BUFFER_STALE",
      generation: 1,
      present: 2,
    });
    expect(thrown(() => buffer.view(Uint8Array))).toMatchObject({ code: "SW_BUFFER_RELEASED" });
    wrapMemory(new Uint8Array(4)).release(1);
  });

  test("an onRelease that cannot be called is refused at once: called by the finalizer it would end the process", () => {
    for (const onRelease of [null, 1, "release", {}]) {
      expect(() => wrapMemory(new Uint8Array(4), { onRelease: onRelease as unknown as () => void })).toThrow(
        `wrapMemory: onRelease cannot be called: got ${typeof onRelease}, expected a function.`,
      );
    }
  });

  test("a throwing onRelease is heard, and not called again", () => {
    let calls = 0;
    const buffer = wrapMemory(new Uint8Array(4), {
      onRelease: () => {
        calls += 1;
        throw new Error("theirs");
      },
    });
    expect(() => buffer.release(1)).toThrow("theirs");
    buffer.release(1);
    buffer.release(2);
    expect(calls).toBe(1);
  });

  test("memory that was taken away is an error at the next view, never an empty window", () => {
    const bytes = new Uint8Array(8);
    const buffer = wrapMemory(bytes);
    expect(buffer.view(Uint8Array).length).toBe(8);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(thrown(() => buffer.view(Uint8Array))).toMatchObject({ code: "SW_BUFFER_DETACHED", operation: "view" });
    const memory = new WebAssembly.Memory({ initial: 1 });
    const window = wrapMemory(new Uint8Array(memory.buffer, 16, 8));
    window.view(Uint8Array);
    memory.grow(1);
    const error = thrown(() => window.view(Uint8Array));
    expect((error as Error).message).toBe(
      "view: the wrapped memory was taken away: got 0 bytes, expected at least 24. Wrap it again.",
    );
  });

  test("its owner allocates ordinary memory that is pooled, and takes back nothing but the wrapped buffer", () => {
    const buffer = wrapMemory(new Uint8Array(4));
    const state = buffer.owner.allocate(16, { zero: true });
    expect([...state.view(Float32Array)]).toEqual([0, 0, 0, 0]);
    state.release(1);
    expect(buffer.owner.allocate(16)).toBe(state);
    expect(thrown(() => buffer.owner.reclaim(buffer))).toMatchObject({ code: "SW_BUFFER_RECLAIM" });
    expect(thrown(() => buffer.owner.reclaim(state))).toMatchObject({ code: "SW_BUFFER_RECLAIM" });
    expect(thrown(() => buffer.source.allocate(16))).toMatchObject({ code: "SW_BUFFER_BLOCK", operation: "allocate" });
    buffer.source.free(buffer.block);
    expect(buffer.isLive(1)).toBe(true);
  });
});
