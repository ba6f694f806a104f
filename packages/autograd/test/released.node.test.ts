import { backward, defineOp, grad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { exp, mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
import { type GradNode, record } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";
import { collectGarbage } from "../../buffer/test/gc.js";

// What a released history keeps alive: nothing. Forced collections tell.

beforeEach(() => setKernels(jsKernels));

const total = (t: Tensor): Tensor => sum(t) as Tensor;

const scaled = defineOp<[x: Tensor], { readonly by: Tensor }>({
  name: "scaled",
  forward: ([x], { by }) => mul(x, by),
  backward: (g, { attributes }) => [mul(g, attributes.by)],
});

interface Watched {
  readonly loss: Tensor;
  readonly refs: readonly WeakRef<object>[];
}

/** A loss, and weak references to what only its history holds: a result, its node, and the attributes of an operation. */
function build(x: Tensor): Watched {
  const by = tensor([2, 3]);
  const middle = exp(scaled(x, { by }));
  return { loss: total(mul(middle, middle)), refs: [middle, middle.node as GradNode, by].map((o) => new WeakRef(o)) };
}

/** Collects, and tells how many of the references are still good. Looking at one keeps it until the present turn ends. */
async function alive(refs: readonly WeakRef<object>[]): Promise<number> {
  let count = refs.length;
  for (let turn = 0; turn < 10 && count > 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    collectGarbage();
    count = refs.filter((ref) => ref.deref() !== undefined).length;
  }
  return count;
}

describe("the history of a loss that is held", () => {
  test("is collected after backward", async () => {
    const x = parameter(tensor([1, 2]));
    const { loss, refs } = build(x);
    backward(loss);
    expect(await alive(refs)).toBe(0);
    expect(loss.node?.record?.released).toBe(true);
  });
  test("stays with retainGraph, until it is released", async () => {
    const x = parameter(tensor([1, 2]));
    const { loss, refs } = build(x);
    backward(loss, undefined, { retainGraph: true });
    expect(await alive(refs)).toBe(3);
    backward(loss);
    expect(await alive(refs)).toBe(0);
  });
  test("stays while a gradient made with createGraph is held, and is collected with it", async () => {
    const x = parameter(tensor([1, 2]));
    const gradient = (): { held: Tensor[]; refs: readonly WeakRef<object>[] } => {
      const { loss, refs } = build(x);
      return { held: grad([loss], [x], [], { createGraph: true }) as Tensor[], refs };
    };
    const { held, refs } = gradient();
    expect(await alive(refs)).toBe(3);
    held.length = 0;
    expect(await alive(refs)).toBe(0);
  });
  test("what a record made for itself is back in the pool without a collection", () => {
    const x = parameter(tensor([1, 2]));
    const own = tensor([3, 4]);
    const y = record(tensor([0, 0]), { kind: "own", inputs: [x], owned: [own], rule: (_r, g) => [g] });
    backward(total(y), undefined, { retainGraph: true });
    expect(own.buffer.generation).toBe(own.generation);
    backward(total(y));
    expect(own.buffer.generation).toBeGreaterThan(own.generation);
  });
});
