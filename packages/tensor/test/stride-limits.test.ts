import { type Layout, layout } from "@sw/layout";
import { fromBuffer, strided, type Tensor, views, zeros } from "@sw/tensor";
import { defaultPool, derive } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

// Strides that are never taken, those of extents 1 and of empty tensors, reach no memory: they have a limit of their
// own, so that 32 bits hold every stride (D4).

const STEP = 2 ** 40;
const over = (l: Layout): Tensor => fromBuffer("float32", zeros([16]).buffer, l);
/** Nothing in it, and long strides. */
const empty = (stride: number): Tensor => over(layout([0, 1000], [1, stride]));

describe("D4 a view whose stride does not fit in 32 bits is refused", () => {
  test.each<[name: string, operation: string, make: () => Tensor, call: (t: Tensor) => Tensor, stride: number]>([
    ["slice", "slice", () => zeros([4, 6]), (t) => t.slice(0, 0, 1, STEP), 6 * STEP],
    ["slice that takes nothing", "slice", () => zeros([4, 6]), (t) => t.slice(1, 2, 2, STEP), STEP],
    ["index", "index", () => zeros([4, 6]), (t) => t.index([{ stop: 1, step: STEP }]), 6 * STEP],
    ["index backwards", "index", () => zeros([4, 6]), (t) => t.index([{ stop: 2, step: -STEP }]), -6 * STEP],
    ["window", "window", () => zeros([6]), (t) => t.window({ shape: [1], strides: [STEP] }), STEP],
    [
      "window of a long run",
      "window",
      () => zeros([6]).slice(0, 0, 6, 3),
      (t) => t.window({ shape: [1], strides: [2 ** 30] }),
      3 * 2 ** 30,
    ],
    ["unsqueeze", "unsqueeze", () => empty(2 ** 30), (t) => t.unsqueeze(1), 1000 * 2 ** 30],
    ["unsqueeze backwards", "unsqueeze", () => empty(-(2 ** 30)), (t) => t.unsqueeze(-2), -1000 * 2 ** 30],
    [
      "derive",
      "test",
      () => zeros([6]),
      (t) => derive(t, { layout: layout([1], [2 ** 31]), start: 0 }, undefined, "test"),
      2 ** 31,
    ],
  ])("%s", (_name, operation, make, call, stride) => {
    const t = make();
    const before = [t.buffer.version, t.buffer.generation, defaultPool().statistics()];
    expect(() => call(t)).toThrow(
      expect.objectContaining({
        name: "TensorShapeError",
        code: "SW_TENSOR_SHAPE_LIMIT",
        given: stride,
        expected: 2 ** 31 - 1,
        message: expect.stringMatching(new RegExp(`^${operation}: .* got ${stride} `)),
      }),
    );
    expect([t.buffer.version, t.buffer.generation, defaultPool().statistics()]).toEqual(before);
  });

  test("the longest strides pass", () => {
    const longest = 2 ** 31 - 1;
    for (const stride of [longest, -longest]) {
      const t = zeros([2]).window({ shape: [1], strides: [stride] });
      expect(t.strides).toEqual([stride]);
      expect(t.flip(0).strides).toEqual([-stride]);
      expect(t.permute([0]).unsqueeze(0).strides).toEqual([stride, stride]);
      expect(t.index("None, ::1").strides).toEqual([0, stride]);
      expect(views.unsqueeze(t, 0).strides).toEqual([0, stride]);
      expect(strided(new Float32Array(1), { shape: [1], strides: [stride] }).strides).toEqual([stride]);
    }
  });
});
