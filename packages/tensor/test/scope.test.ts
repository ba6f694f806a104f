import { BufferPool } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { type Backend, createArena, keep, setKernels, tensor, withArena, withKernels, zeros } from "@sw/tensor";
import { current, defaultPool, withRecording, withScope } from "@sw/tensor/seam";
import { afterEach, describe, expect, test } from "vitest";

const empty: Backend = { name: "empty", seamVersion: 1, kernels: {} };

afterEach(() => setKernels());

describe("D9: the scope changes only by setKernels and the with… functions", () => {
  test("a scope is put back, also when the function throws", () => {
    const before = current();
    expect(withKernels([empty], () => current().kernels)).toEqual([empty]);
    expect(() =>
      withRecording(false, () => {
        throw new Error("stop");
      }),
    ).toThrow("stop");
    expect(current()).toBe(before);
  });
  test("scopes nest", () => {
    withRecording(false, () => {
      withRecording(true, () => expect(current().recording).toBe(true));
      expect(current().recording).toBe(false);
    });
    expect(current().recording).toBe(true);
  });
  test("a function that returns a promise is refused, and its rejection does not end the process", async () => {
    expect(() => withScope({}, (async () => 1) as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }),
    );
    expect(() => withRecording(false, (() => Promise.reject(new Error("late"))) as never)).toThrow(/promise/);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(current().recording).toBe(true);
  });
  test("a generator function and a function with then are refused too", () => {
    const generator = function* () {
      yield current().recording;
    };
    expect(() => withRecording(false, generator as never)).toThrow(/generator/);
    // biome-ignore lint/suspicious/noThenProperty: a function that is a promise to whoever asks is what is tested.
    const thenable = Object.assign(() => 1, { then: () => undefined });
    expect(() => withRecording(false, () => thenable as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }),
    );
  });
  test("setKernels inside a scope is refused, since its end would undo it", () => {
    expect(() => withRecording(false, () => setKernels(empty))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_BACKEND" }),
    );
  });
  test("a backend of another seam version is refused by name", () => {
    expect(() => setKernels({ ...empty, seamVersion: 2 as never })).toThrow(/empty.*2.*1/);
    expect(() => setKernels(undefined as never)).toThrow(TypeError);
    expect(() => setKernels({ ...empty, kernels: null as never })).toThrow(TypeError);
    expect(() => withArena(null as never, () => 1)).toThrow(TypeError);
  });
  test("the cell is shared by all copies of the package", () => {
    const cell = (globalThis as Record<symbol, unknown>)[Symbol.for("@sw/tensor/scope/1")] as { scope: unknown };
    expect(cell.scope).toBe(current());
  });
});

describe("memory in force", () => {
  test("the first backend's memory feeds the default pool, one pool a memory", () => {
    const memory = wasmMemory({ initialBytes: 1 << 16 });
    setKernels({ ...empty, memory });
    const pool = defaultPool();
    expect(zeros([4]).buffer.source).toBe(memory);
    setKernels({ ...empty, memory });
    expect(defaultPool()).toBe(pool);
    setKernels();
    expect(zeros([4]).buffer.source).not.toBe(memory);
  });
  test("withArena allocates results in the arena; withKernels of the same memory keeps it", () => {
    const arena = createArena({ chunkBytes: 4096 });
    withArena(arena, () => {
      expect(tensor([1]).buffer.owner).toBe(arena);
      withKernels([empty], () => expect(tensor([1]).buffer.owner).toBe(arena));
      const memory = wasmMemory({ initialBytes: 1 << 16 });
      withKernels([{ ...empty, memory }], () => expect(tensor([1]).buffer.owner).toBeInstanceOf(BufferPool));
    });
    arena.dispose();
  });
  test("an arena lives on the default pool, whatever arena is in force", () => {
    const outer = createArena();
    const pool = defaultPool();
    withArena(outer, () => expect(defaultPool()).toBe(pool));
    outer.dispose();
  });
});

describe("OneModel 6: an arena serves one run at a time", () => {
  test("withArena within withArena of the same arena is refused, and the outer one goes on", () => {
    const arena = createArena();
    const out = withArena(arena, () => {
      expect(() => withArena(arena, () => 1)).toThrow(
        expect.objectContaining({ code: "SW_BUFFER_ARENA_BUSY", operation: "begin" }),
      );
      expect(() => arena.reset()).toThrow(expect.objectContaining({ code: "SW_BUFFER_ARENA_BUSY" }));
      return zeros([2]);
    });
    expect(out.toArray()).toEqual([0, 0]);
    expect(withArena(createArena(), () => withArena(arena, () => 2))).toBe(2);
    arena.reset();
  });
  test("the run ends when the function throws, whose error is the one that is heard", () => {
    const arena = createArena();
    expect(() =>
      withArena(arena, () => {
        throw new Error("stop");
      }),
    ).toThrow("stop");
    expect(withArena(arena, () => 1)).toBe(1);
  });
  test("an asynchronous run opens the arena across its awaits, and another is refused in between", async () => {
    const arena = createArena();
    const run = arena.begin();
    withArena(arena, () => zeros([2]), run);
    await null;
    expect(() => withArena(arena, () => 1)).toThrow(expect.objectContaining({ code: "SW_BUFFER_ARENA_BUSY" }));
    expect(() => withArena(arena, () => 1, run + 1)).toThrow(
      expect.objectContaining({ code: "SW_BUFFER_ARENA_BUSY", operation: "withArena" }),
    );
    withArena(arena, () => zeros([2]), run);
    arena.end(run);
    expect(arena.statistics().live).toBe(2);
    arena.reset();
  });
});

describe("memory under pressure", () => {
  /** A chain over a memory of its own that holds next to nothing. */
  const chain = (stages: boolean): Backend[] => [
    {
      name: "small",
      seamVersion: 1,
      kernels: {},
      memory: wasmMemory({ initialBytes: 65_536, maximumBytes: 65_536 }),
      stages,
    },
  ];
  const large = (): number[] => [65_536];
  const heap = defaultPool().source;
  test("outputs overflow to the heap where the backend stages; what is made or kept does not", () => {
    withKernels(chain(true), () => {
      const x = tensor([1, 2]);
      const out = x.expand(large().concat(2)).slice(0, 0, 30_000).contiguous();
      expect(out.buffer.source === heap).toBe(true);
      expect(out.buffer.owner === defaultPool()).toBe(true);
      expect(out.at(29_999, 1)).toBe(2);
      expect(() => zeros(large())).toThrow(expect.objectContaining({ code: "SW_BUFFER_OUT_OF_MEMORY" }));
      expect(() => keep(out)).toThrow(expect.objectContaining({ code: "SW_BUFFER_OUT_OF_MEMORY" }));
      expect(keep(x).buffer.source.name).toBe("wasm");
      out.dispose();
      expect(defaultPool().statistics()).toMatchObject({ live: 2, overflow: 1 });
    });
  });
  test("no output leaves the memory of a backend that does not stage", () => {
    withKernels(chain(false), () => {
      const x = tensor([1, 2]).expand(large().concat(2));
      expect(() => x.contiguous()).toThrow(expect.objectContaining({ code: "SW_BUFFER_OUT_OF_MEMORY" }));
    });
  });
});
