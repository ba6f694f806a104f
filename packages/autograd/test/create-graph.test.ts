import { backward, grad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { layout } from "@sw/layout";
import {
  add,
  exp,
  fromBuffer,
  layerNorm,
  mul,
  randn,
  relu,
  rmsNorm,
  setKernels,
  sum,
  type Tensor,
  tensor,
  zeros,
} from "@sw/tensor";
import { defaultPool, record, save, unpack } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
const leaf = (values: number[]): F64 => parameter(tensor(values, { dtype: "float64" }));
const total = (t: Tensor): F64 => sum(t) as F64;
const first = (y: Tensor, x: Tensor, v?: Tensor): Tensor => grad([y], [x], [v], { createGraph: true })[0] as Tensor;
const values = (t: Tensor | undefined): number[] => [...((t as Tensor).contiguous().data() as Float64Array)];

describe("gradients of gradients", () => {
  test("x⁵ down to its fifth derivative", () => {
    const x = leaf([2, -1]);
    const x2 = mul(x, x);
    let y: Tensor = mul(mul(x2, x2), x);
    const expected = [
      [80, 5],
      [160, -20],
      [240, 60],
      [240, -120],
      [120, 120],
    ];
    for (const derivative of expected) {
      y = first(total(y), x);
      expect(values(y)).toEqual(derivative);
    }
    expect(y.node).toBeUndefined();
  });
  test("the cotangent takes part too", () => {
    const [x, v] = [leaf([3]), leaf([5])];
    const g = first(mul(x, mul(x, x)), x, v);
    const [dx, dv] = grad([g], [x, v]);
    expect([values(g), values(dx), values(dv)]).toEqual([[135], [90], [27]]);
  });
  test("mixed: the gradient to one parameter depends on the other", () => {
    const [x, w] = [leaf([1, 2]), leaf([3, 4])];
    const dw = first(total(mul(mul(x, x), mul(w, w))), w);
    expect(values(dw)).toEqual([6, 32]);
    const [dx] = grad([total(dw)], [x]);
    expect(values(dx)).toEqual([12, 32]);
  });
  test.each([
    ["layerNorm", (x: Tensor, weight: Tensor) => layerNorm(x, [4], { weight })],
    ["rmsNorm", (x: Tensor, weight: Tensor) => rmsNorm(x, [4], { weight })],
  ])("mixed, of %s: the rows that it saved are a function of an input that is not asked for", (_name, norm) => {
    const x = parameter(randn([3, 4], { seed: 1, dtype: "float64" }));
    const [w, k] = [leaf([1, 2, 3, 4]), leaf([-2, 1, 0.5, 3])];
    const c = randn([3, 4], { seed: 2, dtype: "float64" });
    const dw = first(total(mul(norm(x, w), c)), w);
    const found = values(grad([total(mul(dw, k))], [x])[0]);
    // The function is linear in the weight: k · its gradient is the function at the weight k.
    const expected = values(grad([total(mul(norm(x, k), c))], [x])[0]);
    found.forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i] as number, 12);
    });
    expect(Math.max(...found.map(Math.abs))).toBeGreaterThan(0.1);
  });
  test("of a linear function, the gradient takes no part in gradients", () => {
    const x = leaf([1, 2]);
    expect(first(total(mul(x, 3)), x).node).toBeUndefined();
  });
  test("a chain of 100,000 operations, twice", () => {
    const [x, v] = [leaf([1, 2]), leaf([3, 4])];
    let y: Tensor = mul(x, x);
    for (let i = 0; i < 100_000; i++) y = y.flip(0);
    const g = first(y, x, v);
    expect(values(g)).toEqual([6, 16]);
    expect(grad([total(g)], [x, v]).map(values)).toEqual([
      [6, 8],
      [2, 4],
    ]);
  });
  test("a diamond of depth 60, twice", () => {
    const x = leaf([1, 2]);
    let y: Tensor = mul(x, x);
    for (let i = 0; i < 60; i++) y = mul(add(y, y), 0.5);
    expect(values(grad([first(total(y), x)], [x], [tensor([1, 1], { dtype: "float64" })])[0])).toEqual([2, 2]);
  });
});

describe("the first graph", () => {
  test.each([
    ["the first graph's before the second's", true],
    ["the second graph's before the first's", false],
  ])("what a record made for itself outlives it: %s backward", (_name, firstFirst) => {
    const x = leaf([1, 2]);
    const twice = tensor([2, 4], { dtype: "float64" });
    const y = record(tensor([1, 4], { dtype: "float64" }), {
      kind: "owner",
      inputs: [x],
      saved: [save(twice)],
      owned: [twice],
      rule: (r, g) => [mul(mul(g, unpack(r, 0)), x)],
    });
    const loss = total(y);
    const g = total(first(loss, x));
    for (const root of firstFirst ? [loss, g] : [g, loss]) backward(root);
    expect(values(x.grad)).toEqual([2 + 2, 8 + 4]);
  });
  test("that was released and is needed is refused", () => {
    const x = leaf([1]);
    const y = exp(x);
    const g = first(y, x);
    backward(y);
    expect(() => backward(g)).toThrow(expect.objectContaining({ name: "GraphReleasedError", operation: "exp" }));
  });
});

describe("what is handed out is nobody else's", () => {
  test("two gradients that are one cotangent have memory of their own", () => {
    const [a, b] = [leaf([1, 2]), leaf([3, 4])];
    const [da, db] = grad([total(add(a, b))], [a, b], [], { createGraph: true }) as [Tensor, Tensor];
    expect(da.buffer).not.toBe(db.buffer);
    da.dispose();
    expect(values(db)).toEqual([1, 1]);
  });
  test("a cotangent of the caller's is copied, with its history", () => {
    const [x, v] = [leaf([1, 2]), leaf([3, 4])];
    const g = first(x, x, v);
    expect(g.buffer).not.toBe(v.buffer);
    expect(values(grad([total(g)], [v])[0])).toEqual([1, 1]);
  });
  test("a gradient that was spread is laid out", () => {
    const x = leaf([1, 2, 3]);
    const g = first(total(x), x);
    expect(g.layout.toString()).toBe("(3):(1)");
    g.set(5, 0);
    expect(values(g)).toEqual([5, 1, 1]);
  });
  test("in the stride order of its input, with history", () => {
    const x = parameter(
      tensor(
        [
          [1, 2],
          [3, 4],
        ],
        { dtype: "float64" },
      ).T,
    );
    const c = tensor(
      [
        [1, 2],
        [3, 4],
      ],
      { dtype: "float64" },
    );
    const g = first(total(mul(mul(x, x), c)), x);
    expect(g.layout.toString()).toBe("(2,2):(1,2)");
    expect(grad([total(g)], [x])[0]?.toArray()).toEqual([
      [2, 4],
      [6, 8],
    ]);
  });
  test("of a strict leaf too: gaps and signs, with history", () => {
    const memory = tensor([0, 1, 2, 3, 4, 5], { dtype: "float64" });
    const x = parameter(fromBuffer("float64", memory.buffer, layout([3], [-2]), 4), { cotangent: "layout" });
    const g = first(total(mul(x, mul(x, x))), x);
    expect(g.layout.toString()).toBe("(3):(-2)");
    expect(g.toArray()).toEqual([48, 12, 0]);
    expect(grad([total(g)], [x])[0]?.toArray()).toEqual([24, 12, 0]);
  });
});

describe("what is refused", () => {
  test("a strict leaf that repeats elements (VA-87)", () => {
    const x = parameter(tensor([1], { dtype: "float64" }).expand([3]), { cotangent: "layout" });
    expect(() => first(total(mul(x, x)), x)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_CREATE_GRAPH" }));
  });
  test("batched gradients", () => {
    const x = leaf([1]);
    const options = { batched: true, createGraph: true };
    expect(() => grad([mul(x, x)], [x], [zeros([1, 1])], options)).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_CREATE_GRAPH" }),
    );
  });
  test("a pass that throws returns all that it made", () => {
    const x = leaf([1, 2]);
    const strange = record(zeros([2], { dtype: "float64" }), { kind: "strange", inputs: [mul(x, x)] });
    const y = total(relu(mul(strange, strange)));
    const { live } = defaultPool().statistics();
    expect(() => first(y, x)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_RULE_MISSING" }));
    expect(defaultPool().statistics().live).toBe(live);
  });
});
