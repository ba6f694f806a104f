import { backward, GraphReleasedError, grad, hook, parameter, retainGrad } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { add, exp, keep, mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
import { beforeEach, describe, expect, test, vi } from "vitest";

beforeEach(() => setKernels(jsKernels));

const total = (t: Tensor): Tensor => sum(t) as Tensor;
const values = (t: Tensor | undefined): number[] => [...((t as Tensor).data() as Float32Array)];

describe("hook", () => {
  test("sees the whole cotangent, once a pass", () => {
    const x = parameter(tensor([1, 2]));
    const y = mul(x, 3);
    const seen: number[][] = [];
    hook(y, (g) => {
      seen.push(values(g));
      return undefined;
    });
    const loss = total(add(mul(y, 2), add(y, y)));
    backward(loss, undefined, { retainGraph: true });
    backward(loss);
    expect(seen).toEqual([
      [4, 4],
      [4, 4],
    ]);
  });
  test("what it gives goes on in its place, and is what retainGrad keeps", () => {
    const x = parameter(tensor([1, 2]));
    const y = retainGrad(mul(x, 3));
    hook(y, (g) => mul(g, 10));
    hook(y, (g) => add(g, 1));
    backward(total(y));
    expect(values(y.grad)).toEqual([11, 11]);
    expect(values(x.grad)).toEqual([33, 33]);
  });
  test("on a leaf, on the root, and with a tensor of the caller's", () => {
    const x = parameter(tensor([1, 2]));
    const mine = tensor([7, 8]);
    hook(x, () => mine);
    const loss = total(x);
    hook(loss, (g) => mul(g, 2));
    backward(loss);
    backward(total(x));
    expect(values(x.grad)).toEqual([14, 16]);
    expect(values(mine)).toEqual([7, 8]);
  });
  test("ends when its remover is called: each its own, also of one function twice", () => {
    const x = parameter(tensor([1]));
    const fn = vi.fn((g: Tensor) => mul(g, 2));
    const [first, second] = [hook(x, fn), hook(x, fn)];
    backward(total(x));
    expect(values(x.grad)).toEqual([4]);
    first();
    first();
    backward(total(x));
    expect(values(x.grad)).toEqual([6]);
    second();
    backward(total(x));
    expect(fn).toHaveBeenCalledTimes(3);
    expect(values(x.grad)).toEqual([7]);
  });
  test("is passed over where nothing that is asked for lies behind", () => {
    const [x, z] = [parameter(tensor([1])), parameter(tensor([1]))];
    const y = mul(x, 2);
    const fn = vi.fn(() => undefined);
    hook(y, fn);
    grad([total(add(y, z))], [z]);
    expect(fn).not.toHaveBeenCalled();
  });
  test("the cotangent is memory of the pass: keep outlives it", () => {
    const x = parameter(tensor([1, 2]));
    const found: Tensor[] = [];
    hook(mul(x, 1), () => undefined);
    const y = mul(x, 2);
    hook(y, (g) => {
      found.push(g, keep(g));
      return undefined;
    });
    backward(total(mul(y, y)));
    expect(() => values(found[0])).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    expect(values(found[1])).toEqual([4, 8]);
  });
  test("with createGraph it records", () => {
    const x = parameter(tensor([3]));
    hook(x, (g) => mul(g, x));
    const [g] = grad([total(mul(x, x))], [x], [], { createGraph: true }) as [Tensor];
    expect(values(g)).toEqual([18]);
    // The derivative of 2x² is 4x, and the hook sees it too.
    expect(values(grad([g], [x])[0])).toEqual([36]);
  });
});

describe("what is refused, with every .grad as it was", () => {
  test.each([
    ["another shape", () => tensor([1, 2, 3]), { code: "SW_AUTOGRAD_SHAPE", operation: "hook" }],
    ["another dtype", () => tensor([1, 2], { dtype: "float64" }), { code: "SW_AUTOGRAD_SHAPE", operation: "hook" }],
    ["a promise", async () => undefined, { code: "SW_TENSOR_SCOPE_PROMISE" }],
    ["no tensor", () => 3, { name: "TypeError" }],
    [
      "an error of its own",
      () => {
        throw new Error("mine");
      },
      { message: "mine" },
    ],
  ])("%s", (_name, fn, error) => {
    const [x, z] = [parameter(tensor([1, 2])), parameter(tensor([1, 2]))];
    const y = mul(x, 2);
    hook(y, fn as never);
    const loss = total(add(z, y));
    expect(() => backward(loss)).toThrow(expect.objectContaining(error));
    expect([x.grad, z.grad]).toEqual([undefined, undefined]);
  });
  test("one that runs a pass over the same history, which is released then, unless it is retained", () => {
    const inner = (retainGraph: boolean): { readonly x: Tensor; readonly run: () => void } => {
      const x = parameter(tensor([1, 2]));
      const y = exp(x);
      const loss = total(mul(y, y));
      let runs = 0;
      hook(y, () => {
        runs += 1;
        if (runs === 1) backward(loss, undefined, { retainGraph });
        return undefined;
      });
      return { x, run: () => backward(loss) };
    };
    const released = inner(false);
    expect(released.run).toThrow(GraphReleasedError);
    const retained = inner(true);
    retained.run();
    const once = values(exp(tensor([2, 4]))).map((value) => 2 * value);
    expect(values(retained.x.grad).every((value, i) => Math.abs(value - 2 * once[i]!) < 1e-4)).toBe(true);
  });
  test("a tensor that takes no part, and what is no function", () => {
    expect(() => hook(tensor([1]), () => undefined)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_NO_GRAPH" }));
    expect(() => hook(parameter(tensor([1])), 3 as never)).toThrow(TypeError);
  });
});
