import { afterEach, describe, expect, test, vi } from "vitest";
import { BufferPool, heapMemory, wasmMemory } from "../src/index.js";
import { thrown } from "./thrown.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("heap memory", () => {
  test("gives every block an array buffer of its own, from address 0", () => {
    const heap = heapMemory();
    const [a, b] = [heap.allocate(10), heap.allocate(10)];
    expect(a).toMatchObject({ address: 0, byteLength: 10 });
    expect(heap.bytes(a).byteLength).toBe(10);
    expect(heap.bytes(a)).not.toBe(heap.bytes(b));
    heap.free(a);
    expect(heap).toMatchObject({ name: "heap", epoch: 0 });
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
    expect(thrown(() => new BufferPool().allocate(100))).toMatchObject({
      code: "SW_BUFFER_OUT_OF_MEMORY",
      requested: 128,
      maximum: Number.POSITIVE_INFINITY,
      cause: refusal,
    });
  });
});
