import { backward, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { fromBuffer, setKernels, type Tensor, zeros } from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";
import { cotangentOf, expectGrad, type Values } from "./layouts.js";
import { callView, type LayoutPair, layoutOf, readViews, type ViewCase } from "./view-vectors.js";

beforeAll(() => setKernels(jsKernels));

interface Backward extends ViewCase {
  readonly src: { readonly size: number; readonly offset: number; readonly l: LayoutPair };
  readonly backward?: { readonly g: Values; readonly grad: Values | { readonly err: string } };
}

/** A strict leaf over memory of its own. */
function leafOver({ size, offset, l }: Backward["src"]): Tensor<"float64"> {
  const { buffer } = zeros([size], { dtype: "float64" });
  return parameter(fromBuffer("float64", buffer, layoutOf(l), offset), { cotangent: "layout" });
}

describe("every gradient of the vectors of views", () => {
  // Cases with a gradient; where we refuse the view itself (D11), there is none.
  const families: readonly [string, number, readonly number[]][] = [
    ["slice", 249, [42, 102, 316]],
    ["rearrange", 333, []],
    ["permute", 93, []],
    ["reshape", 152, []],
    ["as_strided", 202, []],
    ["broadcast_to", 152, []],
    ["broadcast_in_dim", 90, []],
    ["squeeze_unsqueeze", 54, []],
  ];
  test.each(families)("VA-72 VA-73 VA-82 VA-90 to VA-94: %s", (family, count, refused) => {
    let compared = 0;
    readViews<Backward>(family).forEach((c, i) => {
      if (c.backward === undefined || refused.includes(i)) return;
      const label = `${family} ${i}: ${JSON.stringify(c)}`;
      const { g, grad } = c.backward;
      const leaf = leafOver(c.src);
      const view = callView(leaf, c.op, c) as Tensor;
      const run = (): void => backward(view, cotangentOf(view, g, c.n1));
      compared += 1;
      if ("err" in grad) {
        expect(run, label).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT" }));
        expect(leaf.grad, label).toBeUndefined();
        return;
      }
      run();
      expectGrad(leaf.grad, grad, label, c.n1);
    });
    expect(compared).toBe(count);
  });
});
