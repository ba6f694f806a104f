import { arange, concat, roll, setKernels, split, stack, type Tensor, tensor, zeros } from "@sw/tensor";
import { defaultPool, withLeaf } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

// Copies alone: no backend is needed.
beforeAll(() => setKernels());

const error = (code: string, fields: object = {}) => expect.objectContaining({ code, ...fields });

describe("concat", () => {
  test("puts tensors one after another along any axis, whatever their layouts", () => {
    const a = arange(4).reshape([2, 2]);
    const b = arange(6).reshape([3, 2]).T;
    expect(concat([a, b], 1).toArray()).toEqual([
      [0, 1, 0, 2, 4],
      [2, 3, 1, 3, 5],
    ]);
    expect(concat([a, b.T], 0).toArray()).toEqual([
      [0, 1],
      [2, 3],
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(concat([a, a.flip(0), a], -1).shape).toEqual([2, 6]);
    expect(concat([zeros([0]), tensor([1]), zeros([0])], 0).toArray()).toEqual([1]);
  });

  test("one tensor is copied", () => {
    const x = tensor([1, 2]);
    const out = concat([x], 0);
    expect(out.buffer).not.toBe(x.buffer);
    expect(out.buffer.version).toBe(1);
  });

  test("D14: tensors of several dtypes meet in their result type, and what was cast is returned", () => {
    const { live } = defaultPool().statistics();
    const out = concat<"int8" | "float32">([tensor([1], { dtype: "int8" }), tensor([0.5])], 0);
    expect(out.dtype).toBe("float32");
    expect(out.toArray()).toEqual([1, 0.5]);
    out.dispose();
    expect(defaultPool().statistics().live).toBe(live + 2);
  });

  test("records the tensors and the axis, and saves nothing", () => {
    const leaf = withLeaf(tensor([[1], [2]]), "shape");
    const { node } = concat([leaf, zeros([2, 3])], 1);
    expect(node?.record).toMatchObject({ kind: "concat", ints: [1], saved: [], owned: [] });
    expect(node?.record?.inputs.map((edge) => edge.node)).toEqual([leaf.node, undefined]);
    expect(node?.record?.inputs.map((edge) => edge.shape)).toEqual([
      [2, 1],
      [2, 3],
    ]);
  });

  test("refuses what is no list, an empty one, other shapes, and an axis that there is not", () => {
    expect(() => concat(tensor([1]) as never, 0)).toThrow(TypeError);
    expect(() => concat([1 as never], 0)).toThrow(TypeError);
    expect(() => concat([], 0)).toThrow(error("SW_TENSOR_SHAPE_INVALID"));
    expect(() => concat([zeros([2]), zeros([2, 1])], 0)).toThrow(error("SW_TENSOR_SHAPE_MISMATCH"));
    expect(() => concat([zeros([2, 1]), zeros([3, 2])], 1)).toThrow(
      error("SW_TENSOR_SHAPE_MISMATCH", { given: [3, 2] }),
    );
    expect(() => concat([tensor(1)], 0)).toThrow(error("SW_TENSOR_AXIS"));
    expect(() => concat([zeros([2])], 1)).toThrow(error("SW_TENSOR_AXIS"));
  });
});

describe("stack", () => {
  test("has a new axis where it is told to", () => {
    const [a, b] = [tensor([1, 2]), tensor([3, 4])];
    expect(stack([a, b], 0).toArray()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(stack([a, b], -1).toArray()).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(stack([tensor(1), tensor(2)], 0).toArray()).toEqual([1, 2]);
    expect(() => stack([a, zeros([3])], 0)).toThrow(error("SW_TENSOR_SHAPE_MISMATCH"));
    expect(() => stack([a, b], 2)).toThrow(error("SW_TENSOR_AXIS"));
    expect(() => stack([], 0)).toThrow(/^stack: no tensors/);
  });
});

describe("roll", () => {
  test("moves elements round, by any integer", () => {
    const x = arange(6).reshape([2, 3]);
    expect(roll(x, 1, 1).toArray()).toEqual([
      [2, 0, 1],
      [5, 3, 4],
    ]);
    expect(roll(x, -1, 0).toArray()).toEqual([
      [3, 4, 5],
      [0, 1, 2],
    ]);
    const same = roll(x, 0, 0);
    expect(same.toArray()).toEqual(x.toArray());
    expect(same.buffer).not.toBe(x.buffer);
    expect(roll(zeros([0]), 3, 0).shape).toEqual([0]);
    expect(() => roll(x, 0.5, 0)).toThrow(TypeError);
  });

  test("law: out[(i + shift) mod n] is x[i]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -30, max: 30 }), (n, shift) => {
        const out = roll(arange(n), shift, 0).toArray() as number[];
        for (let i = 0; i < n; i++) expect(out[(((i + shift) % n) + n) % n]).toBe(i);
      }),
    );
  });
});

describe("split", () => {
  test("cuts into equal parts, or into parts of given extents, which share memory", () => {
    const x = arange(6);
    const parts = split(x, 3, 0);
    expect(parts.map((part) => part.toArray())).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(parts.every((part) => part.buffer === x.buffer)).toBe(true);
    expect(split(x, [1, 0, 5], -1).map((part) => part.shape)).toEqual([[1], [0], [5]]);
    expect(split(zeros([0]), [], 0)).toEqual([]);
    expect(split(zeros([0]), 2, 0).map((part) => part.shape)).toEqual([[0], [0]]);
  });

  test("law: concat of the parts is the tensor", () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(lengths, (extents) => {
        const total = extents.reduce((sum, e) => sum + e, 0);
        const x = arange(2 * total).reshape([2, total]);
        expect(concat(split(x, extents, 1), 1).toArray()).toEqual(x.toArray());
      }),
    );
  });

  test("refuses parts that do not make up the axis", () => {
    const x: Tensor = zeros([2, 5]);
    for (const parts of [2, 0, -5, [2, 2], [6, -1], []]) {
      expect(() => split(x, parts, 1)).toThrow(error("SW_TENSOR_SHAPE_INVALID", { axis: 1, expected: 5 }));
    }
    for (const parts of [0.5, [1.5, 3.5], "2", undefined, [undefined]]) {
      expect(() => split(x, parts as never, 1)).toThrow(TypeError);
    }
    expect(() => split(x, 1, 2)).toThrow(error("SW_TENSOR_AXIS"));
  });
});
