import { backward, detach, noGrad, parameter, Sgd } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  arange,
  concat,
  div,
  embedding,
  exp,
  gather,
  indexSelect,
  matmul,
  maximum,
  mean,
  minimum,
  mul,
  ones,
  pow,
  setKernels,
  sigmoid,
  sub,
  sum,
  type Tensor,
  tensor,
  where,
  withMutableData,
  zeros,
} from "@sw/tensor";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

beforeAll(() => setKernels(jsKernels));

const total = (t: Tensor): Tensor => sum(t) as Tensor;
const values = (t: Tensor | undefined): number[] => [...((t as Tensor).data() as Float32Array)];
const code = (wanted: string, fields: object = {}) => expect.objectContaining({ code: wanted, ...fields });

describe("field case 12: a saved value changed through any alias is noticed", () => {
  const writers: [string, (s: Tensor) => void][] = [
    ["(i) a detached alias", (s) => detach(s).fill(0)],
    ["(ii) a view", (s) => noGrad(() => s.slice(0, 1, 3).fill(0))],
    ["(ii) a view of a detached alias", (s) => detach(s).flip(0).fill(0)],
    ["(iii) a copy into it in a noGrad block", (s) => noGrad(() => s.copyFrom(zeros([3])))],
    [
      "(iv) an operation that writes its output there: a step of an optimiser",
      (s) => {
        const alias = parameter(detach(s));
        backward(alias, detach(s).contiguous());
        new Sgd({ alias }, { learningRate: 1 }).step();
        expect(values(s)).toEqual([0, 0, 0]);
      },
    ],
    [
      "(v) a writable array",
      (s) =>
        noGrad(() =>
          withMutableData(s as Tensor<"float32">, (elements) => {
            elements.fill(0);
          }),
        ),
    ],
  ];
  const setUp = (): { a: Tensor; s: Tensor } => {
    const a = parameter(tensor([1, 2, 3]));
    return { a, s: sigmoid(a) };
  };
  test.each(writers)("%s", (_name, write) => {
    const { a, s } = setUp();
    const loss = total(s);
    write(s);
    expect(() => backward(loss)).toThrow(
      code("SW_TENSOR_VERSION", {
        operation: "sigmoid",
        savedVersion: expect.any(Number),
        presentVersion: expect.any(Number),
        message: expect.stringContaining("sigmoid"),
      }),
    );
    expect(a.grad).toBeUndefined();
  });
  test("(v) data() is a copy: writing it changes nothing", () => {
    const a = parameter(tensor([1, 2, 3], { dtype: "float64" }));
    const s = sigmoid(a);
    s.data().fill(0);
    backward(total(s));
    [0.19661193, 0.10499359, 0.04517666].forEach((want, i) => {
      expect(Math.abs((values(a.grad)[i] as number) - want)).toBeLessThan(5e-9);
    });
  });
});

describe("field case 13: the alarm rings when it must and only then", () => {
  const leaf = (elements: number[]): Tensor => parameter(tensor(elements));

  test("row 1: a parameter that was moved after it was squared", () => {
    const w = leaf([3]);
    const y = mul(w, w);
    noGrad(() => w.copyFrom(add(w, 1)));
    expect(() => backward(y)).toThrow(code("SW_TENSOR_VERSION", { operation: "mul" }));
  });
  test("row 2: an exponential, which is its own derivative, doubled in place", () => {
    const e = exp(leaf([1, 2, 3]));
    expect(() => e.copyFrom(mul(e, 2))).toThrow(code("SW_TENSOR_RECORDING"));
    const loss = total(e);
    noGrad(() => e.copyFrom(mul(e, 2)));
    expect(() => backward(loss)).toThrow(code("SW_TENSOR_VERSION", { operation: "exp" }));
  });
  test("row 3: a sum doubled: in place it is refused at the write, else the gradient is 2; nothing of it was saved", () => {
    const x = leaf([1, 2, 3]);
    const y = add(x, 1);
    expect(() => y.copyFrom(mul(y, 2))).toThrow(code("SW_TENSOR_RECORDING"));
    backward(total(mul(y, 2)), undefined, { retainGraph: true });
    expect(values(x.grad)).toEqual([2, 2, 2]);
    noGrad(() => y.fill(0));
    backward(total(y));
    expect(values(x.grad)).toEqual([3, 3, 3]);
  });
  test("row 4: a view that was multiplied by a plain number may be written", () => {
    const x = leaf([1, 2, 3]);
    const v = x.slice(0, 0, 3);
    const loss = total(mul(v, 2));
    noGrad(() => v.copyFrom(add(v, 1)));
    backward(loss);
    expect(values(x.grad)).toEqual([2, 2, 2]);
  });
  test("row 5: an element replaced by the smaller of two, by a mask", () => {
    const [b, c] = [leaf([0, 0, 0]), leaf([0.5, 0.5, 0.5])];
    const bb = add(b, 1);
    backward(total(where(tensor([true, false, false]), minimum(bb, c), bb) as Tensor));
    expect([values(b.grad), values(c.grad)]).toEqual([
      [0, 1, 1],
      [1, 0, 0],
    ]);
  });
  test("row 6: a view of a result multiplied in place is refused at the write; joined it has its gradient", () => {
    const x = leaf([1, 2, 3]);
    const b = mul(x, 1);
    const v = b.slice(0, 1, 3);
    expect(() => v.copyFrom(mul(v, 10))).toThrow(code("SW_TENSOR_RECORDING"));
    const loss = total(concat([b.slice(0, 0, 1), mul(v, 10)], 0));
    expect(loss.item()).toBe(51);
    backward(loss);
    expect(values(x.grad)).toEqual([1, 10, 10]);
  });
  test("what picks elements keeps the indices alone: its source may be written, they may not", () => {
    const picks: ((x: Tensor, index: Tensor) => Tensor)[] = [
      (x, index) => gather(x, index, 0),
      (x, index) => indexSelect(x, index, 0),
      (x, index) => embedding(x, index),
    ];
    for (const pick of picks) {
      const x = leaf([1, 2, 3]);
      const index = tensor([2, 2], { dtype: "int32" });
      const [first, second] = [total(pick(x, index)), total(pick(x, index))];
      noGrad(() => x.fill(9));
      backward(first);
      expect(values(x.grad)).toEqual([0, 0, 2]);
      index.fill(0);
      expect(() => backward(second)).toThrow(code("SW_TENSOR_VERSION"));
    }
  });
});

describe("field case 14: backward through views that overlap, repeat or reverse", () => {
  const counted = (shape: readonly number[]): Tensor =>
    arange(1, 1 + shape.reduce((product, extent) => product * extent, 1)).reshape(shape);
  const rows = (x: Tensor): Tensor => x.window({ shape: [3, 3], strides: [1, 1] });
  const picked = tensor([0, 0, 2], { dtype: "int32" });
  test.each<[string, number, (x: Tensor) => Tensor, Tensor, number[]]>([
    ["5 elements seen as 3 × 3, ones", 5, rows, ones([3, 3]), [1, 2, 3, 2, 1]],
    ["5 elements seen as 3 × 3, 1 to 9", 5, rows, counted([3, 3]), [1, 6, 15, 14, 9]],
    [
      "all windows of 3 over 6",
      6,
      (x) => x.window({ shape: [4, 3], strides: [1, 1] }),
      ones([4, 3]),
      [1, 2, 3, 3, 2, 1],
    ],
    ["one element expanded", 1, (x) => x.expand([4]), counted([4]), [10]],
    ["3 elements reversed", 3, (x) => x.flip(0), counted([3]), [3, 2, 1]],
    ["3 elements gathered", 3, (x) => gather(x, picked, 0), tensor([1, 10, 100]), [11, 0, 100]],
    ["3 elements selected", 3, (x) => indexSelect(x, picked, 0), tensor([1, 10, 100]), [11, 0, 100]],
    ["3 elements looked up", 3, (x) => embedding(x, picked), tensor([1, 10, 100]), [11, 0, 100]],
  ])("%s", (_name, size, view, g, wanted) => {
    const base = parameter(zeros([size]));
    backward(view(base), g);
    expect(values(base.grad)).toEqual(wanted);
  });
});

describe("field case 15: gradients come back in the shape of the input", () => {
  test("batched matmul with a broadcast matrix", () => {
    const a = parameter(
      tensor([
        [
          [1, 2],
          [3, 4],
        ],
        [
          [5, 6],
          [7, 8],
        ],
      ]),
    );
    const b = parameter(
      tensor([
        [9, 10],
        [11, 12],
      ]),
    );
    backward(total(matmul(a, b)));
    expect(b.grad?.toArray()).toEqual([
      [16, 16],
      [20, 20],
    ]);
    expect(a.grad?.toArray()).toEqual([
      [
        [19, 23],
        [19, 23],
      ],
      [
        [19, 23],
        [19, 23],
      ],
    ]);
  });
  test("a broadcast row, squared", () => {
    const a = tensor([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10, 11, 12],
    ]);
    const r = parameter(tensor([[1, 2, 3, 4]]));
    const s = add(a, r);
    backward(total(mul(s, s)));
    expect(r.grad?.toArray()).toEqual([[36, 48, 60, 72]]);
  });
  test("a scalar tensor", () => {
    const v = parameter(tensor(3));
    backward(total(mul(tensor([1, 1]), v)));
    expect(v.grad?.item()).toBe(2);
    expect(v.grad?.shape).toEqual([]);
  });
  test("a mean that keeps its axis, times a column as matrices", () => {
    const t = parameter(
      tensor([
        [1, 1, 1],
        [1, 1, 1],
      ]),
    );
    const column = tensor([[10], [10], [10]]);
    backward(total(matmul(mean(t, { axes: 0, keepAxes: true }), column)));
    expect(t.grad?.toArray()).toEqual([
      [5, 5, 5],
      [5, 5, 5],
    ]);
  });
  test("the same, element by element: both broadcast", () => {
    const t = parameter(ones([2, 3]));
    backward(total(mul(mean(t, { axes: 0, keepAxes: true }), tensor([[10], [10], [10]]))));
    expect(t.grad?.toArray()).toEqual([
      [15, 15, 15],
      [15, 15, 15],
    ]);
  });
  test("a mean that drops its axis", () => {
    const x = parameter(tensor([1, 1, 1, 1, 1]));
    backward(mean(mul(x, x), { axes: 0 }));
    expect(values(x.grad).every((g) => Math.abs(g - 0.4) < 1e-7)).toBe(true);
  });
  const extents = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 });
  /** Two shapes that broadcast: of one, with axes dropped in front and others made 1. */
  const pairs = fc
    .tuple(extents, fc.nat(), fc.nat(), fc.nat({ max: 4 }), fc.nat({ max: 4 }))
    .map(([shape, p, q, i, j]) => {
      const part = (bits: number, dropped: number): number[] =>
        shape.map((extent, axis) => ((bits >> axis) & 1 ? 1 : extent)).slice(dropped);
      return [part(p, i), part(q, j)] as const;
    });
  test("law: whatever broadcasts, the gradient has the input's shape, and adds up what each element was used for", () => {
    const operations = {
      add,
      sub,
      mul,
      div,
      pow,
      minimum,
      maximum,
      where: (a: Tensor, b: Tensor) => where(tensor(true), a, b),
    };
    fc.assert(
      fc.property(pairs, fc.constantFrom(...Object.keys(operations)), ([p, q], name) => {
        const [a, b] = [parameter(add(zeros(p), 2)), parameter(add(zeros(q), 3))];
        const out = (operations[name as "add"] as typeof add)(a, b) as Tensor;
        backward(out, ones(out.shape));
        expect([a.grad?.shape, b.grad?.shape]).toEqual([p, q]);
        if (name !== "add") return;
        for (const { grad, size } of [a, b]) for (const g of values(grad)) expect(g).toBe(out.size / size);
      }),
    );
  });
  test("law: the batches of products too", () => {
    fc.assert(
      fc.property(pairs, ([p, q]) => {
        const [a, b] = [parameter(ones([...p, 2, 3])), parameter(ones([...q, 3, 1]))];
        const out = matmul(a, b);
        backward(out, ones(out.shape));
        expect([a.grad?.shape, b.grad?.shape]).toEqual([a.shape, b.shape]);
        for (const g of values(a.grad)) expect(g).toBe((out.size * 3) / a.size);
      }),
    );
  });
});
