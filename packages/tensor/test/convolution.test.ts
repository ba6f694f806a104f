import type { BufferPool } from "@sw/buffer";
import { conv1d, conv2d, convTranspose2d, type DType, setKernels, type Tensor, withKernels, zeros } from "@sw/tensor";
import { conv2dInputBackward, conv2dWeightBackward, withLeaf } from "@sw/tensor/seam";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Call, idleBackend } from "./idle-backend.js";

const calls: Call[] = [];
const KERNELS = ["conv2d", "conv2dInputBackward", "conv2dWeightBackward", "add"];

beforeAll(() => setKernels(idleBackend(KERNELS, calls)));
beforeEach(() => {
  calls.length = 0;
});

const image = zeros([2, 4, 7, 9]);
const weight = zeros([6, 2, 3, 2]);
const OPTIONS = { stride: [2, 3], padding: [1, 0], dilation: [1, 2], groups: 2 } as const;
const INTS = [3, 2, 2, 3, 1, 0, 1, 2, 2];

describe("what the kernels are handed", () => {
  test("conv2d: image, weights, a bias if there is one, and the numbers in the order of the spec", () => {
    expect(conv2d(image, weight, OPTIONS).shape).toEqual([2, 6, 4, 3]);
    conv2d(image, weight, { ...OPTIONS, bias: zeros([6]) });
    const call = {
      kernel: "conv2d",
      outputs: [[2, 6, 4, 3]],
      inputs: [image.shape, weight.shape],
      ints: INTS,
      floats: [],
    };
    expect(calls).toEqual([call, { ...call, inputs: [image.shape, weight.shape, [6]] }]);
  });
  test("the backward kernels: what conv2d was told", () => {
    const g = zeros([2, 6, 4, 3]);
    expect(conv2dInputBackward(g, weight, image.shape, OPTIONS).shape).toEqual(image.shape);
    expect(conv2dWeightBackward(g, image, weight.shape, OPTIONS).shape).toEqual(weight.shape);
    expect(calls.map(({ kernel, inputs, ints }) => ({ kernel, inputs, ints }))).toEqual([
      { kernel: "conv2dInputBackward", inputs: [g.shape, weight.shape], ints: INTS },
      { kernel: "conv2dWeightBackward", inputs: [g.shape, image.shape], ints: INTS },
    ]);
  });
  test("conv1d is a convolution of one row", () => {
    expect(conv1d(zeros([1, 2, 8]), zeros([3, 2, 3]), { stride: 2, padding: 1, dilation: 2 }).shape).toEqual([1, 3, 3]);
    expect(calls[0]).toMatchObject({
      inputs: [
        [1, 2, 1, 8],
        [3, 2, 1, 3],
      ],
      ints: [1, 3, 1, 2, 0, 1, 1, 2, 1],
    });
  });
  test("convTranspose2d is conv2dInputBackward, its result as large as it is told", () => {
    const x = zeros([2, 6, 4, 3]);
    expect(convTranspose2d(x, weight, OPTIONS).shape).toEqual([2, 4, 7, 9]);
    expect(convTranspose2d(x, weight, { ...OPTIONS, outputPadding: [1, 2] }).shape).toEqual([2, 4, 8, 11]);
    expect(calls.map(({ kernel }) => kernel)).toEqual(["conv2dInputBackward", "conv2dInputBackward"]);
  });
  test("nothing is called where there is nothing to write", () => {
    expect(conv2d(zeros([0, 4, 7, 9]), weight, { groups: 2 }).shape).toEqual([0, 6, 5, 8]);
    expect(conv2d(image, zeros([0, 4, 1, 1])).shape).toEqual([2, 0, 7, 9]);
    expect(calls).toEqual([]);
  });
});

describe("records", () => {
  const leaf = <D extends DType>(t: Tensor<D>): Tensor<D> => withLeaf(t.flip(0).flip(0), "shape");
  const slots = (t: Tensor): readonly (Tensor | undefined)[] | undefined =>
    t.node?.record?.saved.map((slot) => slot?.tensor);

  test("OneModel section 8: convolution saves image and weights, each if the other needs a gradient", () => {
    const [x, w, b] = [leaf(image), leaf(weight), leaf(zeros([6]))];
    expect(slots(conv2d(x, w, OPTIONS))).toEqual([x, w]);
    expect(slots(conv2d(x, weight, OPTIONS))).toEqual([undefined, weight]);
    expect(slots(conv2d(image, w, OPTIONS))).toEqual([image, undefined]);
    expect(slots(conv2d(image, weight, { ...OPTIONS, bias: b }))).toEqual([undefined, undefined]);
    expect(conv2d(image, weight, { ...OPTIONS, bias: b }).node?.record).toMatchObject({
      kind: "conv2d",
      ints: INTS,
      inputs: [{ shape: image.shape }, { shape: weight.shape }, { shape: [6], node: b.node }],
      owned: [],
    });
    expect(conv2d(image, weight, OPTIONS).node).toBeUndefined();
  });
  test("its cotangents save what they are products of, since they are differentiable", () => {
    const g = leaf(zeros([2, 6, 4, 3]));
    const [x, w] = [leaf(image), leaf(weight)];
    expect(slots(conv2dInputBackward(g, w, image.shape, OPTIONS))).toEqual([g, w]);
    expect(slots(conv2dWeightBackward(g, x, weight.shape, OPTIONS))).toEqual([g, x]);
    expect(slots(convTranspose2d(g, weight, OPTIONS))).toEqual([undefined, weight]);
  });
  test("composed operations record their parts", () => {
    const x = leaf(zeros([1, 2, 8]));
    expect(conv1d(x, zeros([3, 2, 3])).node?.record?.kind).toBe("reshape");
    const spread = convTranspose2d(leaf(zeros([2, 6, 4, 3])), weight, { ...OPTIONS, bias: zeros([4]) });
    expect(spread.node?.record?.kind).toBe("add");
    expect(spread.node?.record?.inputs[0]?.node?.record?.kind).toBe("conv2dInputBackward");
  });
});

describe("what is refused, before anything is written", () => {
  const float64 = zeros([6, 2, 3, 2], { dtype: "float64" });
  const integer = zeros([2, 4, 7, 9], { dtype: "int32" });
  const REFUSED: readonly (readonly [what: string, call: () => unknown, code: string, text: RegExp])[] = [
    [
      "an image of three axes",
      () => conv2d(zeros([4, 7, 9]), weight),
      "SW_TENSOR_SHAPE_MISMATCH",
      /conv2d: the image.*\[4,7,9\].*\[n,c,h,w\]/,
    ],
    ["weights of three axes", () => conv2d(image, zeros([6, 4, 3])), "SW_TENSOR_SHAPE_MISMATCH", /conv2d: the weight/],
    ["channels that differ", () => conv2d(image, weight), "SW_TENSOR_SHAPE_MISMATCH", /the channels do not fit/],
    [
      "outputs that are no groups",
      () => conv2d(image, zeros([5, 2, 1, 1]), { groups: 2 }),
      "SW_TENSOR_SHAPE_MISMATCH",
      /divisible/,
    ],
    [
      "a bias of another length",
      () => conv2d(image, weight, { groups: 2, bias: zeros([5]) }),
      "SW_TENSOR_SHAPE_MISMATCH",
      /the bias does not fit: got shape \[5\], expected \[6\]/,
    ],
    ["a kernel without taps", () => conv2d(image, zeros([6, 4, 0, 1])), "SW_TENSOR_SHAPE_INVALID", /no tap/],
    [
      "a kernel larger than the image",
      () => conv2d(image, weight, { groups: 2, dilation: 9 }),
      "SW_TENSOR_SHAPE_INVALID",
      /larger than the image/,
    ],
    ["dtypes that differ", () => conv2d(image, float64 as never, { groups: 2 }), "SW_TENSOR_DTYPE_MISMATCH", /conv2d/],
    ["integers", () => conv2d(integer, integer), "SW_TENSOR_DTYPE_REFUSED", /conv2d/],
    [
      "a stride of 0",
      () => conv2d(image, weight, { groups: 2, stride: [1, 0] }),
      "SW_TENSOR_OPTION",
      /the width of stride is out of range: got 0/,
    ],
    [
      "negative padding",
      () => conv2d(image, weight, { groups: 2, padding: -1 }),
      "SW_TENSOR_OPTION",
      /padding is out of range: got -1/,
    ],
    ["no groups", () => conv2d(image, weight, { groups: 0 }), "SW_TENSOR_OPTION", /groups is out of range: got 0/],
    [
      "a result beyond the limits",
      () => conv2d(image, weight, { groups: 2, padding: 50_000 }),
      "SW_TENSOR_SHAPE_LIMIT",
      /conv2d/,
    ],
    ["conv1d of an image", () => conv1d(image, weight), "SW_TENSOR_SHAPE_MISMATCH", /conv1d: the signal.*\[n,c,l\]/],
    [
      "conv1d, channels",
      () => conv1d(zeros([1, 2, 8]), zeros([3, 1, 3])),
      "SW_TENSOR_SHAPE_MISMATCH",
      /conv1d: the channels/,
    ],
    [
      "outputPadding that reaches the stride",
      () => convTranspose2d(zeros([1, 6, 1, 1]), weight, { stride: 2, outputPadding: 2 }),
      "SW_TENSOR_OPTION",
      /outputPadding is out of range: got 2, expected an integer from 0 to 1/,
    ],
    [
      "an image that padding eats up",
      () => convTranspose2d(zeros([1, 6, 1, 1]), weight, { padding: 2 }),
      "SW_TENSOR_SHAPE_INVALID",
      /nothing is left/,
    ],
    [
      "an image without pixels",
      () => convTranspose2d(zeros([1, 6, 0, 1]), weight),
      "SW_TENSOR_SHAPE_INVALID",
      /nothing is left/,
    ],
    [
      "a bias of convTranspose2d",
      () => convTranspose2d(zeros([1, 6, 1, 1]), weight, { bias: zeros([6]) }),
      "SW_TENSOR_SHAPE_MISMATCH",
      /the bias/,
    ],
    [
      "a cotangent of another shape",
      () => conv2dInputBackward(zeros([2, 6, 4, 4]), weight, image.shape, OPTIONS),
      "SW_TENSOR_SHAPE_MISMATCH",
      /does not fit: got shape \[2,6,4,4\], expected \[2,6,4,3\]/,
    ],
    [
      "three extents",
      () => conv2dInputBackward(zeros([2, 6, 4, 3]), weight, [4, 7, 9], OPTIONS),
      "SW_TENSOR_SHAPE_MISMATCH",
      /conv2dInputBackward/,
    ],
    [
      "weights of other channels",
      () => conv2dWeightBackward(zeros([2, 6, 4, 3]), image, [6, 3, 3, 2], OPTIONS),
      "SW_TENSOR_SHAPE_MISMATCH",
      /conv2dWeightBackward/,
    ],
  ];
  test.each(REFUSED)("%s", (_, call, code, text) => {
    const { live } = (image.buffer.owner as BufferPool).statistics();
    expect(call).toThrow(RangeError);
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(text) }));
    expect(calls).toEqual([]);
    expect((image.buffer.owner as BufferPool).statistics().live).toBeLessThanOrEqual(live + 4);
  });
  test("what is no tensor, no number or no options is a TypeError", () => {
    expect(() => conv2d(5 as never, weight)).toThrow(TypeError);
    expect(() => conv2d(image, weight, { bias: [1] as never })).toThrow(TypeError);
    expect(() => conv2d(image, weight, { stride: "2" as never })).toThrow(/conv2d: stride is no integer: got "2"/);
    expect(() => conv2d(image, weight, { stride: [1, 2, 3] as never })).toThrow(/stride is no pair: got a list of 3/);
    expect(() => conv2d(image, weight, { padding: 0.5 })).toThrow(TypeError);
    expect(() => conv2d(image, weight, null as never)).toThrow(TypeError);
    expect(() => conv2dInputBackward(image, weight, 5 as never)).toThrow(TypeError);
  });
  test("a kernel that throws leaves no memory behind", () => {
    const failing = (): void => {
      throw new Error("no");
    };
    const pool = image.buffer.owner as BufferPool;
    const { live } = pool.statistics();
    withKernels([{ name: "failing", seamVersion: 1, kernels: { conv2d: failing } }], () => {
      expect(() => conv2d(image, weight, OPTIONS)).toThrow("no");
    });
    expect(pool.statistics().live).toBe(live);
  });
});
