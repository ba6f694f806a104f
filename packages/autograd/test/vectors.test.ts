import { readFileSync } from "node:fs";
import { backward, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  type ClassLossOptions,
  cast,
  crossEntropy,
  div,
  exp,
  log,
  logSoftmax,
  matmul,
  mean,
  mul,
  neg,
  nllLoss,
  type ReduceOptions,
  relu,
  setKernels,
  softmax,
  sub,
  sum,
  type Tensor,
  tensor,
} from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";

type Number = number | "NaN" | "Infinity" | "-Infinity";
interface Flat {
  readonly s: number[];
  readonly d: Number[];
}
interface Case {
  readonly op: string;
  readonly attrs?: {
    readonly axes?: number[] | "all";
    readonly keepdims?: boolean;
    readonly axis?: number;
    readonly reduction?: "mean" | "sum" | "none";
    readonly ignore_index?: number;
  };
  readonly in?: { readonly [name: string]: Flat };
  readonly out: Flat;
  readonly g?: Flat;
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

const OPERATIONS: { readonly [op: string]: (x: Tensor[], c: Case) => Tensor } = {
  add: ([a, b]) => add(a as Tensor, b as Tensor),
  sub: ([a, b]) => sub(a as Tensor, b as Tensor),
  mul: ([a, b]) => mul(a as Tensor, b as Tensor),
  div: ([a, b]) => div(a as Tensor, b as Tensor),
  neg: ([x]) => neg(x as Tensor),
  relu: ([x]) => relu(x as Tensor),
  exp: ([x]) => exp(x as Tensor),
  log: ([x]) => log(x as Tensor),
  matmul: ([a, b]) => matmul(a as Tensor, b as Tensor),
  sum: ([x], c) => sum(x as Tensor, reduction(c)) as Tensor,
  mean: ([x], c) => mean(x as Tensor, reduction(c)),
  softmax: ([x], c) => softmax(x as Tensor, c.attrs?.axis ?? 0),
  log_softmax: ([x], c) => logSoftmax(x as Tensor, c.attrs?.axis ?? 0),
  nll_loss: ([logp, target], c) => nllLoss(logp as Tensor, cast(target as Tensor, "int64"), lossOptions(c)),
  cross_entropy: ([x, target], c) => crossEntropy(x as Tensor, cast(target as Tensor, "int64"), lossOptions(c)),
};

function lossOptions({ attrs }: Case): ClassLossOptions {
  return { reduction: attrs?.reduction ?? "mean", ignoredClass: attrs?.ignore_index ?? -100 };
}

beforeAll(() => setKernels(jsKernels));

for (const file of ["binary", "unary", "matmul", "reduce_softmax", "nn"]) {
  const cases = read(file).filter((c) => c.in !== undefined && OPERATIONS[c.op] !== undefined);
  for (const dtype of ["float64", "float32"] as const) {
    // Inputs of "wide range" cases are no float32 numbers, and their results may leave its range.
    const usable = cases.filter((c) => dtype === "float64" || c.note === undefined);
    describe(`numeric/${file} in ${dtype}: values and gradients`, () => {
      test.each(usable.map((c, i) => [i, c.op, c] as const))("case %i: %s", (_i, op, c) => {
        const names = Object.keys(c.in ?? {});
        const leaves = names.map((name) => {
          const made = make(c.in?.[name] as Flat, name === "target" ? "float64" : dtype);
          return name === "target" ? made : parameter(made);
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
