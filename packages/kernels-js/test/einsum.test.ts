import { arange, einsum, matmul, mul, setKernels, sum, type Tensor, tensor, views } from "@sw/tensor";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import { elements, expectClose, inEveryForm, vectorsOf } from "./image-vectors.js";
import vectors from "./vectors/matmul.json" with { type: "json" };

beforeAll(() => setKernels(jsKernels));

describe("matmul of every float dtype", () => {
  it("numeric vectors, in every form", () => {
    const cases = { cases: vectors.cases.filter((c) => "in" in c) };
    for (const { in: given, out } of vectorsOf<undefined>(cases, "matmul")) {
      inEveryForm((load) => expectClose(matmul(load(given["a"]!), load(given["b"]!)), out));
    }
  });

  it("field case 15: a batch broadcasts over the product of matrices", () => {
    const a = arange(1, 9).reshape([2, 2, 2]);
    const b = tensor([
      [9, 10],
      [11, 12],
    ]);
    expect(sum(matmul(a, b)).item()).toBe(764);
    expect(einsum("n i k, k j -> n i j", a, b).toArray()).toEqual(matmul(a, b).toArray());
  });
});

describe("VA-47 einsum", () => {
  const a = arange(6).reshape([2, 3]);
  const b = arange(12).reshape([3, 4]);

  it("multiplies matrices, and puts the result's axes where the command has them, row-major", () => {
    expect(einsum("i k, k j -> i j", a, b).toArray()).toEqual(matmul(a, b).toArray());
    const turned = einsum("row in, in out -> out row", a, b);
    expect(turned.toArray()).toEqual(matmul(a, b).T.toArray());
    expect(String(turned.layout)).toBe("(4,2):(2,1)");
  });

  it("has inner products, batches, and several names in each place", () => {
    const v = tensor([1, 2, 3]);
    expect(einsum("i, i -> 1", v, v).toArray()).toEqual([14]);
    expect(einsum("i 1, i j -> j", v.unsqueeze(1), b).toArray()).toEqual(matmul(v, b).toArray());
    expect(einsum("i, i -> i", v, v).toArray()).toEqual([1, 4, 9]);
    const x = arange(24).reshape([2, 3, 4]);
    const all = sum(mul(x, x));
    expect(einsum("a b c, a b c -> 1", x, x).toArray()).toEqual([all.item()]);
    const scores = einsum("batch query feature, batch key feature -> batch query key", x, x);
    expect(scores.toArray()).toEqual(matmul(x, x.transpose(1, 2)).toArray());
  });

  it("takes a nested axis apart, and makes one", () => {
    const nested = views.rearrange(arange(12).reshape([2, 2, 3]), "a b k -> (a b) k");
    const out = einsum("(a b) k, k j -> a b j", nested, b);
    expect(out.toArray()).toEqual(einsum("a b k, k j -> a b j", arange(12).reshape([2, 2, 3]), b).toArray());
    const joined = einsum("i k, k j -> (i j)", a, b);
    expect(joined.shape).toEqual([8]);
    // The first of a group is the fastest.
    expect(elements(joined)).toEqual(elements(matmul(a, b).T));
  });

  it("law: a sum over the shared names of the product of all elements", () => {
    const extents = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(fc.record({ n: extents, i: extents, j: extents, k: extents, l: extents }), ({ n, i, j, k, l }) => {
        const made = (shape: number[]): Tensor => arange(shape.reduce((p, e) => p * e, 1)).reshape(shape);
        const x = made([k, n, i, l]);
        const y = made([l, j, k, n]);
        const out = einsum("k n i l, l j k n -> j n i", x, y);
        expect(out.shape).toEqual([j, n, i]);
        const wide = mul(x.permute([1, 2, 0, 3]).unsqueeze(0), y.permute([1, 3, 2, 0]).unsqueeze(2));
        expect(elements(out)).toEqual(elements(sum(wide, { axes: [3, 4] })));
      }),
      { numRuns: 40 },
    );
  });

  it('refuses "ik,kj->ij" with the spelling to use', () => {
    const refused = expect.objectContaining({ code: "SW_LAYOUT_COMMAND", name: "LayoutError" });
    expect(() => einsum("ik,kj->ij", a, b)).toThrow(refused);
    expect(() => einsum("ik,kj->ij", a, b)).toThrow(/^einsum: .* Write "i k, k j -> i j"\.$/);
    expect(() => einsum("ik, ik ->", a, b)).toThrow(/Write "i k, i k -> 1"/);
    // One name is a word: this reads as a product of vectors, and the operands are none.
    expect(() => einsum("ik,ik->ik", a, a)).toThrow(/Spaces separate names: write "i k, i k -> i k"\./);
    expect(() => einsum("i k -> k", a, b)).toThrow(refused);
    // Without a shared name it would be no product of matrices: mul broadcasts.
    expect(() => einsum("i k, j l -> i k j l", a, b)).toThrow(refused);
    expect(() => einsum("i k, k j -> i", a, b)).toThrow(refused);
  });

  it("refuses operands that do not fit the command or each other", () => {
    const mismatch = expect.objectContaining({ code: "SW_TENSOR_SHAPE_MISMATCH" });
    expect(() => einsum("i, i j -> j", a, b)).toThrow(mismatch);
    expect(() => einsum("i k, k j -> i j", a, a)).toThrow(mismatch);
    expect(() => einsum("i k, k j -> i j", a, a)).toThrow(/got 3 and 2 for "k"/);
    expect(() => einsum("b k, b k -> b", a, b)).toThrow(mismatch);
    const whole = tensor([[1]], { dtype: "int32" });
    expect(() => einsum("i k, k j -> i j", whole, whole)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }),
    );
    expect(() => einsum(3 as never, a, b)).toThrow(TypeError);
  });
});
