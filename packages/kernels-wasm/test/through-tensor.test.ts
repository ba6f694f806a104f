import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import {
  add,
  asTensor,
  exp,
  explain,
  matmul,
  mul,
  randn,
  type Tensor,
  tanh,
  tensor,
  withKernels,
  zeros,
} from "@sw/tensor";
import { fuse } from "@sw/tensor/fuse";
import { defaultPool } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

/** Runs with the wasm kernels first, then with the JS set alone, on operands made anew by each. */
function both(run: () => Tensor): { wasm: Tensor; js: Tensor; declined: { readonly [kernel: string]: number } } {
  const backend = wasmKernelsSync();
  const wasm = withKernels([backend, jsKernels], run);
  const js = withKernels([jsKernels], run);
  return { wasm, js, declined: backend.declined };
}

describe("through the tensor API", () => {
  test("a bias on a batch is the same to the bit, and nothing is declined", () => {
    const { wasm, js, declined } = both(() => add(randn([64, 128], { seed: 1 }), randn([128], { seed: 2 })));
    expect(wasm.toArray()).toEqual(js.toArray());
    expect(declined).toEqual({});
  });

  test("a fused function is one call, and has the bits of its kernels one by one", () => {
    const chain = (a: Tensor, b: Tensor): Tensor => tanh(add(mul(a, 0.5), b));
    const fused = fuse(chain);
    const backend = wasmKernelsSync();
    withKernels([backend, jsKernels], () => {
      const [a, b] = [randn([65, 33], { seed: 5 }), randn([33], { seed: 6 })];
      for (const x of [a, randn([33, 65], { seed: 7 }).T]) {
        const { result, calls } = explain(() => fused(x, b));
        expect(fused.fallback).toBeUndefined();
        expect(calls.at(-1)).toMatchObject({ kernel: "program", backend: "wasm", staged: [] });
        expect(result.toArray()).toEqual(chain(x, b).toArray());
      }
      return tensor(0);
    });
  });

  test("views need no copy: transposed, sliced and reversed operands are not declined", () => {
    const { wasm, js, declined } = both(() => {
      const a = randn([9, 13], { seed: 3 });
      const b = randn([13, 20], { seed: 4 });
      return add(a.T, b.slice(1, 0, 18, 2).flip(1));
    });
    expect(wasm.toArray()).toEqual(js.toArray());
    expect(declined).toEqual({});
  });

  test("products of views and batches, of small integers, are exact", () => {
    const integers = (length: number) => tensor(Array.from({ length }, (_, i) => (i % 7) - 3));
    const { wasm, js, declined } = both(() =>
      matmul(
        integers(3 * 40 * 33)
          .reshape([3, 40, 33])
          .permute([0, 2, 1]),
        integers(21 * 40).reshape([21, 40]).T,
      ),
    );
    expect(wasm.shape).toEqual([3, 33, 21]);
    expect(wasm.toArray()).toEqual(js.toArray());
    expect(declined).toEqual({});
  });

  test("operands from elsewhere find room although released results fill the memory", () => {
    const backend = wasmKernelsSync({ initialBytes: 2 ** 21, maximumBytes: 2 ** 23 });
    withKernels([backend], () => {
      const count = 2 ** 18;
      // Released, and waiting: five times 1 MiB of the 6.9 that are left.
      for (const t of Array.from({ length: 5 }, () => zeros([count]))) t.dispose();
      const [a, b] = [1, 2].map((x) => asTensor(new Float32Array(count).fill(x), [count]));
      const sum = add(a!, b!);
      expect(sum.toArray()).toEqual(new Array(count).fill(3));
      expect(backend.staged).toEqual({ add: 2 });
      // Only the output and the working memory are left in use.
      expect(defaultPool().statistics()).toMatchObject({ live: 1, idle: 0 });
    });
  });

  test("what the wasm set lacks or declines runs on the next backend, in the same memory", () => {
    const { wasm, js, declined } = both(() => exp(add(tensor([1, 2], { dtype: "float64" }), 1)));
    expect(wasm.toArray()).toEqual(js.toArray());
    expect(declined).toEqual({ add: 1, exp: 1 });
  });
});
