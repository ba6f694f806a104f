import { readFileSync } from "node:fs";
import { type Tensor, tensor, zeros } from "@sw/tensor";
import { describe, expect, test } from "vitest";

type Step =
  | ["permute", number[]]
  | ["slice", number, number, number, number]
  | ["select", number, number]
  | ["flip", number]
  | ["unsqueeze", number]
  | ["squeeze", number]
  | ["expand", number[]];

interface ViewCase {
  readonly x: { readonly s: number[]; readonly d: number[] };
  readonly steps: Step[];
  readonly shape: number[];
  readonly strides: number[];
  readonly offset: number;
  readonly contiguous: boolean;
  readonly out: number[];
}

const { cases } = JSON.parse(readFileSync(new URL("vectors/strided_views.json", import.meta.url), "utf8")) as {
  cases: ViewCase[];
};

function apply(t: Tensor, step: Step): Tensor {
  switch (step[0]) {
    case "permute":
      return t.permute(step[1]);
    case "slice":
      return t.slice(step[1], step[2], step[3], step[4]);
    case "select":
      return t.select(step[1], step[2]);
    case "flip":
      return t.flip(step[1]);
    case "unsqueeze":
      return t.unsqueeze(step[1]);
    case "squeeze":
      return t.squeeze(step[1]);
    case "expand":
      return t.expand(step[1]);
  }
}

describe("OneModel section 4: chains of row-major views", () => {
  test.each(cases.map((c, i) => [i, c] as const))("VA-102 case %i", (_i, c) => {
    const base = tensor(Float32Array.from(c.x.d), { shape: c.x.s });
    const { version } = base.buffer;
    const view = c.steps.reduce(apply, base as Tensor);
    expect(view.shape).toEqual(c.shape);
    expect(view.strides).toEqual(c.strides);
    expect(view.offset).toBe(c.offset);
    expect(view.isContiguous).toBe(c.contiguous);
    expect([...(view.data() as Float32Array)]).toEqual(c.out);
    expect(view.buffer).toBe(base.buffer);
    expect(base.buffer.version).toBe(version);
  });
});

describe("wrong views", () => {
  const t = zeros([4, 6]);

  test("slice past the end names axis, end and extent", () => {
    expect(() => t.slice(1, 0, 9)).toThrow(
      expect.objectContaining({
        name: "LayoutError",
        code: "SW_LAYOUT_SLICE",
        message: expect.stringMatching(/^slice: .*9.*6/),
      }),
    );
  });
  test.each([
    ["a step of 0", () => t.slice(0, 0, 2, 0)],
    ["an end before the start", () => t.slice(0, 3, 1)],
    ["a negative start", () => t.slice(0, -1, 2)],
    ["an index past the end", () => t.select(0, 4)],
    ["an axis past the rank", () => t.flip(2)],
    ["squeezing an extent of 4", () => t.squeeze(0)],
    ["expanding 4 to 5", () => t.expand([5, 6])],
    ["expanding to fewer axes", () => t.expand([6])],
    ["an order that repeats an axis", () => t.permute([0, 0])],
    ["an order that misses an axis", () => t.permute([0])],
  ])("%s is refused with a RangeError", (_name, attempt) => {
    expect(attempt).toThrow(RangeError);
  });
  test.each([
    ["a fractional axis", () => t.flip(0.5)],
    ["a fractional start", () => t.slice(0, 0.5, 2)],
    ["a fractional index", () => t.select(0, Number.NaN)],
  ])("%s is refused with a TypeError", (_name, attempt) => {
    expect(attempt).toThrow(TypeError);
  });
  test("more than eight axes are refused", () => {
    expect(() => zeros([1, 1, 1, 1, 1, 1, 1, 1]).unsqueeze(0)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }),
    );
  });
  test("expanding beyond 2^31 - 1 elements is refused", () => {
    expect(() => zeros([1]).expand([2 ** 31 - 1])).not.toThrow();
    expect(() => zeros([1, 1]).expand([2 ** 16, 2 ** 16])).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }),
    );
  });
});

test("axes count from the end where they are negative", () => {
  const t = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  expect(t.transpose(-1, -2).toArray()).toEqual([
    [1, 4],
    [2, 5],
    [3, 6],
  ]);
  expect(t.flip(-1).toArray()).toEqual([
    [3, 2, 1],
    [6, 5, 4],
  ]);
  expect(t.T.strides).toEqual([1, 3]);
});

test("squeeze without an axis drops every extent of 1", () => {
  expect(zeros([1, 3, 1, 2]).squeeze().shape).toEqual([3, 2]);
});

test("a view writes through to its base", () => {
  const t = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  t.T.slice(0, 1, 3).set(9, 0, 1);
  expect(t.toArray()).toEqual([
    [1, 2, 3],
    [4, 9, 6],
  ]);
});
