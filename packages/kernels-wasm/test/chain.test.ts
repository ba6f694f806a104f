import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import {
  add,
  asTensor,
  elu,
  explain,
  full,
  matmul,
  pow,
  setKernels,
  type Tensor,
  tensor,
  withKernels,
  zeros,
} from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { afterEach, describe, expect, test } from "vitest";

// A chain of two backends of which the first has memory of its own.

/** More elements than an output has that goes to the heap although there is room (README of @sw/buffer). */
const COUNT = 20;

/** Which backend ran each kernel of an operation. */
function ranBy(operation: () => Tensor): string[] {
  return explain(operation).calls.map(({ kernel, backend }) => `${kernel} ${backend}`);
}

afterEach(() => setKernels());

describe("a chain of backends", () => {
  test("S-4: is an ordered list: the first that takes a call runs it", () => {
    const wasm = wasmKernelsSync();
    const x = tensor([[1, 2]]);
    const sum = () => add(x, x);
    expect(withKernels([wasm, jsKernels], () => ranBy(sum))).toEqual(["add wasm"]);
    expect(withKernels([jsKernels, wasm], () => ranBy(sum))).toEqual(["add js"]);
    withKernels([wasm, jsKernels], () => {
      expect(explain(pow, x, x).calls[0]).toMatchObject({
        backend: "js",
        declined: [{ backend: "wasm", reason: "has no kernel" }],
      });
      const doubles = tensor([1], { dtype: "float64" });
      expect(explain(add, doubles, doubles).calls[0]).toMatchObject({
        backend: "js",
        declined: [{ backend: "wasm", reason: "dtype" }],
      });
    });
  });

  test("S-42: the first one's memory feeds the default pool; a later one's does not", () => {
    const wasm = wasmKernelsSync();
    expect(withKernels([wasm, jsKernels], () => zeros([2]).buffer.source)).toBe(wasm.memory);
    expect(withKernels([wasm], () => defaultPool().source)).toBe(wasm.memory);
    expect(withKernels([jsKernels, wasm], () => zeros([2]).buffer.source)).not.toBe(wasm.memory);
  });

  test("S-46, S-47: an operand that lives elsewhere is copied in once a call, and explain says which", () => {
    const wasm = wasmKernelsSync();
    withKernels([wasm, jsKernels], () => {
      const inside = full([COUNT], 1);
      const outside = asTensor(new Float32Array(COUNT).fill(10));
      const call = explain(add, inside, outside);
      expect(call.result.toArray()).toEqual(new Array(COUNT).fill(11));
      expect(call.calls).toEqual([{ kernel: "add", backend: "wasm", staged: [2], declined: [] }]);
      expect(wasm.staged).toEqual({ add: 1 });
      expect(explain(add, outside, outside).calls[0]?.staged).toEqual([1, 2]);
      expect(wasm.staged).toEqual({ add: 2 });
      expect(explain(add, inside, inside).calls[0]?.staged).toEqual([]);
      expect(wasm.staged).toEqual({ add: 2 });
      // The next backend takes memory as it is.
      expect(explain(elu, inside).calls).toMatchObject([{ backend: "js", staged: [] }]);
    });
  });

  test("S-3: is in force for the process by setKernels, and for a function by withKernels", () => {
    const wasm = wasmKernelsSync();
    const product = () => matmul(tensor([[2]]), tensor([[3]]));
    setKernels(jsKernels);
    expect(ranBy(product)).toEqual(["matmul js"]);
    expect(withKernels([wasm, jsKernels], () => ranBy(product))).toEqual(["matmul wasm"]);
    expect(ranBy(product)).toEqual(["matmul js"]);
    setKernels(wasm, jsKernels);
    expect(ranBy(product)).toEqual(["matmul wasm"]);
    expect(withKernels([jsKernels], () => ranBy(product))).toEqual(["matmul js"]);
    setKernels();
    expect(() => product()).toThrow(expect.objectContaining({ code: "SW_TENSOR_KERNEL_MISSING", backends: [] }));
  });

  test("S-44: tensors go from one chain to another: memory is where it was made", () => {
    const [first, second] = [wasmKernelsSync(), wasmKernelsSync()];
    const x = withKernels([first], () => full([COUNT], 2));
    withKernels([second], () => {
      const { result, calls } = explain(add, x, x);
      expect(calls).toEqual([{ kernel: "add", backend: "wasm", staged: [1, 2], declined: [] }]);
      expect(result.buffer.source).toBe(second.memory);
      expect(result.toArray()).toEqual(new Array(COUNT).fill(4));
    });
  });
});
