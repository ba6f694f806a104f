import { readFileSync } from "node:fs";
import { backward, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  type AffineOptions,
  add,
  attention,
  avgPool2d,
  batchNorm,
  batchNormTraining,
  type ClassLossOptions,
  type Conv2dOptions,
  cast,
  concat,
  conv2d,
  crossEntropy,
  type DType,
  div,
  embedding,
  exp,
  gelu,
  geluTanh,
  layerNorm,
  log,
  logSoftmax,
  matmul,
  maxPool2d,
  mean,
  mul,
  neg,
  nllLoss,
  type ReduceOptions,
  relu,
  setKernels,
  sigmoid,
  softmax,
  sqrt,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
} from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";

type Number = number | "NaN" | "Infinity" | "-Infinity";
interface Flat {
  readonly s: number[];
  readonly d: Number[];
}
type Pair = readonly [number, number];
interface Windows {
  readonly kernel?: Pair;
  readonly stride?: Pair;
  readonly pad?: Pair;
  readonly dilation?: Pair;
  readonly groups?: number;
  readonly count_include_pad?: boolean;
}
interface Case {
  readonly op: string;
  readonly attrs?: Windows & {
    readonly normalized_shape?: number[];
    readonly eps?: number;
    readonly training?: boolean;
    readonly axes?: number[] | "all";
    readonly keepdims?: boolean;
    readonly axis?: number;
    readonly reduction?: "mean" | "sum" | "none";
    readonly ignore_index?: number;
  };
  readonly in?: { readonly [name: string]: Flat };
  readonly out: Flat;
  readonly g?: Flat;
  readonly running?: { readonly mean_in: Flat; readonly var_in: Flat };
  readonly grads?: { readonly [name: string]: Flat };
  readonly shapes?: [number[], number[]];
  readonly note?: string;
}

function read(name: string): Case[] {
  return (JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), "utf8")) as { cases: Case[] })
    .cases;
}

function make(flat: Flat, dtype: "float64" | "float32"): Tensor {
  return tensor(flat.d.map(globalThis.Number), { shape: flat.s, dtype });
}

/** Compares with a float64 result of 15 digits: to 1e-13 in float64, to a few units of float32 there. */
function close(given: Tensor, expected: Flat, dtype: "float64" | "float32"): void {
  expect(given.shape).toEqual(expected.s);
  const relative = dtype === "float64" ? 1e-13 : 2e-6;
  const scale = Math.max(
    1e-300,
    ...expected.d.map((x) => (Number.isFinite(globalThis.Number(x)) ? Math.abs(globalThis.Number(x)) : 0)),
  );
  [...(given.data() as Float64Array)].forEach((value, i) => {
    const want = globalThis.Number(expected.d[i]);
    if (Number.isNaN(want) || !Number.isFinite(want)) expect(value).toBe(want);
    else
      expect(Math.abs(value - want), `element ${i}: ${value} against ${want}`).toBeLessThanOrEqual(
        relative * Math.max(scale, 1),
      );
  });
}

function reduction(c: Case): ReduceOptions {
  const { axes = "all", keepdims = false } = c.attrs ?? {};
  return axes === "all" ? { keepAxes: keepdims } : { axes, keepAxes: keepdims };
}

/** The weight and the bias of a case that has them. */
function affine(c: Case, weight: Tensor | undefined, bias: Tensor | undefined): AffineOptions {
  return { epsilon: c.attrs?.eps as number, ...(weight && { weight }), ...(bias && { bias }) };
}

function batchNormOf([x, weight, bias]: Tensor[], c: Case): Tensor {
  const { dtype } = x as Tensor;
  const options = affine(c, weight, bias);
  if (c.attrs?.training === true) return batchNormTraining(x as Tensor, options).output;
  const { mean_in, var_in } = c.running as { mean_in: Flat; var_in: Flat };
  const given = { mean: make(mean_in, dtype as "float64"), variance: make(var_in, dtype as "float64") };
  return batchNorm(x as Tensor, { ...options, ...given });
}

const OPERATIONS: { readonly [op: string]: (x: Tensor[], c: Case) => Tensor } = {
  add: ([a, b]) => add(a as Tensor, b as Tensor),
  sub: ([a, b]) => sub(a as Tensor, b as Tensor),
  mul: ([a, b]) => mul(a as Tensor, b as Tensor),
  div: ([a, b]) => div(a as Tensor, b as Tensor),
  neg: ([x]) => neg(x as Tensor),
  relu: ([x]) => relu(x as Tensor),
  exp: ([x]) => exp(x as Tensor),
  log: ([x]) => log(x as Tensor),
  sqrt: ([x]) => sqrt(x as Tensor),
  sigmoid: ([x]) => sigmoid(x as Tensor),
  tanh: ([x]) => tanh(x as Tensor),
  gelu_erf: ([x]) => gelu(x as Tensor),
  gelu_tanh: ([x]) => geluTanh(x as Tensor),
  matmul: ([a, b]) => matmul(a as Tensor, b as Tensor),
  sum: ([x], c) => sum(x as Tensor, reduction(c)) as Tensor,
  mean: ([x], c) => mean(x as Tensor, reduction(c)) as Tensor,
  softmax: ([x], c) => softmax(x as Tensor, c.attrs?.axis ?? 0),
  log_softmax: ([x], c) => logSoftmax(x as Tensor, c.attrs?.axis ?? 0),
  layer_norm: ([x, weight, bias], c) =>
    layerNorm(x as Tensor, c.attrs?.normalized_shape as number[], affine(c, weight, bias)),
  batch_norm: batchNormOf,
  conv2d: ([x, weight, bias], c) => {
    const { stride, pad, dilation, groups } = c.attrs as Required<Windows>;
    const options: Conv2dOptions<DType> = { stride, padding: pad, dilation, groups };
    return conv2d(x as Tensor, weight as Tensor, bias === undefined ? options : { ...options, bias });
  },
  avgpool2d: ([x], c) => {
    const { kernel, stride, pad, count_include_pad } = c.attrs as Required<Windows>;
    return avgPool2d(x as Tensor, { kernel, stride, padding: pad, countIncludePad: count_include_pad });
  },
  maxpool2d: ([x], c) => {
    const { kernel, stride, pad } = c.attrs as Required<Windows>;
    return maxPool2d(x as Tensor, { kernel, stride, padding: pad });
  },
  concat: (tensors, c) => concat(tensors, c.attrs?.axis as number),
  embedding: ([table, ids], c) => {
    const { skip_id: skipId } = c.attrs as { skip_id: number | null };
    return embedding(table as Tensor, cast(ids as Tensor, "int32"), skipId === null ? {} : { skipId });
  },
  attention: ([q, k, v, mask], c) => {
    const { causal, scale } = c.attrs as { causal: boolean; scale: number | null };
    const options = { causal, ...(scale !== null && { scale }), ...(mask && { mask }) };
    return attention(q as Tensor, k as Tensor, v as Tensor, options);
  },
  nll_loss: ([logp, target], c) => nllLoss(logp as Tensor, cast(target as Tensor, "int64"), lossOptions(c)),
  cross_entropy: ([x, target], c) => crossEntropy(x as Tensor, cast(target as Tensor, "int64"), lossOptions(c)),
};

function lossOptions({ attrs }: Case): ClassLossOptions {
  return { reduction: attrs?.reduction ?? "mean", ignoredClass: attrs?.ignore_index ?? -100 };
}

beforeAll(() => setKernels(jsKernels));

/** The files, how many of their cases compute something, and of those how many have gradients: none is passed over. */
const FILES = {
  binary: [86, 84],
  unary: [44, 41],
  matmul: [45, 45],
  reduce_softmax: [68, 66],
  norm: [43, 43],
  conv2d: [48, 48],
  maxpool2d: [54, 54],
  avgpool2d: [36, 36],
  nn: [81, 81],
};

for (const [file, counts] of Object.entries(FILES)) {
  const cases = read(file).filter((c) => c.in !== undefined);
  test(`numeric/${file}: no case is passed over`, () => {
    expect([cases.length, cases.filter((c) => c.grads !== undefined).length]).toEqual(counts);
  });
  for (const dtype of ["float64", "float32"] as const) {
    // Inputs of these cases are no float32 numbers, or their results leave its range.
    const usable = cases.filter(
      (c) => dtype === "float64" || (c.note !== "wide range" && !c.note?.endsWith("float64")),
    );
    describe(`numeric/${file} in ${dtype}: values and gradients`, () => {
      test.each(usable.map((c, i) => [i, c.op, c] as const))("case %i: %s", (_i, op, c) => {
        const names = Object.keys(c.in ?? {});
        const leaves = names.map((name) => {
          const isIndex = name === "target" || name === "ids";
          const made = make(c.in?.[name] as Flat, isIndex ? "float64" : dtype);
          return c.grads?.[name] === undefined ? made : parameter(made);
        });
        const out = (OPERATIONS[op] as (x: Tensor[], c: Case) => Tensor)(leaves, c);
        close(out, c.out, dtype);
        if (c.g === undefined || c.grads === undefined) return;
        backward(out, make(c.g, dtype));
        names.forEach((name, i) => {
          const expected = c.grads?.[name];
          if (expected !== undefined) close((leaves[i] as Tensor).grad as Tensor, expected, dtype);
        });
      });
    });
  }
}

test("numeric/matmul: shapes that do not fit are refused", () => {
  const refused = read("matmul").filter((c) => c.shapes !== undefined);
  expect(refused.length).toBeGreaterThan(0);
  for (const { shapes } of refused) {
    const [a, b] = (shapes as [number[], number[]]).map((s) =>
      make({ s, d: Array(s.reduce((p, e) => p * e, 1)).fill(0) }, "float64"),
    );
    expect(() => matmul(a as Tensor, b as Tensor)).toThrow(RangeError);
  }
});

type Step = [name: string, ...args: (number | number[])[]];
interface ViewCase {
  readonly x: Flat;
  readonly steps: Step[];
  readonly g: number[];
  readonly gx: number[];
  readonly shape: number[];
}

describe("numeric/strided_views: the gradient of the base", () => {
  const { cases } = JSON.parse(readFileSync(new URL("vectors/strided_views.json", import.meta.url), "utf8")) as {
    cases: ViewCase[];
  };
  test.each(cases.map((c, i) => [i, c] as const))("VA-102 case %i", (_i, c) => {
    const leaf = parameter(make(c.x, "float32"));
    const view = c.steps.reduce(
      (t, [name, ...args]) =>
        (t as unknown as { [method: string]: (...a: unknown[]) => Tensor })[name]?.(...args) as Tensor,
      leaf as Tensor,
    );
    backward(view, make({ s: c.shape, d: c.g }, "float32"));
    expect([...((leaf.grad as Tensor).data() as Float32Array)]).toEqual(c.gx);
    expect(leaf.grad?.shape).toEqual(leaf.shape);
  });
});
