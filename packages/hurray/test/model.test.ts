import { jsKernels } from "@sw/kernels-js";
import { add, matmul, randn, relu, type Tensor, withKernels } from "@sw/tensor";
import { expect, test } from "vitest";
import { encodeHurray, openHurray } from "../src/index.js";

test("a model that was saved and opened again gives the same answers to the bit", async () => {
  const x = randn([5, 4], { seed: 1 });
  const model = { w: randn([3, 4], { seed: 2 }).T, b: randn([3], { seed: 3 }) };
  const predict = (m: { readonly [name: string]: Tensor }): Uint8Array =>
    withKernels([jsKernels], () => {
      const y = relu(add(matmul(x, m["w"]!), m["b"]!));
      return y.contiguous().buffer.view(Uint8Array).slice();
    });
  const file = await openHurray(encodeHurray(model));
  const again = { w: await file.tensor("w"), b: await file.tensor("b") };
  expect(predict(again)).toEqual(predict(model));
  expect(again.w.strides).toEqual(model.w.strides);
});
