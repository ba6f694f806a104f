import { wasmMemory } from "@sw/buffer/wasm";
import { type WasmBackend, wasmKernels, wasmKernelsSync } from "@sw/kernels-wasm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noise, type Placing, place, values } from "./operands.js";

const isShareable = typeof SharedArrayBuffer === "function";

describe.runIf(isShareable)("threads", () => {
  let backends: WasmBackend[];
  beforeAll(async () => {
    const load = (threads: number): Promise<WasmBackend> =>
      wasmKernels({ memory: wasmMemory({ initialBytes: 2 ** 25, maximumBytes: 2 ** 28, shared: true }), threads });
    backends = await Promise.all([1, 2, 3].map(load));
  });
  afterAll(() => {
    for (const backend of backends) backend.dispose();
  });

  /** The bits of a product of each backend, the first of which has one thread. */
  function results(
    shapes: readonly [out: readonly number[], a: readonly number[], b: readonly number[]],
    placings: readonly [Placing, Placing, Placing] = [{}, {}, {}],
  ): number[][] {
    const all: number[][] = [];
    for (const { memory, kernels } of backends) {
      const out = place(memory, shapes[0], () => 0, placings[0]);
      const [a, b] = [place(memory, shapes[1], noise(1), placings[1]), place(memory, shapes[2], noise(2), placings[2])];
      kernels.matmul([out], [a, b], [], []);
      all.push(values(out));
    }
    return all;
  }

  /** Compares elements by themselves: lists of so many take seconds. */
  function expectSame([one, ...others]: readonly number[][]): void {
    expect(others).toHaveLength(2);
    for (const other of others) expect(other.findIndex((x, i) => !Object.is(x, one![i]))).toBe(-1);
  }

  test("as many take part as are asked for", () => {
    expect(backends.map(({ threads }) => threads.count)).toEqual([1, 2, 3]);
    expect(backends.map(({ threads }) => threads.reason)).toEqual(["one thread was asked for", undefined, undefined]);
  });

  test("a product has the same bits with any number of them, whatever its strides are", () => {
    const turned: Placing = { order: [1, 0] };
    for (const [m, k, n] of [
      [200, 300, 170],
      [64, 768, 301],
      [3, 1000, 999],
      [999, 1100, 3],
      [256, 256, 256],
    ] as const) {
      const shapes = [
        [m, n],
        [m, k],
        [k, n],
      ] as const;
      for (const placings of [
        [{}, {}, {}],
        [{}, turned, {}],
        [{}, {}, turned],
        [turned, {}, {}],
        [{ gap: 2 }, { reversed: [1] }, { reversed: [0] }],
      ] as const) {
        expectSame(results(shapes, placings));
      }
    }
    expectSame(
      results([
        [3, 128, 192],
        [3, 128, 192],
        [3, 192, 192],
      ]),
    );
  });

  test("they serve again after they slept, and right after one another", async () => {
    const shapes = [
      [256, 256],
      [256, 256],
      [256, 256],
    ] as const;
    const [one] = results(shapes) as [number[]];
    for (let turn = 0; turn < 8; turn++) {
      if (turn % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      const [, two, three] = results(shapes) as [number[], number[], number[]];
      expectSame([one, two, three]);
    }
  });

  test("dispose ends them and gives their memory back; doing it twice is nothing", async () => {
    const memory = wasmMemory({ initialBytes: 2 ** 23, shared: true });
    const backend = await wasmKernels({ memory, threads: 2 });
    expect(memory.inUse).toBeGreaterThan(2 ** 21);
    backend.dispose();
    backend.dispose();
    expect(memory.inUse).toBe(0);
    expect(backend.threads).toMatchObject({ count: 1, reason: expect.stringContaining("disposed") });
  });

  test("kernels that were loaded at once have them as soon as they are started", async () => {
    const backend = wasmKernelsSync({ threads: 2 });
    expect(backend.memory.isShared).toBe(true);
    expect(backend.threads).toMatchObject({ count: 1, reason: "they are still being started" });
    while (backend.threads.count < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(backend.threads.reason).toBeUndefined();
    backend.dispose();
  });
});

describe("without threads", () => {
  test("the reason can be read", async () => {
    const memory = wasmMemory({ initialBytes: 2 ** 22 });
    const reason = isShareable ? "the memory is not shared" : "the page is not isolated, so memory cannot be shared";
    expect((await wasmKernels({ memory, threads: 2 })).threads).toMatchObject({ count: 1, reason });
    expect(wasmKernelsSync().threads).toMatchObject({ count: 1, reason: "one thread was asked for" });
  });

  test("a number of them that is none is refused before anything is made", async () => {
    const memory = wasmMemory({ initialBytes: 2 ** 22 });
    for (const threads of [0, -1, 1.5, Number.NaN, "2" as unknown as number, { count: 0 }]) {
      const expected = expect.objectContaining({ code: "SW_WASM_OPTION", option: "threads" });
      await expect(wasmKernels({ memory, threads })).rejects.toThrow(expected);
      expect(() => wasmKernelsSync({ memory, threads })).toThrow(expected);
    }
    expect(memory.inUse).toBe(0);
  });
});
