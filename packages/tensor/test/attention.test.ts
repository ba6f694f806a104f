import { attention, setKernels, type Tensor, zeros } from "@sw/tensor";
import { withLeaf } from "@sw/tensor/seam";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Call, idleBackend } from "./idle-backend.js";

const calls: Call[] = [];

beforeAll(() => setKernels(idleBackend(["attention"], calls)));
beforeEach(() => {
  calls.length = 0;
});

const [q, k, v] = [zeros([2, 3, 4]), zeros([2, 5, 4]), zeros([2, 5, 6])];

describe("what the kernel is handed", () => {
  test("all operands over one batch, whether it is causal, and the scale", () => {
    expect(attention(q, k, v).shape).toEqual([2, 3, 6]);
    const mask = zeros([5], { dtype: "bool" });
    expect(attention(zeros([7, 1, 3, 4]), k, zeros([5, 6]), { mask, causal: true, scale: 2 }).shape).toEqual([
      7, 2, 3, 6,
    ]);
    expect(calls).toEqual([
      { kernel: "attention", outputs: [[2, 3, 6]], inputs: [q.shape, k.shape, v.shape], ints: [0], floats: [0.5] },
      {
        kernel: "attention",
        outputs: [[7, 2, 3, 6]],
        inputs: [
          [7, 2, 3, 4],
          [7, 2, 5, 4],
          [7, 2, 5, 6],
          [7, 2, 3, 5],
        ],
        ints: [1],
        floats: [2],
      },
    ]);
  });
  test("nothing is called where there is nothing to write", () => {
    expect(attention(zeros([0, 4]), zeros([5, 4]), zeros([5, 6])).shape).toEqual([0, 6]);
    expect(calls).toEqual([]);
  });
});

test("a record saves the operands as they were given, and the mask if there is one; values unless they alone take part", () => {
  const leaf = withLeaf(zeros([5, 6]), "shape");
  const mask = zeros([3, 5]);
  const slots = (t: Tensor) => t.node?.record?.saved.map((slot) => slot?.tensor);
  expect(slots(attention(q, k, leaf))).toEqual([q, k, undefined, undefined]);
  for (const [a, b] of [
    [withLeaf(zeros(q.shape), "shape"), k],
    [q, withLeaf(zeros(k.shape), "shape")],
  ] as const) {
    expect(slots(attention(a, b, leaf))).toEqual([a, b, leaf, undefined]);
  }
  const masked = attention(q, k, leaf, { mask, causal: true });
  expect(slots(masked)).toEqual([q, k, undefined, mask]);
  expect(masked.node?.record).toMatchObject({ kind: "attention", ints: [1], floats: [0.5] });
  expect(masked.node?.record?.inputs.map(({ shape }) => shape)).toEqual([q.shape, k.shape, [5, 6], [3, 5]]);
  // A mask can be learnt.
  const learnt = withLeaf(zeros([3, 5]), "shape");
  expect(slots(attention(q, k, v, { mask: learnt }))).toEqual([q, k, v, learnt]);
});

describe("what is refused, before anything is written", () => {
  test("what is no tensor, beside one of too few axes", () => {
    const vector = zeros([3]);
    expect(() => attention(vector, undefined as never, undefined as never)).toThrow(/^attention: .* got undefined/);
    expect(() => attention(vector, vector, 0 as never)).toThrow(/^attention: .* got 0/);
  });

  const REFUSED: readonly (readonly [what: string, call: () => unknown, code: string, text: RegExp])[] = [
    ["a vector", () => attention(zeros([4]), k, v), "SW_TENSOR_SHAPE_MISMATCH", /attention: the extents/],
    ["keys of another width", () => attention(q, zeros([2, 5, 3]), v), "SW_TENSOR_SHAPE_MISMATCH", /keys \[2,5,3\]/],
    ["more values than keys", () => attention(q, k, zeros([2, 6, 6])), "SW_TENSOR_SHAPE_MISMATCH", /values \[2,6,6\]/],
    ["batches that do not broadcast", () => attention(q, zeros([3, 5, 4]), v), "SW_LAYOUT_BROADCAST", /attention/],
    [
      "a mask that does not broadcast",
      () => attention(q, k, v, { mask: zeros([4, 5]) }),
      "SW_LAYOUT_EXPAND",
      /attention/,
    ],
    [
      "a mask of another dtype",
      () => attention(q, k, v, { mask: zeros([5], { dtype: "float64" }) as never }),
      "SW_TENSOR_DTYPE_MISMATCH",
      /attention/,
    ],
    [
      "dtypes that differ",
      () => attention(q, k, zeros([5, 6], { dtype: "float64" }) as never),
      "SW_TENSOR_DTYPE_MISMATCH",
      /attention/,
    ],
    [
      "integers",
      () => attention(zeros([1, 1], { dtype: "int32" }), k as never, v as never),
      "SW_TENSOR_DTYPE_REFUSED",
      /attention/,
    ],
  ];
  test.each(REFUSED)("%s", (_, call, code, text) => {
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(text) }));
    expect(calls).toEqual([]);
  });
  test("what is no tensor, no number or no options is a TypeError", () => {
    expect(() => attention(q, k, 5 as never)).toThrow(TypeError);
    expect(() => attention(q, k, v, { scale: "1" as never })).toThrow(/attention: scale is not a number/);
    expect(() => attention(q, k, v, { mask: [1] as never })).toThrow(TypeError);
    expect(() => attention(q, k, v, null as never)).toThrow(TypeError);
  });
});
