import {
  concat,
  crossEntropy,
  einsum,
  embedding,
  gather,
  indexAdd,
  indexSelect,
  mseLoss,
  nllLoss,
  oneHot,
  type Synchronous,
  scatter,
  scatterAdd,
  sort,
  type Tensor,
  tensor,
  topK,
  withKernels,
  zeros,
} from "@sw/tensor";
import { type Backend, defaultPool, nllLossBackward, OPERATIONS, withLeaf } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

// What indexed operations check and what their records keep. The kernels here compute nothing.

const nothing = (): void => {};
const idle: Backend = {
  name: "idle",
  seamVersion: 1,
  kernels: Object.fromEntries(Object.keys(OPERATIONS).map((kind) => [kind, nothing])),
};
const running = <T>(fn: Synchronous<T>): T => withKernels([idle], fn);
const error = (code: string, fields: object = {}) => expect.objectContaining({ code, ...fields });

const x = withLeaf(
  tensor([
    [1, 2],
    [3, 4],
    [5, 6],
  ]),
  "shape",
);
const index = tensor([[0, 0]], { dtype: "int64" });
const list = tensor([2, 0], { dtype: "int32" });
const narrow = tensor([2, 0], { dtype: "uint8" });
const saved = (t: Tensor) => t.node?.record?.saved.map((slot) => slot?.tensor);
/** A slot that holds this very tensor: comparing two by their elements walks the memory that they live in. */
const holding = (one: Tensor) => ({ tensor: expect.toSatisfy((held: Tensor) => held === one) });
const live = (): number => defaultPool().statistics().live;

describe("OneModel section 8: the saved slots of indexed operations", () => {
  test("keep the indices, and name what elements are put into first", () => {
    running(() => {
      const source = withLeaf(tensor([[9, 9]]), "shape");
      for (const out of [gather(x, index, 0), indexSelect(x, list, 1)])
        expect(out.node?.record?.inputs).toHaveLength(2);
      expect(saved(gather(x, index, 0))).toEqual([index]);
      expect(gather(x, index, -2).node?.record).toMatchObject({ kind: "gather", ints: [0] });
      for (const of of [scatter, scatterAdd]) {
        const { node } = of(x, index, source, 0);
        expect(node?.record).toMatchObject({ kind: of.name, ints: [0], saved: [holding(index)] });
        // What they are put into has the cotangent of the sum, whatever the indices; what is replaced is known by them.
        expect(saved(of(x, index, zeros([1, 2]), 0))).toEqual([of === scatter ? index : undefined]);
        expect(node?.record?.inputs.map((edge) => edge.node)).toEqual([x.node, undefined, source.node]);
        expect(of(zeros([3, 2]), index, source, 0).node).toBeDefined();
        expect(of(zeros([3, 2]), index, zeros([1, 2]), 0).node).toBeUndefined();
      }
      expect(saved(indexSelect(x, list, 0))).toEqual([list]);
      const added = indexAdd(x, list, withLeaf(zeros([2, 2]), "shape"), 0);
      expect(added.node?.record).toMatchObject({ kind: "indexAdd", ints: [0], saved: [holding(list)] });
      const before = live();
      const summed = indexAdd(x, narrow, zeros([2, 2]), 0);
      expect(summed.node?.record).toMatchObject({ saved: [undefined], owned: [] });
      expect(live()).toBe(before + 2);
    });
  });

  test("an embedding keeps its ids, and the number of the row that is skipped", () => {
    running(() => {
      const found = embedding(x, list, { skipId: 2 });
      expect(found.node?.record).toMatchObject({ kind: "embedding", ints: [2], saved: [holding(list)] });
      expect(found.node?.record?.inputs[0]?.shape).toEqual([3, 2]);
      expect(embedding(x, list).node?.record?.ints).toEqual([-1]);
    });
  });

  test("indices that were cast are owned by the record that saves them, and returned without one", () => {
    running(() => {
      const before = live();
      const out = indexSelect(x, narrow, 0);
      const [copy] = saved(out) ?? [];
      expect(copy?.dtype).toBe("int32");
      expect(out.node?.record?.owned).toEqual([copy]);
      expect(live()).toBe(before + 2);
      indexSelect(zeros([3, 2]), narrow, 0);
      expect(live()).toBe(before + 4);
      expect(saved(embedding(x, tensor([1], { dtype: "uint32" })))?.[0]?.dtype).toBe("int64");
    });
  });

  test("sort owns the positions that its gather saves, and topK hands them out", () => {
    running(() => {
      const sorted = sort(x, 0);
      expect(sorted.node?.record).toMatchObject({ kind: "gather", ints: [0] });
      expect(sorted.node?.record?.owned).toEqual(saved(sorted));
      const before = live();
      sort(zeros([2]), 0);
      expect(live()).toBe(before + 2);
      const { values, indices } = topK(x, 1, 1);
      expect(saved(values)).toEqual([indices]);
      expect(values.node?.record?.owned).toEqual([]);
    });
  });

  test("losses keep their targets, the reduction and the ignored class", () => {
    running(() => {
      const target = tensor([0, 1, 0], { dtype: "int32" });
      const loss = nllLoss(x, target, { reduction: "none", ignoredClass: -100 });
      expect(loss.shape).toEqual([3]);
      expect(loss.node?.record).toMatchObject({ ints: [2, -100], saved: [holding(target)] });
      const cotangent = withLeaf(zeros([]), "shape");
      const back = nllLossBackward(cotangent, target, 2, { reduction: "sum" });
      expect(back.shape).toEqual([3, 2]);
      expect(back.node?.record).toMatchObject({ ints: [2, 1], saved: [holding(target)] });
      const entropy = crossEntropy(x, target);
      expect(entropy.node?.record?.kind).toBe("nllLoss");
      expect(entropy.node?.record?.inputs[0]?.node?.record?.kind).toBe("logSoftmax");
      const before = live();
      crossEntropy(zeros([3, 2]), target);
      expect(live()).toBe(before + 2);
    });
  });
});

describe("wrong operands of indexed operations", () => {
  test("are refused with what was expected, and return what was made", () => {
    running(() => {
      const before = live();
      const three = zeros([3, 2]);
      const float = zeros([1, 2]);
      for (const call of [
        () => gather(three, float, 0),
        () => indexSelect(three, float, 0),
        () => embedding(three, float),
        () => oneHot(float, 2),
        () => nllLoss(three, zeros([3])),
        () => scatterAdd(zeros([3, 2], { dtype: "bool" }), index, zeros([1, 2], { dtype: "bool" }), 0),
      ]) {
        expect(call).toThrow(error("SW_TENSOR_DTYPE_REFUSED"));
      }
      for (const call of [
        () => gather(three, list, 0),
        () => gather(three, index, 1),
        () => scatter(three, index, three, 0),
        () => scatterAdd(three, index, zeros([2]), 0),
        () => indexAdd(three, list, three, 0),
        () => embedding(tensor(1), list),
        () => nllLoss(three, list),
        () => nllLoss(zeros([3]), list),
        () => mseLoss(three, zeros([3, 1])),
        () => nllLossBackward(zeros([2]), list, 3),
        () => nllLossBackward(zeros([]), list, 3, { reduction: "none" }),
      ]) {
        expect(call).toThrow(error("SW_TENSOR_SHAPE_MISMATCH"));
      }
      expect(() => scatter(three, index, zeros([1, 2], { dtype: "float64" }) as never, 0)).toThrow(
        error("SW_TENSOR_DTYPE_MISMATCH"),
      );
      expect(() => gather(three, index, 2)).toThrow(error("SW_TENSOR_AXIS"));
      expect(() => gather(tensor(1), index, 0)).toThrow(error("SW_TENSOR_AXIS"));
      expect(() => oneHot(list, -1)).toThrow(error("SW_TENSOR_SHAPE_INVALID"));
      expect(() => oneHot(list, 1.5)).toThrow(TypeError);
      expect(() => topK(three, 4, 0)).toThrow(error("SW_TENSOR_SHAPE_INVALID"));
      expect(() => sort(zeros([2], { dtype: "bool" }), 0)).toThrow(/^sort: not for this dtype/);
      expect(live()).toBeLessThan(before + 20);
    });
  });

  test("options that are none", () => {
    running(() => {
      const target = tensor([0, 1, 0], { dtype: "int32" });
      const option = error("SW_TENSOR_OPTION");
      expect(() => nllLoss(x, target, { reduction: "average" as never })).toThrow(option);
      expect(() => nllLoss(x, target, { ignoredClass: 0.5 })).toThrow(option);
      expect(() => nllLoss(x, target, { ignoredClass: "0" as never })).toThrow(TypeError);
      expect(() => crossEntropy(x, target, "mean" as never)).toThrow(TypeError);
      expect(() => mseLoss(x, x, { reduction: "max" as never })).toThrow(option);
      for (const skipId of [-1, 3, 0.5]) expect(() => embedding(x, list, { skipId })).toThrow(option);
      expect(() => embedding(x, list, { skipId: null as never })).toThrow(TypeError);
      expect(() => nllLoss(zeros([0, 2]), zeros([0], { dtype: "int32" }))).toThrow(error("SW_TENSOR_SHAPE_INVALID"));
      expect(nllLoss(zeros([0, 2]), zeros([0], { dtype: "int32" }), { reduction: "sum" }).shape).toEqual([]);
      expect(() => concat([], 0)).toThrow(RangeError);
    });
  });

  test("a kernel that refuses leaves no memory behind", () => {
    const refusing: Backend["kernels"] = Object.fromEntries(
      ["gather", "scatter", "indexSelect", "indexAdd", "nllLoss", "argsort", "topK", "matmul"].map((kind) => [
        kind,
        () => {
          throw new RangeError("an index");
        },
      ]),
    );
    withKernels([{ name: "refusing", seamVersion: 1, kernels: { ...idle.kernels, ...refusing } }], () => {
      const target = tensor([0, 1, 0], { dtype: "uint8" });
      const two = zeros([2, 2]);
      const cube = zeros([2, 2, 2]);
      const before = live();
      for (const call of [
        () => gather(x, index, 0),
        () => scatter(x, index, zeros([1, 2]), 0),
        () => indexSelect(x, narrow, 0),
        () => indexAdd(x, narrow, two, 0),
        () => embedding(x, narrow),
        () => oneHot(narrow, 3),
        () => nllLoss(x, target),
        () => crossEntropy(x, target),
        () => sort(x, 0),
        () => einsum("a k b, k j -> a b j", cube, two),
      ]) {
        expect(call).toThrow("an index");
      }
      // The source of scatter is the only thing that stays.
      expect(live()).toBe(before + 1);
    });
  });
});
