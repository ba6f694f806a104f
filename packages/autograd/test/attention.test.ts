import { backward, grad, noGrad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  type AttentionOptions,
  add,
  arange,
  attention,
  le,
  matmul,
  mul,
  randn,
  setKernels,
  softmax,
  sum,
  type Tensor,
  tensor,
  where,
  zeros,
} from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";
import { Counting } from "./counting.js";

// What the checks by differences are too small for: the rule goes through the queries by blocks of rows.

beforeAll(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
type Options = AttentionOptions<"float64">;
const normal = (shape: number[], seed: number): F64 => randn(shape, { seed, dtype: "float64" });
const values = (t: Tensor | undefined): Float64Array => (t as Tensor).contiguous().data() as Float64Array;

/** The definition, with all weights in memory. */
function byDefinition(q: F64, k: F64, v: F64, { mask, causal = false }: Options): F64 {
  let scores: F64 = mul(matmul(q, k.transpose(-2, -1)), 1 / Math.sqrt(q.shape.at(-1) as number));
  if (mask !== undefined) {
    scores = mask.dtype === "bool" ? (where(mask, scores, Number.NEGATIVE_INFINITY) as F64) : add(scores, mask as F64);
  }
  const [n, m] = scores.shape.slice(-2) as [number, number];
  if (causal) scores = where(le(arange(m), arange(n).unsqueeze(1)), scores, Number.NEGATIVE_INFINITY) as F64;
  return matmul(softmax(scores, -1), v);
}

/** Values of a form, and second derivatives too: those of the sum of the squares of the first. */
function derivatives(of: typeof byDefinition, inputs: readonly F64[], options: Options): readonly Float64Array[] {
  const leaves = inputs.map((x) => parameter(x));
  const [q, k, v, mask] = leaves as [F64, F64, F64, F64?];
  const out = of(q, k, v, mask === undefined ? options : { ...options, mask });
  const first = grad([out], leaves, [normal([...out.shape], 99)], { createGraph: true }) as F64[];
  const total = first.map((g) => sum(mul(g, g)) as F64).reduce((a, b) => add(a, b));
  return [...first, ...grad([total], leaves)].map(values);
}

function close(given: readonly Float64Array[], wanted: readonly Float64Array[]): void {
  given.forEach((list, i) => {
    const want = wanted[i] as Float64Array;
    const scale = want.reduce((largest, x) => Math.max(largest, Math.abs(x)), 1);
    const worst = list.reduce((largest, x, k) => Math.max(largest, Math.abs(x - (want[k] as number))), 0);
    expect(worst, `derivative ${i}`).toBeLessThanOrEqual(1e-12 * scale);
  });
}

describe("by blocks of rows, first and second derivatives are those of the definition", () => {
  const [n, m] = [200, 400];
  const three = (): F64[] => [normal([n, 3], 1), normal([m, 3], 2), normal([m, 2], 3)];
  test("plain", () => {
    close(derivatives(attention, three(), {}), derivatives(byDefinition, three(), {}));
  });
  test.each([
    ["more keys than queries", n, m],
    ["fewer", m, n],
  ])("in order, %s", (_name, queries, keys) => {
    const inputs = [normal([queries, 3], 1), normal([keys, 3], 2), normal([keys, 2], 3)];
    close(derivatives(attention, inputs, { causal: true }), derivatives(byDefinition, inputs, { causal: true }));
  });
  test.each([[[n, m]], [[m]], [[n, 1]], [[]]])("in order, with a mask of shape %j that takes part", (shape) => {
    const inputs = [...three(), normal(shape, 4)];
    close(derivatives(attention, inputs, { causal: true }), derivatives(byDefinition, inputs, { causal: true }));
  });
  test("with a mask that excludes", () => {
    const mask = le(arange(m), mul(arange(n), 2).unsqueeze(1));
    close(derivatives(attention, three(), { mask }), derivatives(byDefinition, three(), { mask }));
  });
  test("of so many batches that a block is one row", () => {
    const inputs = [normal([2, 2], 1), normal([9000, 8, 2], 2), normal([8, 1], 3)];
    close(derivatives(attention, inputs, {}), derivatives(byDefinition, inputs, {}));
  });
});

test("field case 15: what blocks of 16-bit operands give adds up in float32, and is rounded once", () => {
  // Of 2¹⁶ keys a block is one row of queries, which weighs each by 2⁻¹⁶. In bfloat16 256 + 1 is 256.
  const [rows, keys] = [11, 2 ** 16];
  const dtype = "bfloat16";
  const v = parameter(zeros([keys, 1], { dtype }));
  const out = attention(zeros([rows, 1], { dtype }), zeros([keys, 1], { dtype }), v);
  const cotangent = [256, ...Array.from({ length: rows - 1 }, () => 1)];
  backward(out, tensor(cotangent, { dtype, shape: [rows, 1] }));
  expect(v.grad?.dtype).toBe(dtype);
  expect([v.grad?.at(0, 0), v.grad?.at(keys - 1, 0)]).toEqual([266 * 2 ** -16, 266 * 2 ** -16]);
});

describe("memory", () => {
  /** What a pass over so many queries and keys may hold beyond what grows with one of the two: a dozen blocks. */
  const BLOCKS = 12 * 4 * 2 ** 16;
  test("a pass holds some rows of the weights, not all", () => {
    const memory = new Counting();
    memory.run(() => {
      const [n, e] = [2048, 4];
      const leaves = [1, 2, 3].map((seed) => parameter(randn([n, e], { seed })));
      const [q, k, v] = leaves as [Tensor, Tensor, Tensor];
      const out = attention(q, k, v, { causal: true });
      const g = randn([n, e], { seed: 4 });
      const before = memory.bytes;
      expect(memory.peakOf(() => backward(out, g))).toBeLessThan(BLOCKS + 12 * 4 * n * e);
      expect(BLOCKS).toBeLessThan((4 * n * n) / 5);
      expect(memory.bytes - before, "the gradients").toBe(3 * 4 * n * e);
    });
  });
  test("a pass that throws at any block returns all", () => {
    const memory = new Counting();
    memory.run(() => {
      const leaf = parameter(zeros([300, 2]));
      const out = attention(leaf, leaf, leaf, { causal: true });
      const g = zeros([300, 2]);
      const before = memory.bytes;
      const { allocate } = memory;
      for (const allowed of [0, 10, 20, 30, 40, 50]) {
        let left = allowed;
        memory.allocate = (...call) => {
          if (left === 0) throw new Error("full");
          left -= 1;
          return allocate.apply(memory, call);
        };
        expect(() => backward(out, g)).toThrow("full");
        expect(leaf.grad).toBeUndefined();
        expect(memory.bytes).toBe(before);
      }
    });
  });
});

describe("what is read", () => {
  const of = (...wanted: string[]) => {
    const [q, k, v] = ["q", "k", "v"].map((name, i) => {
      const x = normal([3, 2], i + 1);
      return wanted.includes(name) ? parameter(x) : x;
    }) as [F64, F64, F64];
    return { q, k, v, out: attention(q, k, v) };
  };
  test("field case 13: values are not, where they alone have a gradient", () => {
    const { v, out } = of("v");
    noGrad(() => v.fill(0));
    const g = normal([3, 2], 4);
    backward(out, g);
    expect(v.grad).toBeDefined();
  });
  test.each([
    ["q", "k"],
    ["k", "q"],
    ["q", "v"],
    ["v", "q"],
    ["v", "k"],
  ] as const)("field case 12: for %s, %s is: writing it in between is noticed", (wanted, written) => {
    const made = of(wanted);
    noGrad(() => made[written].fill(0));
    expect(() => backward(made.out, normal([3, 2], 4))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VERSION", operation: "attention" }),
    );
  });
});

describe("what is excluded", () => {
  const first = tensor([true, false]);
  const inf = Number.POSITIVE_INFINITY;
  test.each<[string, Options]>([
    ["by false", { mask: first }],
    ["by -Infinity", { mask: tensor([0, -inf], { dtype: "float64" }) }],
  ])("%s has no gradient, and changes none", (_name, options) => {
    const [q, k, v] = [normal([1, 2], 1), normal([2, 2], 2), normal([2, 2], 3)].map((x) => parameter(x)) as [
      F64,
      F64,
      F64,
    ];
    const out = attention(q, k, v, options);
    backward(out, normal([1, 2], 4));
    expect([...values(out)]).toEqual([...values(v)].slice(0, 2));
    expect([...values(q.grad)].map(Math.abs)).toEqual([0, 0]);
    expect([...values(k.grad)].map(Math.abs)).toEqual([0, 0, 0, 0]);
    expect([...values(v.grad)].slice(2)).toEqual([0, 0]);
  });
  test("a query without a key gives NaN, to all that it reaches", () => {
    const mask = tensor([[true], [false]]);
    const [q, k, v] = [normal([2, 1], 1), normal([2, 1], 2), normal([2, 1], 3)].map((x) => parameter(x)) as [
      F64,
      F64,
      F64,
    ];
    backward(attention(q, k, v, { mask }), normal([2, 1], 4));
    expect([...values(q.grad)].map(Number.isNaN)).toEqual([false, true]);
    expect([...values(v.grad)].map(Number.isNaN)).toEqual([true, true]);
  });
});
