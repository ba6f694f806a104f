import { attention, cast, matmul, setKernels, softmax, type Tensor, tensor, zeros } from "@sw/tensor";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import { elements, expectClose, inEveryForm, vectorsOf } from "./image-vectors.js";
import { expectSame } from "./operands.js";
import nn from "./vectors/nn.json" with { type: "json" };

const { NaN: nan, NEGATIVE_INFINITY: never, POSITIVE_INFINITY: inf } = Number;

beforeAll(() => setKernels(jsKernels));

it("numeric vectors: attention, in every dtype and of any strides", () => {
  for (const { in: given, out, attrs } of vectorsOf<{ causal: boolean; scale: number | null }>(nn, "attention")) {
    const exact = Object.values(given).every((t) =>
      t.d.every((x) => typeof x === "string" || Number.isInteger(x * 64)),
    );
    expect(exact).toBe(true);
    inEveryForm((load) => {
      const [q, k, v] = [load(given["q"]!), load(given["k"]!), load(given["v"]!)];
      const scale = attrs.scale === null ? {} : { scale: attrs.scale };
      const mask = given["mask"] === undefined ? {} : { mask: load(given["mask"]) };
      expectClose(attention(q, k, v, { causal: attrs.causal, ...scale, ...mask }), out);
    });
  }
});

describe("attention", () => {
  const wave = (shape: readonly number[], seed: number): Tensor<"float64"> => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    return tensor(
      Array.from({ length: size }, (_, i) => 2 * Math.sin(seed + i * 1.7)),
      { shape, dtype: "float64" },
    );
  };

  it("is softmax of the scores times the values", () => {
    const [q, k, v] = [wave([2, 3, 4], 1), wave([2, 5, 4], 2), wave([2, 5, 2], 3)];
    const composed = matmul(softmax(matmul(q, k.transpose(1, 2)), -1), v);
    const got = elements(attention(q, k, v, { scale: 1 }));
    elements(composed).forEach((value, i) => {
      expect(Math.abs(value - got[i]!)).toBeLessThan(1e-14);
    });
  });

  it("broadcasts batches, and a mask over them", () => {
    const [q, k, v] = [wave([3, 1, 2, 4], 1), wave([2, 5, 4], 2), wave([5, 3], 3)];
    const got = attention(q, k, v, { mask: zeros([5], { dtype: "float64" }) });
    expect(got.shape).toEqual([3, 2, 2, 3]);
    const part = attention(q.select(0, 2).select(0, 0), k.select(0, 1), v);
    expectSame(elements(got.select(0, 2).select(0, 1)), elements(part));
  });

  it("takes a mask of bool, where true keeps", () => {
    const [q, k, v] = [wave([2, 3], 1), wave([3, 3], 2), wave([3, 2], 3)];
    const added = tensor([0, never, 0, never, 0, 0], { shape: [2, 3], dtype: "float64" });
    const kept = tensor([true, false, true, false, true, true], { shape: [2, 3] });
    expectSame(elements(attention(q, k, v, { mask: kept })), elements(attention(q, k, v, { mask: added })));
  });

  it("reads nothing of what causal excludes", () => {
    const v = tensor([1, nan, inf], { shape: [3, 1] });
    const k = tensor([0, nan, 0], { shape: [3, 1] });
    expectSame(elements(attention(zeros([3, 1]), k, v, { causal: true })), [1, nan, nan]);
    expectSame(elements(attention(zeros([1, 1]), k, v, { causal: true })), [1]);
  });

  it("gives NaN to a query without keys, as softmax does", () => {
    const mask = tensor([never, never, 0, never], { shape: [2, 2] });
    expectSame(elements(attention(zeros([2, 1]), zeros([2, 1]), tensor([[1], [2]]), { mask })), [nan, 1]);
    expectSame(elements(attention(zeros([2, 1]), zeros([0, 1]), zeros([0, 2]))), [nan, nan, nan, nan]);
  });

  it("averages where vectors have no elements", () => {
    expect(elements(attention(zeros([1, 0]), zeros([2, 0]), tensor([[2], [4]])))).toEqual([3]);
  });

  it("does not overflow: the largest score is subtracted first", () => {
    const k = tensor([[1000], [999]]);
    const weight = 1 / (1 + Math.exp(-1));
    const got = elements(attention(tensor([[1]]), k, tensor([[1], [0]])))[0]!;
    expect(got).toBe(elements(cast(tensor([weight], { dtype: "float64" }), "float32"))[0]);
  });
});
