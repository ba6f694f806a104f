import type { BufferPool } from "@sw/buffer";
import {
  adaptiveAvgPool2d,
  avgPool2d,
  maxPool2d,
  maxPool2dWithIndices,
  setKernels,
  withKernels,
  zeros,
} from "@sw/tensor";
import { adaptiveAvgPool2dBackward, avgPool2dBackward, withLeaf } from "@sw/tensor/seam";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Call, idleBackend } from "./idle-backend.js";

const calls: Call[] = [];
const KERNELS = ["maxPool2d", "avgPool2d", "avgPool2dBackward", "adaptiveAvgPool2d", "adaptiveAvgPool2dBackward"];

beforeAll(() => setKernels(idleBackend(KERNELS, calls)));
beforeEach(() => {
  calls.length = 0;
});

const image = zeros([2, 3, 5, 8]);
const pool = image.buffer.owner as BufferPool;

describe("what the kernels are handed", () => {
  test("the windows, `stride` being `kernel` where it is not said", () => {
    expect(maxPool2d(image, { kernel: [2, 3] }).shape).toEqual([2, 3, 2, 2]);
    expect(avgPool2d(image, { kernel: 3, stride: [1, 2], padding: [2, 0] }).shape).toEqual([2, 3, 7, 3]);
    expect(avgPool2d(image, { kernel: 3, countIncludePad: true }).shape).toEqual([2, 3, 1, 2]);
    expect(calls.map(({ ints }) => ints)).toEqual([
      [2, 3, 2, 3, 0, 0],
      [3, 3, 1, 2, 2, 0, 0],
      [3, 3, 3, 3, 0, 0, 1],
    ]);
  });
  test("OneModel section 8: without recording, nobody asks where the largest was", () => {
    maxPool2d(image, { kernel: 2 });
    maxPool2dWithIndices(image, { kernel: 2 });
    maxPool2d(withLeaf(zeros([1, 1, 2, 2]), "shape"), { kernel: 2 });
    expect(calls.map(({ outputs }) => outputs.length)).toEqual([1, 2, 2]);
  });
  test("the backward kernels: the same numbers, and an output of the image's shape", () => {
    const windows = { kernel: 3, stride: [1, 2], padding: [2, 0] } as const;
    expect(avgPool2dBackward(zeros([2, 3, 7, 3]), image.shape, windows).shape).toEqual(image.shape);
    expect(adaptiveAvgPool2dBackward(zeros([2, 3, 1, 4]), image.shape).shape).toEqual(image.shape);
    expect(calls.map(({ ints }) => ints)).toEqual([[3, 3, 1, 2, 2, 0, 0], []]);
  });
  test("adaptive: the extents say all", () => {
    expect(adaptiveAvgPool2d(image, 4).shape).toEqual([2, 3, 4, 4]);
    expect(adaptiveAvgPool2d(image, [1, 9]).shape).toEqual([2, 3, 1, 9]);
    expect(calls.map(({ ints }) => ints)).toEqual([[], []]);
  });
  test("nothing is called where there is nothing to write", () => {
    expect(maxPool2d(zeros([0, 3, 2, 2]), { kernel: 2 }).shape).toEqual([0, 3, 1, 1]);
    expect(calls).toEqual([]);
  });
});

describe("records", () => {
  const x = withLeaf(zeros([1, 1, 4, 4]), "shape");
  test("OneModel section 8: maxPool2d saves its int32 indices, which the record owns", () => {
    const output = maxPool2d(x, { kernel: 2 });
    const record = output.node?.record;
    expect(record).toMatchObject({ kind: "maxPool2d", ints: [2, 2, 2, 2, 0, 0] });
    const kept = record?.saved[0]?.tensor;
    expect(kept).toMatchObject({ dtype: "int32", shape: [1, 1, 2, 2] });
    expect(record?.owned).toEqual([kept]);
  });
  test("indices that a caller asked for are the caller's", () => {
    const { output, indices } = maxPool2dWithIndices(x, { kernel: 2 });
    expect(output.node?.record?.saved[0]?.tensor).toBe(indices);
    expect(output.node?.record?.owned).toEqual([]);
    expect(indices.node).toBeUndefined();
  });
  test("averages save nothing", () => {
    expect(avgPool2d(x, { kernel: 2 }).node?.record).toMatchObject({
      kind: "avgPool2d",
      saved: [],
      ints: [2, 2, 2, 2, 0, 0, 0],
    });
    expect(adaptiveAvgPool2d(x, 2).node?.record).toMatchObject({ kind: "adaptiveAvgPool2d", saved: [], ints: [] });
    const g = withLeaf(zeros([1, 1, 2, 2]), "shape");
    expect(avgPool2dBackward(g, x.shape, { kernel: 2 }).node?.record?.kind).toBe("avgPool2dBackward");
    expect(adaptiveAvgPool2dBackward(g, x.shape).node?.record?.kind).toBe("adaptiveAvgPool2dBackward");
  });
});

describe("what is refused, before anything is written", () => {
  const REFUSED: readonly (readonly [what: string, call: () => unknown, code: string, text: RegExp])[] = [
    [
      "three axes",
      () => maxPool2d(zeros([3, 5, 8]), { kernel: 2 }),
      "SW_TENSOR_SHAPE_MISMATCH",
      /maxPool2d: the image.*\[n,c,h,w\]/,
    ],
    [
      "padding that reaches the kernel",
      () => maxPool2d(image, { kernel: [2, 3], padding: 2 }),
      "SW_TENSOR_OPTION",
      /padding is out of range: got 2, expected an integer from 0 to 1/,
    ],
    ["a kernel of 0", () => avgPool2d(image, { kernel: [0, 1] }), "SW_TENSOR_OPTION", /the height of kernel/],
    ["a stride of 0", () => avgPool2d(image, { kernel: 1, stride: 0 }), "SW_TENSOR_OPTION", /stride/],
    [
      "a kernel larger than the image",
      () => maxPool2dWithIndices(image, { kernel: [6, 1] }),
      "SW_TENSOR_SHAPE_INVALID",
      /maxPool2dWithIndices: the kernel is larger.*got a kernel of 6 along an axis of 5 with padding 0, expected at most 5/,
    ],
    [
      "an image without pixels",
      () => maxPool2d(zeros([1, 1, 0, 4]), { kernel: 2, padding: 1 }),
      "SW_TENSOR_SHAPE_INVALID",
      /no pixel/,
    ],
    [
      "integers",
      () => maxPool2d(zeros([1, 1, 2, 2], { dtype: "int32" }), { kernel: 2 }),
      "SW_TENSOR_DTYPE_REFUSED",
      /maxPool2d/,
    ],
    ["an extent of 0", () => adaptiveAvgPool2d(image, 0), "SW_TENSOR_OPTION", /the extent is out of range: got 0/],
    ["adaptive without pixels", () => adaptiveAvgPool2d(zeros([1, 1, 4, 0]), 1), "SW_TENSOR_SHAPE_INVALID", /no pixel/],
    [
      "a cotangent of another shape",
      () => avgPool2dBackward(zeros([2, 3, 2, 3]), image.shape, { kernel: 2 }),
      "SW_TENSOR_SHAPE_MISMATCH",
      /got shape \[2,3,2,3\], expected \[2,3,2,4\]/,
    ],
    [
      "a cotangent of other channels",
      () => adaptiveAvgPool2dBackward(zeros([2, 2, 1, 1]), image.shape),
      "SW_TENSOR_SHAPE_MISMATCH",
      /expected \[2,3,1,1\]/,
    ],
    [
      "three extents",
      () => adaptiveAvgPool2dBackward(zeros([2, 3, 1, 1]), [3, 5, 8]),
      "SW_TENSOR_SHAPE_MISMATCH",
      /adaptiveAvgPool2dBackward/,
    ],
  ];
  test.each(REFUSED)("%s", (_, call, code, text) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(text) }));
    expect(calls).toEqual([]);
  });
  test("what is no tensor, no number or no options is a TypeError", () => {
    expect(() => maxPool2d(5 as never, { kernel: 2 })).toThrow(TypeError);
    expect(() => maxPool2d(image, {} as never)).toThrow(/maxPool2d: kernel is no integer: got undefined/);
    expect(() => maxPool2d(image, 2 as never)).toThrow(TypeError);
    expect(() => adaptiveAvgPool2d(image, [1] as never)).toThrow(/no pair: got a list of 1/);
  });
  test("a kernel that throws leaves no memory behind, that of the indices neither", () => {
    const failing = (): void => {
      throw new Error("no");
    };
    const { live } = pool.statistics();
    withKernels([{ name: "failing", seamVersion: 1, kernels: { maxPool2d: failing } }], () => {
      expect(() => maxPool2dWithIndices(image, { kernel: 2 })).toThrow("no");
    });
    expect(pool.statistics().live).toBe(live);
  });
});
