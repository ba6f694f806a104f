import { noGrad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { add, setKernels, type Tensor, tensor } from "@sw/tensor";
import { expect, test } from "vitest";
import { collectGarbage } from "../../buffer/test/gc.js";

const COUNT = 20_000;

/** The bytes of the heap that a sum keeps while it is held, on an average of many. */
function heapOf(x: Tensor): number {
  const held = new Array<Tensor | undefined>(COUNT).fill(undefined);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  noGrad(() => {
    for (let i = 0; i < COUNT; i++) held[i] = add(x, x);
  });
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  for (const t of held) t?.dispose();
  return bytes / COUNT;
}

test("under noGrad, sums of parameters keep no more of the heap than those of plain tensors", () => {
  setKernels(jsKernels);
  const [x, p] = [tensor([1, 2]), parameter(tensor([1, 2]))];
  // Code is compiled, and the pool filled.
  for (const t of [x, p]) heapOf(t);
  const [plain, ofParameters] = [heapOf(x), heapOf(p)];
  expect(plain).toBeGreaterThan(32);
  // A node is larger than that.
  expect(ofParameters - plain).toBeLessThan(32);
});
