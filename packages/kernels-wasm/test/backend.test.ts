import { heapMemory, OutOfMemoryError } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { type WasmBackend, WasmOperandError, WasmOptionError, wasmKernels, wasmKernelsSync } from "@sw/kernels-wasm";
import type { Operand } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { BINARY_KINDS, UNARY_KINDS } from "../src/kernels/kinds.js";
import { noise, place, renewed, values } from "./operands.js";

function product(backend: WasmBackend): number[] {
  const { memory } = backend;
  const out = place(memory, [2, 2], () => 0);
  const a = place(memory, [2, 2], (i) => i + 1);
  const b = place(memory, [2, 2], (i) => 10 * (i + 1));
  backend.kernels.matmul([out], [a, b], [], []);
  return values(out);
}

describe("the backend", () => {
  test("is a value of the seam: name, version, memory, kernels", async () => {
    const backend = await wasmKernels();
    expect(backend).toMatchObject({ name: "wasm", seamVersion: 1, stages: true, staged: {}, declined: {} });
    expect(Object.keys(backend.kernels)).toEqual([
      "matmul",
      "attention",
      "cast",
      "clamp",
      "leakyRelu",
      "where",
      "eq",
      "ne",
      "lt",
      "le",
      "gt",
      "ge",
      "isNaN",
      "isFinite",
      "isInfinite",
      "conv2d",
      "conv2dInputBackward",
      "conv2dWeightBackward",
      "copy",
      "adamStep",
      "sgdStep",
      "avgPool2d",
      "maxPool2d",
      "sum",
      "mean",
      "max",
      "min",
      "layerNorm",
      "rmsNorm",
      "softmax",
      "logSoftmax",
      ...UNARY_KINDS,
      ...BINARY_KINDS,
    ]);
    expect(product(backend)).toEqual([70, 100, 150, 220]);
  });

  test("two of them work side by side, on memories of their own or on one", () => {
    const first = wasmKernelsSync();
    const second = wasmKernelsSync();
    const third = wasmKernelsSync({ memory: first.memory });
    // Booleans: a matcher would print the memories, byte by byte.
    expect(first.memory === second.memory).toBe(false);
    expect(third.memory === first.memory).toBe(true);
    for (const backend of [first, second, third, first]) expect(product(backend)).toEqual([70, 100, 150, 220]);
    const operands = [0, 1, 2].map((seed) => place(first.memory, [3], noise(seed))) as unknown as Operand[];
    const inputs = operands.slice(1);
    expect(third.supports("add", operands.slice(0, 1), inputs)).toBe(true);
    second.kernels.add(operands.slice(0, 1), inputs, [], []);
    expect([first.staged, second.staged, third.staged]).toEqual([{}, { add: 3 }, {}]);
  });

  test("the memory grows between calls: old windows are declined, new ones work", () => {
    const backend = wasmKernelsSync({ initialBytes: 2 ** 21 });
    const { memory } = backend;
    const [out, a, b] = [0, 1, 2].map((seed) => place(memory, [20], noise(seed)));
    const windows = [out!, a!, b!].map((operand) => [operand.data.byteOffset, operand.data.length] as const);
    const expected = values(a!).map((x, i) => Math.fround(x + values(b!)[i]!));
    memory.allocate(2 ** 23);
    expect(backend.supports("add", [out!], [a!, b!])).toBe(false);
    const [newOut, newA, newB] = [out!, a!, b!].map((operand, i) => renewed(memory, operand, ...windows[i]!));
    expect(backend.supports("add", [newOut!], [newA!, newB!])).toBe(true);
    backend.kernels.add([newOut!], [newA!, newB!], [], []);
    expect(values(newOut!)).toEqual(expected);
  });

  test("kernels allocate nothing", () => {
    const backend = wasmKernelsSync();
    const { memory } = backend;
    const out = place(memory, [300, 300], () => 0);
    const a = place(memory, [300, 300], noise(1));
    const { inUse, epoch } = memory;
    for (let i = 0; i < 5; i++) {
      backend.kernels.matmul([out], [a, a], [], []);
      backend.kernels.add([out], [a, a], [], []);
    }
    expect(memory.inUse).toBe(inUse);
    expect(memory.epoch).toBe(epoch);
  });

  test("what is declined is counted by kernel, and objection() says why", () => {
    const backend = wasmKernelsSync();
    const ours = place(backend.memory, [4], noise(1));
    const doubles: Operand = { ...ours, dtype: "float64", data: new Float64Array(backend.memory.memory.buffer, 64, 4) };
    const heap = heapMemory();
    const foreign: Operand = { ...ours, data: new Float32Array(heap.bytes(heap.allocate(256)), 0, 64) };
    expect(backend.supports("add", [ours], [ours, doubles])).toBe(false);
    expect(backend.supports("add", [doubles], [ours, ours])).toBe(false);
    const short: Operand = { ...ours, data: new Float32Array(3) };
    expect(backend.supports("add", [foreign], [ours, ours])).toBe(true);
    expect(backend.supports("add", [short], [ours, ours])).toBe(false);
    expect(backend.supports("matmul", [ours], [ours, { ...foreign, offset: -1 }])).toBe(false);
    expect(backend.supports("pow", [ours], [ours, ours])).toBe(false);
    expect(backend.supports("toString", [ours], [ours])).toBe(false);
    expect(backend.supports("add", [ours], [ours, ours])).toBe(true);
    expect(backend.declined).toEqual({ add: 3, matmul: 1 });
    expect(backend.objection("add", [ours], [ours, doubles])).toBe("dtype");
    expect(backend.objection("add", [short], [ours, ours])).toBe("detached memory");
    expect(backend.objection("toString", [ours], [ours])).toBe("no kernel");
    expect(backend.objection("add", [ours], [ours, ours])).toBeUndefined();
    expect(backend.declined).toEqual({ add: 3, matmul: 1 });
  });

  test("a kernel called on operands that it does not take throws and writes nothing", () => {
    const backend = wasmKernelsSync();
    const ours = place(backend.memory, [4], noise(1));
    const before = values(ours);
    const foreign: Operand = { ...ours, data: new Float32Array(3) };
    let thrown: unknown;
    try {
      backend.kernels.add([ours], [ours, foreign], [], []);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(WasmOperandError);
    expect(thrown).toMatchObject({ code: "SW_WASM_OPERAND", kernel: "add", reason: "detached memory" });
    expect((thrown as Error).message).toBe(
      "add: the wasm kernel does not take these operands (detached memory): got float32[4], float32[4], float32[4], expected what supports() accepts. Ask it first, or put the backend in force with setKernels.",
    );
    expect(values(ours)).toEqual(before);
    expect(() => backend.kernels.matmul([foreign], [foreign, foreign], [], [])).toThrow(WasmOperandError);
  });

  test("dispose gives the working memory back, once", () => {
    const memory = wasmMemory();
    const before = memory.inUse;
    const backend = wasmKernelsSync({ memory });
    expect(memory.inUse - before).toBeGreaterThan(2 ** 20);
    const operand = place(memory, [1, 1], noise(1));
    const { inUse } = memory;
    backend.dispose();
    backend[Symbol.dispose]();
    expect(memory.inUse).toBeLessThan(inUse - 2 ** 20);
    expect(backend.supports("matmul", [operand], [operand, operand])).toBe(false);
    expect(backend.declined).toEqual({ matmul: 1 });
    expect(backend.objection("matmul", [operand], [operand, operand])).toBe("disposed");
  });

  test("a memory and options of a new one contradict each other", async () => {
    const memory = wasmMemory();
    const { inUse } = memory;
    let thrown: unknown;
    try {
      wasmKernelsSync({ memory, maximumBytes: 2 ** 24 });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(WasmOptionError);
    expect(thrown).toMatchObject({ code: "SW_WASM_OPTION", option: "maximumBytes" });
    expect((thrown as Error).message).toBe(
      "wasmKernelsSync: options contradict each other: got memory and maximumBytes, expected one of them. Give maximumBytes to wasmMemory.",
    );
    await expect(wasmKernels({ memory, initialBytes: 2 ** 20 })).rejects.toMatchObject({ option: "initialBytes" });
    expect(memory.inUse).toBe(inUse);
  });

  test("the maximum holds, also against the working memory", () => {
    const backend = wasmKernelsSync({ initialBytes: 2 ** 20, maximumBytes: 2 ** 22 });
    expect(() => backend.memory.allocate(2 ** 22)).toThrow(OutOfMemoryError);
    expect(() => wasmKernelsSync({ maximumBytes: 2 ** 19 })).toThrow(OutOfMemoryError);
  });
});
