import {
  batchNorm,
  batchNormTraining,
  cast,
  groupNorm,
  layerNorm,
  rmsNorm,
  setKernels,
  type Tensor,
  tensor,
  zeros,
} from "@sw/tensor";
import { defaultPool, withLeaf } from "@sw/tensor/seam";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import norm from "./vectors/norm.json" with { type: "json" };

beforeAll(() => setKernels(jsKernels));

interface Dense {
  readonly s: readonly number[];
  readonly d: readonly (number | string)[];
}

type F = "float32" | "float64";

const load = (t: Dense | undefined, dtype: F): Tensor<F> | undefined =>
  t === undefined ? undefined : tensor(t.d.map(Number), { shape: t.s, dtype });

/** What there is of weight and bias. */
function affine(given: { readonly w?: Dense; readonly b?: Dense }, dtype: F) {
  const weight = load(given.w, dtype);
  const bias = load(given.b, dtype);
  return { ...(weight === undefined ? {} : { weight }), ...(bias === undefined ? {} : { bias }) };
}

/** The vectors carry 15 digits; results of float32 are rounded once. */
function expectClose(got: Tensor, expected: Dense, dtype: F): void {
  expect(got.shape).toEqual(expected.s);
  const values = (got.toArray() as number[]).flat(8);
  expected.d.map(Number).forEach((want, i) => {
    const limit = (dtype === "float32" ? 2 ** -23 : 1e-14) * Math.max(1, Math.abs(want));
    expect(Math.abs(values[i]! - want), `element ${i}: got ${values[i]}, expected ${want}`).toBeLessThanOrEqual(limit);
  });
}

describe("numeric vectors", () => {
  for (const dtype of ["float64", "float32"] as const) {
    it(`layerNorm in ${dtype}`, () => {
      const cases = norm.cases.filter(({ op }) => op === "layer_norm");
      expect(cases.length).toBe(23);
      for (const c of cases) {
        const { normalized_shape: shape, eps: epsilon } = c.attrs;
        const x = load(c.in.x, dtype)!;
        expectClose(layerNorm(x, shape!, { epsilon: epsilon!, ...affine(c.in, dtype) }), c.out, dtype);
        const gapped = tensor(0, { dtype })
          .expand([...x.shape, 2])
          .contiguous()
          .select(x.rank, 0);
        gapped.copyFrom(x);
        expectClose(layerNorm(gapped, shape!, { epsilon: epsilon!, ...affine(c.in, dtype) }), c.out, dtype);
      }
    });
    it(`batchNorm in training, in ${dtype}; the running statistics take the unbiased variance`, () => {
      const cases = norm.cases.filter(({ op, attrs }) => op === "batch_norm" && attrs.training);
      expect(cases.length).toBeGreaterThan(5);
      for (const c of cases) {
        const x = load(c.in.x, dtype)!;
        const { output, mean, variance } = batchNormTraining(x, { epsilon: c.attrs.eps, ...affine(c.in, dtype) });
        expectClose(output, c.out, dtype);
        const { mean_in, var_in, mean_out, var_out } = c.running!;
        const n = x.size / x.shape[1]!;
        const keep = 1 - c.attrs.momentum!;
        const step = (old: Dense, batch: Tensor, factor: number): Tensor =>
          tensor(
            old.d.map((value, i) => keep * Number(value) + (1 - keep) * factor * (batch.toArray() as number[])[i]!),
            { dtype },
          );
        expectClose(step(mean_in, mean, 1), mean_out, dtype);
        expectClose(step(var_in, variance, n / (n - 1)), var_out, dtype);
      }
    });
  }
});

const x = tensor(
  [
    [1, 2, 3, 6],
    [0, 0, 0, 0],
  ],
  { dtype: "float64" },
);

describe("layerNorm", () => {
  it("takes a bias alone, and a weight alone", () => {
    const ones = tensor([1, 1, 1, 1], { dtype: "float64" });
    const plain = layerNorm(x, [4]).toArray() as number[][];
    expect(layerNorm(x, [4], { bias: ones }).toArray()).toEqual(plain.map((row) => row.map((y) => y + 1)));
    expect(layerNorm(x, [4], { weight: ones }).toArray()).toEqual(plain.map((row) => row.map((y) => y + 0)));
  });
  it("of equal elements is the bias, and of a NaN or an infinity is NaN throughout", () => {
    expect(layerNorm(tensor([5, 5]), [2], { bias: tensor([1, 2]) }).toArray()).toEqual([1, 2]);
    expect(
      layerNorm(
        tensor([
          [1, NaN],
          [1, Infinity],
          [1, 1],
        ]),
        [2],
      ).toArray(),
    ).toEqual([
      [NaN, NaN],
      [NaN, NaN],
      [0, 0],
    ]);
  });
  it("of 16-bit floats is computed in float64 and rounded once (OneModel 10)", () => {
    const values = tensor([[0.5, 1.5, -2, 4]], { dtype: "float64" });
    for (const dtype of ["float16", "bfloat16"] as const) {
      const exact = cast(layerNorm(values, [4]), dtype);
      expect(layerNorm(cast(values, dtype), [4]).toArray()).toEqual(exact.toArray());
    }
  });
  it("of nothing is nothing", () => {
    expect(layerNorm(zeros([0, 3]), [3]).shape).toEqual([0, 3]);
    expect(layerNorm(zeros([3, 0]), [0]).shape).toEqual([3, 0]);
  });
  it("refuses shapes and dtypes that do not fit, and numbers that are none", () => {
    const of = (code: string) => expect.objectContaining({ code });
    for (const shape of [[], [3], [4, 2], [1, 2, 4]]) {
      expect(() => layerNorm(x, shape)).toThrow(of("SW_TENSOR_SHAPE_MISMATCH"));
    }
    expect(() => layerNorm(x, 4 as never)).toThrow(TypeError);
    expect(() => layerNorm(x, [4], { weight: zeros([2], { dtype: "float64" }) })).toThrow(
      "layerNorm: the weight does not fit: got shape [2], expected [4].",
    );
    expect(() => layerNorm(x, [4], { bias: zeros([4]) })).toThrow(of("SW_TENSOR_DTYPE_MISMATCH"));
    expect(() => layerNorm(tensor([1n]), [1])).toThrow(of("SW_TENSOR_DTYPE_REFUSED"));
    for (const epsilon of [-1, NaN, Infinity]) {
      expect(() => layerNorm(x, [4], { epsilon })).toThrow(of("SW_TENSOR_OPTION"));
    }
    expect(() => layerNorm(x, [4], { epsilon: "0" as never })).toThrow(TypeError);
  });
});

describe("rmsNorm", () => {
  it("scales the root of the mean square to 1", () => {
    const y = rmsNorm(tensor([3, -4], { dtype: "float64" }), [2], { epsilon: 0 });
    const root = Math.sqrt(12.5);
    expect(y.toArray()).toEqual([3 * (1 / root), -4 * (1 / root)]);
    expect(rmsNorm(x, [2, 4], { weight: zeros([2, 4], { dtype: "float64" }) }).shape).toEqual([2, 4]);
    expect(rmsNorm(tensor([1, Infinity]), [2]).toArray()).toEqual([0, NaN]);
  });
});

describe("batchNorm", () => {
  it("by statistics that are given (vectors), of float64 within 15 digits, of float32 within its five roundings", () => {
    for (const dtype of ["float64", "float32"] as const) {
      const cases = norm.cases.filter(({ op, attrs }) => op === "batch_norm" && !attrs.training);
      expect(cases.length).toBeGreaterThan(5);
      for (const c of cases) {
        const [mean, variance] = [load(c.running!.mean_in, dtype)!, load(c.running!.var_in, dtype)!];
        const options = { mean, variance, epsilon: c.attrs.eps, ...affine(c.in, dtype) };
        const got = batchNorm(load(c.in.x, dtype)!, options);
        expect(got.shape).toEqual(c.out.s);
        const values = (got.toArray() as number[]).flat(8);
        values.forEach((value, i) => {
          // Means and biases stay below 4, weights as well, deviations above 0.5: each rounding is of less than this.
          const size = 8 * (Math.abs(Number(c.in.x.d[i])) + 4) + 4;
          const limit = 6 * size * (dtype === "float32" ? 2 ** -24 : 2 ** -50);
          expect(Math.abs(value - Number(c.out.d[i]))).toBeLessThanOrEqual(limit);
        });
      }
    }
  });
  it("refuses statistics that are missing or do not fit", () => {
    const t = zeros([1, 2]);
    const [mean, variance] = [zeros([2]), zeros([2])];
    expect(() => batchNorm(t, { mean } as never)).toThrow(TypeError);
    expect(() => batchNorm(t, undefined as never)).toThrow(TypeError);
    expect(() => batchNorm(t, { mean, variance: zeros([3]) })).toThrow(
      "batchNorm: the variance does not fit: got shape [3], expected [2].",
    );
    expect(() => batchNorm(t, { mean: zeros([2], { dtype: "float64" }), variance })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_MISMATCH" }),
    );
  });
});

describe("batchNormTraining", () => {
  it("refuses what has no channels, and channels without elements", () => {
    expect(() => batchNormTraining(tensor([1]))).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH" }));
    expect(() => batchNormTraining(zeros([0, 2]))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID", shape: [0, 2] }),
    );
    expect(batchNormTraining(zeros([2, 0])).mean.shape).toEqual([0]);
  });
});

describe("groupNorm", () => {
  it("is layerNorm of each group of channels, then a weight and a bias of each channel", () => {
    const values = Array.from({ length: 2 * 4 * 3 }, (_, i) => Math.sin(i * 7));
    const t = tensor(values, { shape: [2, 4, 3], dtype: "float64" });
    const weight = tensor([1, 2, 3, 4], { dtype: "float64" });
    const bias = tensor([-1, 0, 1, 2], { dtype: "float64" });
    const parts = layerNorm(t.reshape([2, 2, 6]), [6])
      .reshape([2, 4, 3])
      .toArray() as number[][][];
    const expected = parts.map((one) => one.map((channel, c) => channel.map((y) => y * (c + 1) + (c - 1))));
    expect(groupNorm(t, 2, { weight, bias }).toArray()).toEqual(expected);
    expect(groupNorm(t.permute([2, 1, 0]).contiguous().permute([2, 1, 0]), 2, { weight, bias }).toArray()).toEqual(
      expected,
    );
    expect(groupNorm(t, 4).toArray()).toEqual(layerNorm(t, [3]).toArray());
  });
  it("refuses groups that do not divide the channels", () => {
    const t = zeros([1, 4]);
    for (const groups of [0, 3, -2]) {
      expect(() => groupNorm(t, groups)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OPTION", given: groups }));
    }
    expect(() => groupNorm(t, 1.5)).toThrow(TypeError);
    expect(() => groupNorm(tensor([1]), 1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH" }));
  });
});

describe("memory and records", () => {
  const weight = tensor([1, 2, 3, 4], { dtype: "float64" });
  const calls = {
    layerNorm: (t: Tensor, w: Tensor) => layerNorm(t, [4], { weight: w }),
    rmsNorm: (t: Tensor, w: Tensor) => rmsNorm(t, [4], { weight: w }),
    batchNorm: (t: Tensor, w: Tensor) => batchNormTraining(t, { weight: w }).output,
  };
  for (const [kind, call] of Object.entries(calls)) {
    it(`${kind} keeps what was normalised and the factors, and the weight only for the operand's gradient`, () => {
      const own = withLeaf(tensor([[1, 2, 3, 6]], { dtype: "float64" }), "shape");
      const { record } = call(own, weight).node!;
      expect(record).toMatchObject({ kind, floats: [1e-5] });
      expect(record!.inputs.length).toBe(kind === "rmsNorm" ? 2 : 3);
      expect(record!.owned.map((t) => t.shape)).toEqual([[1, 4], kind === "batchNorm" ? [4] : [1]]);
      expect(record!.saved.map((slot) => slot?.tensor)).toHaveLength(3);
      expect(record!.saved[0]!.tensor).toBe(record!.owned[0]);
      expect(record!.saved[1]!.tensor).toBe(record!.owned[1]);
      expect(record!.saved[2]!.tensor).toBe(weight);
      const ofWeight = call(
        tensor([[1, 2, 3, 6]], { dtype: "float64" }),
        withLeaf(cast(cast(weight, "float32"), "float64"), "shape"),
      );
      expect(ofWeight.node!.record!.saved[2]).toBeUndefined();
    });
  }
  it("nothing is left but the results, whatever is optional", () => {
    const bias = tensor([1, 1, 1, 1], { dtype: "float64" });
    const columns = x.T.contiguous().T;
    const { live } = defaultPool().statistics();
    for (const options of [{}, { weight }, { bias }, { weight, bias }]) {
      layerNorm(x, [4], options).dispose();
      layerNorm(x.flip(1), [4], options).dispose();
      for (const result of Object.values(batchNormTraining(x, options))) (result as Tensor).dispose();
      batchNorm(x, { mean: weight, variance: weight, ...options }).dispose();
      groupNorm(x, 2, options).dispose();
      layerNorm(columns, [2, 4]).dispose();
      groupNorm(columns, 2, options).dispose();
    }
    expect(defaultPool().statistics().live - live).toBe(0);
  });
});
