import { afterEach, describe, expect, test, vi } from "vitest";
import { BufferPool, heapMemory, sharedMemory } from "../src/index.js";
import { wasmMemory } from "../src/wasm-memory.js";
import { thrown } from "./thrown.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("heap memory", () => {
  test("begins large blocks on another 64-byte line than that of their array buffer", () => {
    for (const byteLength of [131072, 4194304]) {
      const block = heapMemory().allocate(byteLength);
      expect(block).toMatchObject({ address: 64, byteLength });
      expect(heapMemory().bytes(block).byteLength).toBe(64 + byteLength);
    }
  });

  test("gives every block an array buffer of its own, small ones from address 0", () => {
    const heap = heapMemory();
    const [a, b] = [heap.allocate(10), heap.allocate(10)];
    expect(a).toMatchObject({ address: 0, byteLength: 10 });
    expect(heap.bytes(a).byteLength).toBe(10);
    expect(heap.bytes(a)).not.toBe(heap.bytes(b));
    heap.free(a);
    expect(heap).toMatchObject({ name: "heap", epoch: 0, collectable: true });
  });

  test("refuses sizes out of range and blocks of another memory", () => {
    const heap = heapMemory();
    expect(thrown(() => heap.allocate(40_000_000_000))).toMatchObject({ code: "SW_BUFFER_SIZE" });
    expect(() => heap.allocate(Number.NaN)).toThrow(TypeError);
    const foreign = wasmMemory({ initialBytes: 65_536 }).allocate(8);
    expect(thrown(() => heap.bytes(foreign))).toMatchObject({ code: "SW_BUFFER_BLOCK", operation: "bytes" });
  });

  test("a host that has no memory left is reported as such, with its own error as the cause", () => {
    const refusal = new RangeError("Array buffer allocation failed");
    vi.stubGlobal("ArrayBuffer", function refuse() {
      throw refusal;
    });
    expect(thrown(() => new BufferPool({ checked: false }).allocate(100))).toMatchObject({
      code: "SW_BUFFER_OUT_OF_MEMORY",
      requested: 128,
      maximum: Number.POSITIVE_INFINITY,
      cause: refusal,
    });
  });
});

describe("shared memory", () => {
  test("gives every block a SharedArrayBuffer of its own, and says where the host has none", () => {
    if (typeof SharedArrayBuffer === "undefined") {
      expect(thrown(sharedMemory)).toMatchObject({ code: "SW_BUFFER_UNSUPPORTED" });
      return;
    }
    const shared = sharedMemory();
    expect(shared).toMatchObject({ name: "shared", epoch: 0, collectable: true });
    const [a, b] = [shared.allocate(10), shared.allocate(10)];
    expect(a).toMatchObject({ address: 0, byteLength: 10 });
    expect(shared.bytes(a)).toBeInstanceOf(SharedArrayBuffer);
    expect(shared.bytes(a)).not.toBe(shared.bytes(b));
    const buffer = new BufferPool({ source: shared }).allocate(8, { zero: true });
    buffer.view(Int32Array)[1] = 7;
    expect([...new Int32Array(shared.bytes(buffer.block), 0, 2)]).toEqual([0, 7]);
    buffer.release(1);
    expect(thrown(() => shared.allocate(2 ** 31))).toMatchObject({ code: "SW_BUFFER_SIZE" });
  });

  test("a host without SharedArrayBuffer is told to be cross-origin isolated", () => {
    vi.stubGlobal("SharedArrayBuffer", undefined);
    const error = thrown(sharedMemory);
    expect(error).toMatchObject({ name: "BufferStateError", code: "SW_BUFFER_UNSUPPORTED", operation: "sharedMemory" });
    expect((error as Error).message).toContain("Serve the page cross-origin isolated.");
  });
});
