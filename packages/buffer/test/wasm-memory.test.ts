import { afterEach, describe, expect, test, vi } from "vitest";
import { type Block, BufferPool, OutOfMemoryError } from "../src/index.js";
import { WasmMemory, wasmMemory } from "../src/wasm-memory.js";
import { randomNumbers } from "./random.js";
import { SparseMemory } from "./sparse-memory.js";
import { thrown } from "./thrown.js";

const PAGE = 65_536;

/** Where a block is, without what the memory keeps in it. */
function place({ address, byteLength }: Block): { address: number; byteLength: number } {
  return { address, byteLength };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("WebAssembly memory", () => {
  test("starts at 16 MiB of untouched pages unless told otherwise, and within its maximum", () => {
    expect(wasmMemory().capacity).toBe(2 ** 24);
    expect(wasmMemory({ initialBytes: 1 }).capacity).toBe(PAGE);
    expect(wasmMemory({ initialBytes: 0 }).capacity).toBe(PAGE);
    expect(wasmMemory({ maximumBytes: 3 * PAGE + 5 })).toMatchObject({
      capacity: 3 * PAGE,
      maximumBytes: 3 * PAGE,
      name: "wasm",
    });
  });

  test("asks for what others can spare before it refuses a request, and not before it grows", () => {
    const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: 2 * PAGE });
    const pool = new BufferPool({ source: memory, checked: false });
    let asked = 0;
    memory.onExhausted = () => {
      asked += 1;
      pool.trim();
    };
    pool.prewarm(40_000, 2);
    expect(asked).toBe(0);
    expect(place(memory.allocate(100_000))).toMatchObject({ byteLength: 100_032 });
    expect(asked).toBe(1);
    expect(pool.statistics()).toMatchObject({ idle: 0, freed: 2 });
    expect(thrown(() => memory.allocate(100_000))).toMatchObject({ requested: 100_000, inUse: 100_032 });
    expect(asked).toBe(2);
  });

  test("hands out 64-byte aligned blocks, never address 0", () => {
    const memory = wasmMemory({ initialBytes: PAGE });
    const blocks = [1, 64, 65, 0, 200].map((n) => memory.allocate(n));
    expect(blocks.map(place)).toEqual([
      { address: 64, byteLength: 64 },
      { address: 128, byteLength: 64 },
      { address: 192, byteLength: 128 },
      { address: 320, byteLength: 64 },
      { address: 384, byteLength: 256 },
    ]);
    expect(memory.inUse).toBe(576);
    expect(memory.bytes(blocks[0]!)).toBe(memory.memory.buffer);
  });

  test("joins free neighbours and takes the range that fits best", () => {
    const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: PAGE });
    const [a, b, c, , e] = [128, 256, 128, 64, 192, 64].map((n) => memory.allocate(n));
    const was = place(e!);
    memory.free(b!);
    memory.free(e!);
    expect(place(memory.allocate(192))).toEqual(was);
    memory.free(a!);
    memory.free(c!);
    expect(place(memory.allocate(512))).toEqual({ address: 64, byteLength: 512 });
    expect(memory.inUse).toBe(512 + 64 + 192 + 64);
  });

  test("all memory comes back when everything is freed", () => {
    const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: PAGE });
    const all = memory.allocate(PAGE - 64);
    memory.free(all);
    const blocks = Array.from({ length: 40 }, (_, i) => memory.allocate(i * 30));
    for (const index of [...blocks.keys()].sort((a, b) => ((a * 17) % 40) - ((b * 17) % 40)))
      memory.free(blocks[index]!);
    expect(memory.inUse).toBe(0);
    expect(place(memory.allocate(PAGE - 64))).toEqual({ address: 64, byteLength: PAGE - 64 });
  });

  test("grows by doubling up to its maximum; every growth is another epoch", () => {
    const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: 7 * PAGE });
    const sizes: number[] = [];
    const epochs: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      memory.allocate(PAGE);
      sizes.push(memory.capacity / PAGE);
      epochs.push(memory.epoch);
    }
    expect(sizes).toEqual([2, 4, 4, 7, 7, 7]);
    expect(epochs).toEqual([2, 3, 3, 4, 4, 4]);
  });

  test("free bytes at the end count towards what growth must add", () => {
    const memory = wasmMemory({ initialBytes: 2 * PAGE, maximumBytes: 3 * PAGE });
    memory.allocate(64);
    expect(place(memory.allocate(3 * PAGE - 128))).toEqual({ address: 128, byteLength: 3 * PAGE - 128 });
  });

  test("refuses beyond the maximum with requested, in use and maximum, and changes nothing", () => {
    const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: 2 * PAGE });
    memory.allocate(1000);
    const epoch = memory.epoch;
    const error = thrown(() => memory.allocate(2 * PAGE));
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error).toMatchObject({
      code: "SW_BUFFER_OUT_OF_MEMORY",
      requested: 2 * PAGE,
      inUse: 1024,
      maximum: 2 * PAGE,
    });
    expect(memory).toMatchObject({ capacity: PAGE, inUse: 1024, epoch });
    expect(memory.allocate(2 * PAGE - 1024 - 64).address).toBe(1088);
  });

  test("field case 3: 40,000,000,000 bytes are refused, never taken modulo 2^32", () => {
    const memory = wasmMemory({ initialBytes: PAGE });
    expect(thrown(() => memory.allocate(40_000_000_000))).toMatchObject({
      code: "SW_BUFFER_SIZE",
      requested: 40_000_000_000,
    });
    expect(() => memory.allocate(0.5)).toThrow(TypeError);
    expect(memory.inUse).toBe(0);
  });

  test("field case 3: addresses beyond 2 GiB stay positive and reach the right bytes", () => {
    const memory = wasmMemory({ initialBytes: PAGE });
    const pool = new BufferPool({ source: memory, checked: false });
    const low = pool.allocate(4);
    low.view(Int32Array)[0] = 1;
    const large = memory.allocate(2 ** 31 - 1);
    const high = pool.allocate(16);
    expect(high.address).toBe(2 ** 31 + 128);
    high.view(Float32Array).set([1, 2, 3, 4]);
    const whole = new Float32Array(memory.memory.buffer);
    expect([...whole.subarray(high.address / 4, high.address / 4 + 4)]).toEqual([1, 2, 3, 4]);
    memory.free(large);
    expect(memory.allocate(2 ** 31 - 1).address).toBe(128);
    expect(low.view(Int32Array)[0]).toBe(1);
    expect(thrown(() => memory.allocate(2 ** 31 - 1))).toMatchObject({
      code: "SW_BUFFER_OUT_OF_MEMORY",
      inUse: 2 ** 31 + 128,
      maximum: 2 ** 32,
    });
  });

  test("field case 3: a memory of 4 GiB is given out up to its last line, and no further", () => {
    const memory = new WasmMemory(new SparseMemory({ initial: 0 }));
    const [low, high] = [memory.allocate(2 ** 31 - 64), memory.allocate(2 ** 31 - 64)];
    const last = memory.allocate(1);
    expect([low!, high!, last].map((block) => block.address)).toEqual([64, 2 ** 31, 2 ** 32 - 64]);
    expect(memory).toMatchObject({ capacity: 2 ** 32, inUse: 2 ** 32 - 64 });
    const epoch = memory.epoch;
    expect(thrown(() => memory.allocate(1))).toMatchObject({
      code: "SW_BUFFER_OUT_OF_MEMORY",
      requested: 1,
      inUse: 2 ** 32 - 64,
      maximum: 2 ** 32,
    });
    expect(memory.epoch).toBe(epoch);
    for (const block of [high!, last, low!]) memory.free(block);
    expect(memory.inUse).toBe(0);
    expect(memory.blocks.freeBefore(2 ** 32)).toBe(2 ** 32 - 64);
  });

  test("field case 3: pages that others grew beyond 2^31 stay theirs", () => {
    const host = new SparseMemory({ initial: 2 ** 15 });
    const memory = new WasmMemory(host);
    const block = memory.allocate(2 ** 31 - 64);
    expect(host.grow(1)).toBe(2 ** 15);
    expect(memory.allocate(64).address).toBe(2 ** 31 + PAGE);
    memory.free(block);
    expect(memory.allocate(2 ** 31 - 128).address).toBe(64);
    expect(memory.allocate(128).address).toBe(2 ** 31 + PAGE + 64);
  });

  test("growth by others between the request and the growth is made up for", () => {
    let host: SparseMemory;
    let isFirst = true;
    const onGrow = (): void => {
      if (!isFirst) return;
      isFirst = false;
      host.grow(2);
    };
    host = new SparseMemory({ initial: 1, onGrow });
    const memory = new WasmMemory(host);
    memory.allocate(PAGE - 64);
    expect(memory.allocate(PAGE).address).toBe(3 * PAGE);
    expect(memory.capacity).toBe(4 * PAGE);
  });

  test("field case 8: a window is made anew whoever grew the memory, and however often", () => {
    const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: 16 * PAGE });
    const buffer = new BufferPool({ source: memory }).allocate(16);
    buffer.view(Float32Array).set([1, 2, 3, 4]);
    for (let i = 0; i < 4; i += 1) {
      const epoch = memory.epoch;
      if (i % 2 === 0) memory.memory.grow(1);
      else memory.allocate(memory.capacity);
      expect(memory.epoch).toBeGreaterThan(epoch);
      expect([...buffer.view(Float32Array)]).toEqual([1, 2, 3, 4]);
    }
  });

  test("notices growth by others, and leaves their pages alone", () => {
    const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: 8 * PAGE });
    const buffer = new BufferPool({ source: memory }).allocate(8);
    buffer.view(Float64Array)[0] = 2.5;
    const epoch = memory.epoch;
    expect(memory.memory.grow(1)).toBe(1);
    expect(buffer.view(Float64Array)[0]).toBe(2.5);
    expect(memory.epoch).toBe(epoch + 1);
    expect(memory.allocate(PAGE).address).toBe(2 * PAGE);
    expect(memory.epoch).toBe(epoch + 2);
    memory.memory.grow(0);
    expect(memory.bytes(buffer.block).byteLength).toBe(memory.capacity);
    expect(memory.epoch).toBe(epoch + 3);
  });

  test("a block is freed once, and only by the memory that gave it", () => {
    const [one, other] = [wasmMemory({ initialBytes: PAGE }), wasmMemory({ initialBytes: PAGE })];
    const block = one.allocate(64);
    expect(thrown(() => other.free(block))).toMatchObject({ code: "SW_BUFFER_BLOCK", operation: "free" });
    one.free(block);
    expect(thrown(() => one.free(block))).toMatchObject({ code: "SW_BUFFER_BLOCK" });
    other.allocate(64);
    expect(thrown(() => other.free(block))).toMatchObject({ code: "SW_BUFFER_BLOCK" });
    expect(other.inUse).toBe(64);
  });

  test("takes charge of a given memory behind the bytes that are the instance's own", () => {
    const given = new WebAssembly.Memory({ initial: 1, maximum: 4 });
    const memory = new WasmMemory(given, { reservedBytes: 1000 });
    expect(memory.allocate(8).address).toBe(1024);
    expect(memory.allocate(PAGE).address).toBe(1088);
    expect(memory.memory).toBe(given);
    expect(new WasmMemory(new WebAssembly.Memory({ initial: 1 }), { reservedBytes: PAGE }).allocate(8).address).toBe(
      PAGE,
    );
  });

  test("a given memory without pages begins behind address 0", () => {
    const memory = new WasmMemory(new WebAssembly.Memory({ initial: 0 }));
    expect(memory.allocate(8).address).toBe(64);
    expect(memory.allocate(PAGE).byteLength).toBe(PAGE);
  });

  test("growing a shared memory is another epoch too; old windows stay good, new ones cover new blocks", () => {
    const memory = new WasmMemory(new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true }));
    expect(memory.isShared).toBe(true);
    const buffer = new BufferPool({ source: memory }).allocate(8);
    const window = buffer.view(Int32Array);
    window[1] = 7;
    const epoch = memory.epoch;
    const before = memory.memory.buffer;
    const block = memory.allocate(2 * PAGE);
    expect(memory.epoch).toBe(epoch + 1);
    expect(memory.memory.buffer).not.toBe(before);
    expect(buffer.view(Int32Array)[1]).toBe(7);
    expect(buffer.view(Int32Array).buffer).toBe(memory.memory.buffer);
    expect(window[1]).toBe(7);
    expect(memory.bytes(block).byteLength).toBeGreaterThanOrEqual(block.address + block.byteLength);
  });

  test("a shared memory that somebody else grew covers every block, and leaves the pages alone", () => {
    const memory = new WasmMemory(new WebAssembly.Memory({ initial: 1, maximum: 8, shared: true }));
    const block = memory.allocate(64);
    expect(memory.memory.grow(2)).toBe(1);
    expect(memory.bytes(block).byteLength).toBeGreaterThanOrEqual(PAGE);
    expect(memory.allocate(PAGE).address).toBe(3 * PAGE);
    expect(memory.bytes(block)).toBe(memory.memory.buffer);
  });

  test("wasmMemory shares its memory where it is asked to and the host can, and says where the host cannot", () => {
    if (typeof SharedArrayBuffer === "undefined") {
      expect(thrown(() => wasmMemory({ shared: true }))).toMatchObject({ code: "SW_BUFFER_UNSUPPORTED" });
    } else {
      const memory = wasmMemory({ initialBytes: PAGE, maximumBytes: 4 * PAGE, shared: true });
      expect(memory.isShared).toBe(true);
      expect(memory.memory.buffer).toBeInstanceOf(SharedArrayBuffer);
      expect(memory.allocate(2 * PAGE).byteLength).toBe(2 * PAGE);
    }
    expect(wasmMemory({ initialBytes: PAGE }).isShared).toBe(false);
  });

  test("a host without SharedArrayBuffer is told to be cross-origin isolated", () => {
    vi.stubGlobal("SharedArrayBuffer", undefined);
    const error = thrown(() => wasmMemory({ initialBytes: PAGE, shared: true }));
    expect(error).toMatchObject({ name: "BufferStateError", code: "SW_BUFFER_UNSUPPORTED", operation: "wasmMemory" });
    expect((error as Error).message).toBe(
      "wasmMemory: the host shares no memory: got no SharedArrayBuffer, expected one. Serve the page cross-origin isolated.",
    );
    expect(wasmMemory({ initialBytes: PAGE }).isShared).toBe(false);
  });

  test("a host that refuses to double grants what is needed; one that grants nothing is reported", () => {
    const memory = new WasmMemory(new WebAssembly.Memory({ initial: 3, maximum: 4 }));
    memory.allocate(3 * PAGE - 64);
    expect(memory.allocate(8).address).toBe(3 * PAGE);
    expect(memory.capacity).toBe(4 * PAGE);
    const error = thrown(() => memory.allocate(PAGE));
    expect(error).toMatchObject({
      code: "SW_BUFFER_OUT_OF_MEMORY",
      requested: PAGE,
      inUse: 3 * PAGE,
      maximum: 4 * PAGE,
    });
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  test("a host that refuses the initial size is reported, with its own error as the cause", () => {
    const refusal = new RangeError("could not allocate memory");
    const Memory = function refuse() {
      throw refusal;
    };
    vi.stubGlobal("WebAssembly", { ...WebAssembly, Memory });
    expect(thrown(() => wasmMemory({ initialBytes: PAGE, maximumBytes: 2 * PAGE }))).toMatchObject({
      code: "SW_BUFFER_OUT_OF_MEMORY",
      requested: PAGE,
      maximum: 2 * PAGE,
      cause: refusal,
    });
  });

  test("wrong options and things that are no memory are refused", () => {
    expect(thrown(() => wasmMemory({ maximumBytes: 2 ** 32 + 1 }))).toMatchObject({
      code: "SW_BUFFER_OPTION",
      maximum: 2 ** 32,
    });
    expect(thrown(() => wasmMemory({ maximumBytes: 100 }))).toMatchObject({ code: "SW_BUFFER_OPTION", minimum: PAGE });
    expect(thrown(() => wasmMemory({ initialBytes: 2 * PAGE, maximumBytes: PAGE }))).toMatchObject({
      code: "SW_BUFFER_OPTION",
    });
    expect(() => wasmMemory({ initialBytes: 1.5 })).toThrow(TypeError);
    const given = new WebAssembly.Memory({ initial: 1 });
    expect(thrown(() => new WasmMemory(given, { reservedBytes: PAGE + 1 }))).toMatchObject({
      code: "SW_BUFFER_OPTION",
      maximum: PAGE,
    });
    expect(thrown(() => new WasmMemory(given, { maximumBytes: -1 }))).toMatchObject({ code: "SW_BUFFER_OPTION" });
    expect(() => new WasmMemory({} as WebAssembly.Memory)).toThrow(
      "WasmMemory: not a memory: got object, expected a WebAssembly.Memory.",
    );
    expect(() => new WasmMemory(undefined as unknown as WebAssembly.Memory)).toThrow(TypeError);
  });

  test("20,000 random requests count exactly, stay apart and within the memory, and all come back", () => {
    const memory = wasmMemory({ initialBytes: 0, maximumBytes: 2 ** 28 });
    const random = randomNumbers(12_345);
    const live: Block[] = [];
    let sum = 0;
    for (let i = 0; i < 20_000; i += 1) {
      if (live.length < 200 || random(2) === 0) {
        const byteLength = Math.floor((random(1000) / 1000) ** 4 * 200_000);
        const block = memory.allocate(byteLength);
        if (block.address % 64 !== 0 || block.address <= 0) expect.fail("blocks are aligned and not at 0");
        if (block.byteLength < byteLength) expect.fail("blocks are as large as was asked");
        live.push(block);
        sum += block.byteLength;
      } else {
        const [block] = live.splice(random(live.length), 1);
        sum -= block!.byteLength;
        memory.free(block!);
      }
      if (memory.inUse !== sum) expect(memory.inUse).toBe(sum);
      if (i % 500 === 0) {
        let end = 64;
        for (const { address, byteLength } of live.toSorted((a, b) => a.address - b.address)) {
          expect(address).toBeGreaterThanOrEqual(end);
          end = address + byteLength;
        }
        expect(end).toBeLessThanOrEqual(memory.capacity);
      }
    }
    for (const block of live) memory.free(block);
    expect(memory.inUse).toBe(0);
    expect(memory.blocks.freeBefore(memory.capacity)).toBe(memory.capacity - 64);
  });
});
