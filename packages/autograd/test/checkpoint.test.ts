import { backward, checkpoint, grad, hook, noGrad, parameter, Sgd } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  cast,
  createGenerator,
  exp,
  type Generator,
  matmul,
  mul,
  rand,
  randn,
  relu,
  setKernels,
  sum,
  type Tensor,
  tensor,
} from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Counting } from "./counting.js";

beforeEach(() => setKernels(jsKernels));

const total = (t: Tensor): Tensor => sum(t) as Tensor;
const bits = (t: Tensor | undefined): number[] => [...new Uint32Array((t as Tensor).data().buffer as ArrayBuffer)];
type Block = (x: Tensor) => Tensor;
const same = (fn: Block): Block => fn;

/** Two layers with dropout between them. */
function mlp(generator: Generator) {
  const [w1, w2] = [randn([5, 7], { seed: 1 }), randn([7, 5], { seed: 2 })].map((w) => parameter(w)) as [
    Tensor,
    Tensor,
  ];
  const layer = (x: Tensor): Tensor => {
    const hidden = relu(matmul(x, w1));
    const scale = rand(hidden.shape, { generator });
    return matmul(mul(hidden, scale), w2);
  };
  return { w1, w2, layer };
}

/** Two layers, a loss, and the bits of the gradients. */
function gradients(wrap: (fn: Block, generator: Generator) => Block) {
  const generator = createGenerator(5);
  const { w1, w2, layer } = mlp(generator);
  const block = wrap(layer, generator);
  const x = parameter(randn([4, 5], { seed: 3 }));
  const y = block(block(x));
  const before = generator.state();
  backward(total(mul(y, y)));
  expect(generator.state()).toEqual(before);
  return [bits(y), bits(w1.grad), bits(w2.grad), bits(x.grad)];
}

describe("a block that runs twice has the gradients of the plain run, bit for bit", () => {
  test("an MLP with dropout, its weights in the closure", () => {
    const plain = gradients(same);
    expect(gradients((fn, generator) => checkpoint(fn, { generators: [generator] }))).toEqual(plain);
    const twice = (fn: Block, generator: Generator): Block => {
      const options = { generators: [generator] };
      return checkpoint(checkpoint(fn, options), options);
    };
    expect(gradients(twice)).toEqual(plain);
  });
  test("blocks within blocks, over what an outer block computes", () => {
    const w = parameter(randn([4], { seed: 1 }));
    const outer = (wrap: (fn: Block) => Block) =>
      wrap((x) => {
        const scale = exp(mul(x, 0.5));
        return wrap((y) => mul(mul(y, scale), w))(add(x, 1));
      });
    const found = [same, checkpoint as (fn: Block) => Block].map((wrap) => {
      const x = parameter(randn([4], { seed: 2 }));
      w.node?.grad?.dispose();
      backward(total(outer(wrap)(x)));
      return [bits(x.grad), bits(w.grad)];
    });
    expect(found[1]).toEqual(found[0]);
  });
  test("over an intermediate with a hook, which is called once", () => {
    const x = parameter(tensor([1, 2]));
    const middle = mul(x, 3);
    const seen = vi.fn((g: Tensor) => mul(g, 2));
    hook(middle, seen);
    hook(x, seen);
    const y = checkpoint((t: Tensor) => mul(t, middle))(tensor([5, 6]));
    backward(total(add(y, middle)));
    expect(seen).toHaveBeenCalledTimes(2);
    expect(x.grad?.toArray()).toEqual([6 * 2 * 3 * 2, 7 * 2 * 3 * 2]);
  });
  test("a block whose closure alone takes part; one that takes no part; one that gives its input, or what it closes over", () => {
    const w = parameter(tensor([2, 3]));
    backward(total(checkpoint((x: Tensor) => mul(w, x))(tensor([5, 6]))));
    expect(w.grad?.toArray()).toEqual([5, 6]);
    const c = tensor([1]);
    expect(checkpoint((x: Tensor) => mul(x, c))(tensor([5])).node).toBeUndefined();
    backward(total(add(checkpoint((x: Tensor) => x)(w), checkpoint((_c: Tensor) => w)(c))));
    expect(w.grad?.toArray()).toEqual([7, 8]);
  });
  test("only what is asked for is computed, of inputs and closure", () => {
    const [x, w] = [parameter(tensor([2])), parameter(tensor([3]))];
    const y = checkpoint((t: Tensor) => mul(t, w))(x);
    expect(grad([y], [w], [], { retainGraph: true }).map((g) => g?.item())).toEqual([2]);
    expect(grad([y], [x], [], { retainGraph: true }).map((g) => g?.item())).toEqual([3]);
    expect(grad([y], [x, w]).map((g) => g?.item())).toEqual([3, 2]);
  });
  test("an input twice", () => {
    const x = parameter(tensor([3]));
    backward(checkpoint((a: Tensor, b: Tensor) => mul(a, b))(x, x));
    expect(x.grad?.item()).toBe(6);
  });
});

describe("memory", () => {
  const deep = (wrap: (fn: Block) => Block): number => {
    const memory = new Counting();
    const x = memory.run(() => parameter(randn([256], { seed: 1 })));
    return memory.peakOf(() => {
      let y: Tensor = x;
      const block = wrap((t) => {
        let s = t;
        for (let i = 0; i < 10; i++) s = exp(mul(s, 0.1));
        return s;
      });
      for (let i = 0; i < 8; i++) y = block(y);
      backward(total(y));
    });
  };
  test("the peak of 8 blocks is below half of that without checkpoints", () => {
    expect(deep(checkpoint as (fn: Block) => Block)).toBeLessThan(deep(same) / 2);
  });
  test("without recording, only the output stays", () => {
    const memory = new Counting();
    const x = memory.run(() => parameter(tensor([1, 2])));
    const before = memory.bytes;
    const y = memory.run(() => noGrad(() => checkpoint((t: Tensor) => exp(exp(t)))(x) as never) as Tensor);
    expect(memory.bytes - before).toBe(8);
    expect(y.node).toBeUndefined();
  });
  test("all that is left after backward is outputs and gradients", () => {
    const { live } = defaultPool().statistics();
    const x = parameter(tensor([1, 2]));
    const y = checkpoint((t: Tensor) => exp(exp(t)))(x);
    const loss = total(y);
    backward(loss);
    for (const t of [x.grad as Tensor, loss, y, x]) t.dispose();
    expect(defaultPool().statistics().live).toBe(live);
  });
  test("a function that throws leaves memory and generators as they were", () => {
    const generator = createGenerator(1);
    const x = parameter(tensor([1, 2]));
    const before = [defaultPool().statistics().live, generator.state()];
    const failing = checkpoint(
      (t: Tensor) => {
        mul(t, rand([2], { generator }));
        throw new Error("mine");
      },
      { generators: [generator] },
    );
    expect(() => failing(x)).toThrow("mine");
    expect([defaultPool().statistics().live, generator.state()]).toEqual(before);
  });
  test("so does one that throws in its second run", () => {
    const generator = createGenerator(1);
    const x = parameter(tensor([1, 2]));
    let runs = 0;
    const y = checkpoint(
      (t: Tensor) => {
        const out = mul(t, rand([2], { generator }));
        runs += 1;
        if (runs > 1) throw new Error("mine");
        return out;
      },
      { generators: [generator] },
    )(x);
    const loss = total(y);
    const before = [defaultPool().statistics().live, generator.state()];
    expect(() => backward(loss)).toThrow("mine");
    expect([defaultPool().statistics().live, generator.state()]).toEqual(before);
    expect(x.grad).toBeUndefined();
  });
});

describe("what is refused", () => {
  const x = (): Tensor => parameter(tensor([1, 2]));
  const code = "SW_AUTOGRAD_CHECKPOINT";
  test("a second run with another output: a generator that was not named", () => {
    const generator = createGenerator(1);
    const p = x();
    const y = checkpoint((t: Tensor) => mul(t, rand([2], { generator })))(p);
    expect(() => backward(total(y))).toThrow(expect.objectContaining({ code, operation: "checkpoint" }));
    expect(p.grad).toBeUndefined();
  });
  test("or of another shape or dtype, or that takes no part", () => {
    for (const other of [
      (t: Tensor) => t.slice(0, 0, 1),
      (t: Tensor) => cast(t, "float64") as never as Tensor,
      () => tensor([1, 2]),
    ]) {
      let runs = 0;
      const y = checkpoint((t: Tensor) => (runs++ === 0 ? mul(t, 1) : other(t)))(x());
      expect(() => backward(total(y))).toThrow(expect.objectContaining({ code }));
    }
  });
  test("a second run that reads another tensor with a history", () => {
    const y = checkpoint((t: Tensor) => mul(t, parameter(tensor([1, 1]))))(x());
    backward(total(y));
    let w = x();
    const z = checkpoint((t: Tensor) => mul(t, w))(x());
    w = x();
    expect(() => backward(total(z))).toThrow(expect.objectContaining({ code }));
  });
  test("an input, or a parameter of the closure, that was written in between", () => {
    const [p, w] = [x(), x()];
    const block = checkpoint((t: Tensor) => mul(t, w));
    const [y, z] = [block(p), block(p)];
    backward(total(mul(w, w)));
    new Sgd([w], { learningRate: 0.1 }).step();
    expect(() => backward(total(y))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VERSION", operation: "checkpoint" }),
    );
    noGrad(() => p.fill(0));
    expect(() => grad([total(z)], [p])).toThrow(expect.objectContaining({ code: "SW_TENSOR_VERSION" }));
  });
  test("an output that was written is not compared", () => {
    const p = x();
    const y = checkpoint((t: Tensor) => mul(t, 3))(p);
    const loss = total(y);
    noGrad(() => y.fill(0));
    backward(loss);
    expect(p.grad?.toArray()).toEqual([3, 3]);
  });
  test("second derivatives", () => {
    const p = x();
    const y = total(checkpoint((t: Tensor) => mul(t, t))(p));
    expect(() => grad([y], [p], [], { createGraph: true })).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_CREATE_GRAPH", operation: "checkpoint" }),
    );
  });
  test("what is no function, generator or tensor, and a promise", () => {
    expect(() => checkpoint(3 as never)).toThrow(TypeError);
    expect(() => checkpoint((t: Tensor) => t, { generators: [3 as never] })).toThrow(TypeError);
    expect(() => checkpoint((t: Tensor) => t)(3 as never)).toThrow(TypeError);
    expect(() => checkpoint((() => 3) as never)(x() as never)).toThrow(TypeError);
    expect(() => checkpoint((async (t: Tensor) => t) as never)(x() as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }),
    );
  });
});
