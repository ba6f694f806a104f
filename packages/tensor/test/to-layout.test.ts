import { blocked, type Layout, layout, nhwc, rowMajor, strided, tiled } from "@sw/layout";
import { arange, tensor, zeros } from "@sw/tensor";
import { defaultPool, withLeaf, withRecording } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { padded, paddedBoxes, padding } from "./padded-tensors.js";

describe("toLayout", () => {
  test("the elements are the same in every layout, and holes and padding are zero", () => {
    fc.assert(
      fc.property(paddedBoxes, ({ box, l }) => {
        const t = padded(l, box, 1);
        const spread = strided(
          box,
          box.map((_, axis) => -3 * 7 ** axis),
        );
        const tile = box.map((extent) => extent + 1);
        const targets = [rowMajor(box), spread, l, tiled(box, { tile, outer: "rowMajor", inner: "rowMajor" })];
        for (const target of targets) {
          const out = t.toLayout(target);
          expect(out.data()).toEqual(t.data());
          expect([out.shape, String(out.layout)]).toEqual([t.shape, String(target)]);
          expect(padding(out).every((element) => element === 0)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a blocked copy has zero lanes past the channels, and is a tensor like any where they divide", () => {
    const x = arange(6, undefined).reshape([1, 3, 2, 1]);
    const lanes = x.toLayout(blocked(x.shape, 1, 2));
    expect(lanes.isPadded).toBe(true);
    expect([...lanes.buffer.view(Float32Array)]).toEqual([0, 2, 1, 3, 4, 0, 5, 0]);
    const whole = arange(8)
      .reshape([1, 4, 2, 1])
      .toLayout(blocked([1, 4, 2, 1], 1, 2));
    expect([whole.isPadded, whole.select(1, 3).toArray()]).toEqual([false, [[[6], [7]].flat().map((v) => [v])]]);
  });

  test("it always copies", () => {
    const x = arange(6).reshape([2, 3]);
    expect(x.toLayout(x.layout).buffer).not.toBe(x.buffer);
  });

  test("it records a reshape, but refuses a padded result while recording", () => {
    const leaf = withLeaf(arange(6).reshape([1, 3, 2, 1]), "shape");
    const out = leaf.toLayout(nhwc(leaf.shape));
    expect([out.node?.record?.kind, out.node?.record?.inputs[0]?.shape]).toEqual(["reshape", [1, 3, 2, 1]]);
    const { live } = defaultPool().statistics();
    expect(() => leaf.toLayout(blocked(leaf.shape, 1, 2))).toThrow(/^toLayout: .*noGrad/);
    expect(defaultPool().statistics().live).toBe(live);
    expect(withRecording(false, () => leaf.toLayout(blocked(leaf.shape, 1, 2))).node).toBeUndefined();
  });

  test("a layout that does not fit is refused before anything is allocated", () => {
    const x = zeros([2, 3]);
    const { live } = defaultPool().statistics();
    const refused: [unknown, object][] = [
      [undefined, { name: "TypeError" }],
      [{ shape: [2, 3], stride: [3, 1] }, { name: "TypeError" }],
      [rowMajor([6]), { code: "SW_TENSOR_SHAPE_MISMATCH", given: [6], expected: [2, 3] }],
      [rowMajor([3, 2]), { code: "SW_TENSOR_SHAPE_MISMATCH", given: [3, 2] }],
      [strided([2, 3], [0, 1]), { name: "ViewError", code: "SW_TENSOR_OVERLAP", given: "(2,3):(0,1)" }],
      [strided([2, 3], [1, 1]), { name: "ViewError", code: "SW_TENSOR_OVERLAP" }],
      [strided([2, 3], [2 ** 30, 1]), { code: "SW_TENSOR_SHAPE_LIMIT" }],
      [layout([2, 3], [2 ** 40, 1]), { code: "SW_TENSOR_SHAPE_LIMIT", given: 2 ** 40 }],
    ];
    for (const [target, fields] of refused) {
      expect(() => x.toLayout(target as Layout)).toThrow(expect.objectContaining(fields));
    }
    expect(defaultPool().statistics().live).toBe(live);
    const gone = zeros([2, 3]);
    gone.dispose();
    expect(() => gone.toLayout(rowMajor([2, 3]))).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
  });

  test("rank 0 and empty tensors have every layout too", () => {
    expect(tensor(5).toLayout(rowMajor([])).item()).toBe(5);
    const empty = zeros([0, 3]).toLayout(blocked([0, 3], 1, 2));
    expect([empty.shape, empty.isPadded, empty.toArray()]).toEqual([[0, 3], true, []]);
  });
});
