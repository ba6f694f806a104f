import { arange, pad, repeat, setKernels, tensor, tile, zeros } from "@sw/tensor";
import { defaultPool, withLeaf } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";

// Copies alone: no backend is needed.
beforeAll(() => setKernels());

const error = (code: string, fields: object = {}) => expect.objectContaining({ code, ...fields });

describe("pad", () => {
  const x = arange(1, 5).reshape([2, 2]);

  test("puts a tensor among zeros, or another value, whatever its layout", () => {
    const padding = [
      [1, 0],
      [0, 2],
    ] as const;
    expect(pad(x.T, padding).toArray()).toEqual([
      [0, 0, 0, 0],
      [1, 3, 0, 0],
      [2, 4, 0, 0],
    ]);
    expect(pad(x, padding, { value: -Infinity }).toArray()).toEqual([
      [-Infinity, -Infinity, -Infinity, -Infinity],
      [1, 2, -Infinity, -Infinity],
      [3, 4, -Infinity, -Infinity],
    ]);
    expect(pad(tensor([1n]), [[0, 1]], { value: 2n }).toArray()).toEqual([1n, 2n]);
    expect(pad(tensor([true]), [[1, 0]], { value: true }).toArray()).toEqual([true, true]);
    expect(
      pad(
        zeros([0, 2]),
        [
          [1, 0],
          [0, 1],
        ],
        { value: 7 },
      ).toArray(),
    ).toEqual([[7, 7, 7]]);
    expect(pad(tensor(3), []).toArray()).toBe(3);
    const whole = pad(x, [
      [0, 0],
      [0, 0],
    ]);
    expect(whole.toArray()).toEqual(x.toArray());
    expect(whole.buffer).not.toBe(x.buffer);
  });

  test("records the place among the padding, whose transpose is the gradient", () => {
    const leaf = withLeaf(tensor([1, 2]), "shape");
    const { node } = pad(leaf, [[2, 1]], { value: 9 });
    expect(node?.record).toMatchObject({ kind: "scatterInto", saved: [], selector: { start: 2 } });
    expect(String(node?.record?.selector?.layout)).toBe("(2):(1)");
    expect(String(node?.record?.domain)).toBe("(5):(1)");
  });

  test("refuses padding that is none, and a value that the dtype cannot hold", () => {
    for (const padding of [
      1,
      [1, 1],
      [[1], [1]],
      [
        [0.5, 0],
        [0, 0],
      ],
      [
        ["1", 0],
        [0, 0],
      ],
    ]) {
      expect(() => pad(x, padding as never)).toThrow(TypeError);
    }
    expect(() => pad(x, [[1, 1]])).toThrow(error("SW_TENSOR_SHAPE_MISMATCH", { given: 1, expected: 2 }));
    expect(() =>
      pad(x, [
        [0, 0],
        [1, -1],
      ]),
    ).toThrow(error("SW_TENSOR_SHAPE_INVALID", { axis: 1 }));
    expect(() =>
      pad(x, [
        [0, 2 ** 31],
        [0, 0],
      ]),
    ).toThrow(RangeError);
    expect(() => pad(tensor([1], { dtype: "uint8" }), [[1, 0]], { value: -1 })).toThrow(error("SW_TENSOR_VALUE"));
  });
});

describe("tile and repeat", () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);

  test("tile repeats the whole, repeat each element, as in NumPy", () => {
    expect(tile(x, [2, 2]).toArray()).toEqual([
      [1, 2, 1, 2],
      [3, 4, 3, 4],
      [1, 2, 1, 2],
      [3, 4, 3, 4],
    ]);
    expect(tile(x.T, [1, 2]).toArray()).toEqual([
      [1, 3, 1, 3],
      [2, 4, 2, 4],
    ]);
    expect(repeat(x, 2, 1).toArray()).toEqual([
      [1, 1, 2, 2],
      [3, 3, 4, 4],
    ]);
    expect(repeat(x.T, 2, -2).toArray()).toEqual([
      [1, 3],
      [1, 3],
      [2, 4],
      [2, 4],
    ]);
    expect(tile(tensor([5]), [3]).toArray()).toEqual([5, 5, 5]);
    expect(tile(x, [0, 3]).shape).toEqual([0, 6]);
    expect(repeat(x, 0, 0).shape).toEqual([0, 2]);
    expect(tile(tensor(4), []).toArray()).toBe(4);
  });

  test("the result has memory of its own, without elements that share a place", () => {
    for (const out of [tile(x, [1, 1]), tile(tensor([5]), [3]), repeat(tensor([5]), 3, 0), repeat(x, 1, 0)]) {
      expect(out.buffer).not.toBe(x.buffer);
      expect(() => out.fill(0)).not.toThrow();
    }
    expect(x.toArray()).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("a tensor of 8 axes has room, and what was made on the way is returned", () => {
    const deep = arange(4).reshape([2, 1, 1, 1, 1, 1, 1, 2]);
    const { live } = defaultPool().statistics();
    const out = tile(deep, [1, 1, 1, 2, 1, 1, 1, 2]);
    expect(out.shape).toEqual([2, 1, 1, 2, 1, 1, 1, 4]);
    expect([...out.data()]).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3]);
    repeat(x.T, 2, 0);
    expect(defaultPool().statistics().live).toBe(live + 2);
  });

  test("records views and their copy", () => {
    const leaf = withLeaf(tensor([1, 2]), "shape");
    expect(tile(leaf, [2]).node?.record?.kind).toBe("reshape");
    expect(tile(leaf, [2]).node?.record?.inputs[0]?.node?.record?.inputs[0]?.node?.record?.kind).toBe("expand");
  });

  test("refuse counts that are none", () => {
    expect(() => tile(x, 2 as never)).toThrow(TypeError);
    expect(() => tile(x, [2, 0.5])).toThrow(TypeError);
    expect(() => tile(x, [2])).toThrow(error("SW_TENSOR_SHAPE_MISMATCH"));
    expect(() => tile(x, [2, -1])).toThrow(error("SW_TENSOR_SHAPE_INVALID", { given: -1 }));
    expect(() => tile(x, [2 ** 20, 2 ** 20])).toThrow(error("SW_TENSOR_SHAPE_LIMIT"));
    expect(() => repeat(x, -1, 0)).toThrow(error("SW_TENSOR_SHAPE_INVALID"));
    expect(() => repeat(x, 1.5, 0)).toThrow(TypeError);
    expect(() => repeat(x, 2, 2)).toThrow(error("SW_TENSOR_AXIS"));
  });
});
