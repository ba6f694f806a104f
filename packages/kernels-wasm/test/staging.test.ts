import { heapMemory, OutOfMemoryError } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import { describe, expect, test } from "vitest";
import { noise, type Placed, place, values } from "./operands.js";

/** The same operand with its elements in memory that is not the kernels'. */
function elsewhere(operand: Placed, source = heapMemory()): Placed {
  const { data } = operand;
  const block = source.allocate(data.byteLength);
  const copy = new Float32Array(source.bytes(block), block.address, data.length);
  copy.set(data);
  return { ...operand, data: copy };
}

/** Runs a kernel with all operands in place, then with each subset of them elsewhere, and compares the bits. */
function allPlaces(backend: WasmBackend, name: "add" | "matmul", out: Placed, a: Placed, b: Placed): void {
  backend.kernels[name]([out], [a, b], [], []);
  const expected = values(out);
  for (let subset = 1; subset < 8; subset++) {
    const [o, x, y] = [out, a, b].map((operand, i) => ((subset >> i) & 1 ? elsewhere(operand) : operand));
    o!.data.fill(-1);
    const before = [...x!.data];
    const { inUse } = backend.memory;
    expect(backend.supports(name, [o!], [x!, y!])).toBe(true);
    backend.kernels[name]([o!], [x!, y!], [], []);
    expect(values(o!)).toEqual(expected);
    expect([...x!.data]).toEqual(before);
    expect(backend.memory.inUse).toBe(inUse);
  }
}

describe("operands outside of the kernels' memory", () => {
  test("give the same bits, wherever each of the three lies, and are counted", () => {
    const backend = wasmKernelsSync();
    const { memory } = backend;
    allPlaces(
      backend,
      "add",
      place(memory, [20, 33], () => 0),
      place(memory, [20, 33], noise(1)),
      place(memory, [20, 33], noise(2)),
    );
    allPlaces(
      backend,
      "matmul",
      place(memory, [9, 7], () => 0),
      place(memory, [9, 20], noise(1)),
      place(memory, [20, 7], noise(2)),
    );
    expect(backend.staged).toEqual({ add: 12, matmul: 12 });
    expect(backend.declined).toEqual({});
  });

  test("of any strides: reversed, transposed, with gaps, and broadcast, of which a row is copied once", () => {
    const backend = wasmKernelsSync();
    const { memory } = backend;
    const out = place(memory, [6, 5], () => 0);
    const reversed: Placed = { ...place(memory, [12, 10], noise(1)), offset: 119, shape: [6, 5], strides: [-20, -2] };
    const turned: Placed = { ...place(memory, [5, 6], noise(2)), shape: [6, 5], strides: [1, 6] };
    const row: Placed = { ...place(memory, [5], noise(3)), shape: [6, 5], strides: [0, 1] };
    const number: Placed = { ...place(memory, [1], noise(4)), shape: [6, 5], strides: [0, 0] };
    allPlaces(backend, "add", out, reversed, turned);
    allPlaces(backend, "add", out, row, number);
    allPlaces(
      backend,
      "matmul",
      place(memory, [6, 6], () => 0),
      turned,
      { ...reversed, shape: [5, 6], strides: [-2, -20] },
    );
  });

  test("an output that is an input too, and an output with gaps, which keep what was in them", () => {
    const backend = wasmKernelsSync();
    const data = Float32Array.from({ length: 12 }, (_, i) => i);
    const out: Placed = { dtype: "float32", data, offset: 1, shape: [3, 2], strides: [4, 2] };
    backend.kernels.add([out], [out, out], [], []);
    expect([...data]).toEqual([0, 2, 2, 6, 4, 10, 6, 14, 8, 18, 10, 22]);
  });

  test("room for the copies may grow the memory under operands that lie in it", () => {
    const backend = wasmKernelsSync({ initialBytes: 2 ** 21 });
    const { memory } = backend;
    const count = 2 ** 18;
    const b = place(memory, [4], noise(1));
    const scalar: Placed = { ...b, shape: [count], strides: [0] };
    const [out, a] = [new Float32Array(count), new Float32Array(count).fill(0.5)];
    const line = { dtype: "float32" as const, offset: 0, shape: [count], strides: [1] };
    const expected = Math.fround(0.5 + values(b)[0]!);
    const { epoch } = memory;
    backend.kernels.add([{ ...line, data: out }], [{ ...line, data: a }, scalar], [], []);
    expect(memory.epoch).toBeGreaterThan(epoch);
    expect(out.every((x) => x === expected)).toBe(true);
  });

  test("a memory without room for the copies is an error, and nothing is written or left behind", () => {
    const backend = wasmKernelsSync({ initialBytes: 2 ** 21, maximumBytes: 2 ** 21 });
    const { inUse } = backend.memory;
    const line = { dtype: "float32" as const, offset: 0, shape: [2 ** 18], strides: [1] };
    const out = new Float32Array(2 ** 18);
    const add = () =>
      backend.kernels.add(
        [{ ...line, data: out }],
        [
          { ...line, data: out },
          { ...line, data: out },
        ],
        [],
        [],
      );
    expect(add).toThrow(OutOfMemoryError);
    expect(backend.memory.inUse).toBe(inUse);
    expect(backend.staged).toEqual({});
  });

  test("S-46: an input that is passed twice is copied in once; another view of its elements is another operand", () => {
    const backend = wasmKernelsSync();
    const { memory } = backend;
    const out = place(memory, [4, 4], () => 0);
    const a = elsewhere(place(memory, [4, 4], noise(1)));
    const twice = values(a).map((x) => x * 2);
    const again: Placed = { ...a, shape: [...a.shape], strides: [...a.strides] };
    const allocate = memory.allocate.bind(memory);
    let taken = 0;
    memory.allocate = (byteLength) => {
      taken += 1;
      return allocate(byteLength);
    };
    backend.kernels.add([out], [a, again], [], []);
    expect(values(out)).toEqual(twice);
    expect([taken, backend.staged]).toEqual([1, { add: 1 }]);
    backend.kernels.add([out], [a, { ...a, strides: [1, 4] }], [], []);
    backend.kernels.add([out], [a, { ...a, offset: a.offset + 1, strides: [0, 0] }], [], []);
    expect([taken, backend.staged]).toEqual([5, { add: 5 }]);
    // In place: copied in as an input, and out as the output.
    const { inUse } = memory;
    backend.kernels.add([a], [a, a], [], []);
    expect(values(a)).toEqual(twice);
    expect([taken, backend.staged]).toEqual([7, { add: 7 }]);
    expect(memory.inUse).toBe(inUse);
  });

  test("may lie in another WebAssembly memory", () => {
    const backend = wasmKernelsSync();
    const [out, a] = [1, 2].map((seed) => place(backend.memory, [50], noise(seed)));
    backend.kernels.add([out!], [a!, elsewhere(a!, wasmMemory())], [], []);
    expect(values(out!)).toEqual(values(a!).map((x) => x * 2));
  });

  test("without elements have nothing to copy", () => {
    const backend = wasmKernelsSync();
    const empty: Placed = { dtype: "float32", data: new Float32Array(0), offset: 0, shape: [0, 3], strides: [3, 1] };
    expect(backend.supports("add", [empty], [empty, empty])).toBe(true);
    backend.kernels.add([empty], [empty, empty], [], []);
  });
});
