import { concat, crossEntropy, embedding, mseLoss, nllLoss, setKernels, type Tensor, tensor } from "@sw/tensor";
import { nllLossBackward } from "@sw/tensor/seam";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels, KernelIndexError, KernelTargetError } from "../src/index.js";
import { elements, expectClose, inEveryForm, numbers, vectorsOf } from "./image-vectors.js";
import vectors from "./vectors/nn.json" with { type: "json" };

beforeAll(() => setKernels(jsKernels));

const INTEGERS = ["int32", "int64", "int16", "uint32", "int8"] as const;

interface Loss {
  readonly reduction: "mean" | "sum" | "none";
  readonly ignore_index?: number;
}

const optionsOf = ({ reduction, ignore_index }: Loss) =>
  ignore_index === undefined ? { reduction } : { reduction, ignoredClass: ignore_index };

describe("numeric vectors: nn", () => {
  it("nll_loss and its gradient: each reduction, with ignored targets, in every dtype and form", () => {
    const cases = vectorsOf<Loss>(vectors, "nll_loss");
    expect(cases).toHaveLength(25);
    for (const { in: given, attrs, out, g, grads } of cases) {
      const target = tensor(numbers(given["target"]!), { dtype: "int64" });
      const classes = given["logp"]!.s[1]!;
      inEveryForm((load) => {
        // Log-probabilities of the vectors are no 16-bit floats: there the loss is one of rounded ones.
        const loss = nllLoss(load(given["logp"]!), target, optionsOf(attrs));
        if (loss.dtype === "float64") expectClose(loss, out);
        else expect(loss.shape).toEqual(out.s);
        expectClose(nllLossBackward(load(g), target, classes, optionsOf(attrs)), grads["logp"]!);
      });
    }
  });

  it("cross_entropy, each reduction", () => {
    const cases = vectorsOf<Loss>(vectors, "cross_entropy");
    expect(cases).toHaveLength(7);
    for (const { in: given, attrs, out } of cases) {
      const x = tensor(numbers(given["x"]!), { shape: given["x"]!.s, dtype: "float64" });
      const loss = crossEntropy(x, tensor(numbers(given["target"]!), { dtype: "int32" }), optionsOf(attrs));
      expectClose(loss, out);
    }
  });

  it("concat, in every dtype and form", () => {
    for (const { in: given, attrs, out } of vectorsOf<{ readonly axis: number }>(vectors, "concat")) {
      inEveryForm((load) => expectClose(concat(Object.values(given).map(load), attrs.axis), out));
    }
  });

  it("embedding shows the row that is skipped too, in every dtype and form, by ids of any integer dtype", () => {
    const cases = vectorsOf<{ readonly skip_id: number | null }>(vectors, "embedding");
    expect(cases).toHaveLength(13);
    for (const { in: given, attrs, out } of cases) {
      const { s, d } = given["ids"]!;
      const options = attrs.skip_id === null ? {} : { skipId: attrs.skip_id };
      for (const dtype of INTEGERS) {
        const ids = tensor(d.map(Number), { shape: s, dtype });
        inEveryForm((load) => expectClose(embedding(load(given["table"]!), ids, options), out));
      }
    }
  });
});

describe("losses", () => {
  it("name the position and value of a class that there is not", () => {
    const x = tensor([
      [-1, -2],
      [-3, -4],
    ]);
    for (const [value, dtype] of [
      [2, "uint8"],
      [-1, "int64"],
      [2, "int32"],
    ] as const) {
      const target = tensor([1, value], { dtype });
      for (const loss of [nllLoss, crossEntropy]) {
        const call = () => loss(x, target, { ignoredClass: -100 });
        expect(call).toThrow(KernelTargetError);
        expect(call).toThrow(/^nllLoss: target 1 names no class: got (2|-1), expected an integer from 0 to 1\.$/);
      }
    }
    // An ignored class may be one that there is not, of any dtype of targets.
    expect(nllLoss(x, tensor([1, 255], { dtype: "uint8" }), { ignoredClass: 255 }).item()).toBe(2);
  });

  it("crossEntropy of equal logits is the logarithm of the number of classes, in 16 bits too", () => {
    for (const dtype of ["float32", "float16", "bfloat16"] as const) {
      const loss = crossEntropy(tensor([[3, 3, 3, 3]], { dtype }), tensor([2], { dtype: "int32" }));
      expect(Math.abs((loss.item() as number) - Math.log(4))).toBeLessThan(2 ** -8);
      expect(loss.dtype).toBe(dtype);
    }
  });

  it("mseLoss is the mean of squared differences, their sum, or each", () => {
    const [a, b] = [tensor([1, 5, -1]), tensor([2, 2, -1])];
    expect(mseLoss(a, b).item()).toBe(Math.fround(10 / 3));
    expect(mseLoss(a, b, { reduction: "sum" }).item()).toBe(10);
    expect(mseLoss(a, b, { reduction: "none" }).toArray()).toEqual([1, 9, 0]);
    const half: Tensor = tensor([1, 3], { dtype: "float16" });
    expect(elements(mseLoss(half, half, { reduction: "none" }))).toEqual([0, 0]);
  });

  it("embedding names the position and value of an id that there is not", () => {
    const call = () =>
      embedding(
        tensor([[1], [2]]),
        tensor(
          [
            [0, 1],
            [2, 0],
          ],
          { dtype: "int32" },
        ),
      );
    expect(call).toThrow(KernelIndexError);
    expect(call).toThrow("indexSelect: index 2 names no element: got 2, expected an integer from 0 to 1.");
  });
});
