import { describe, expect, test } from "vitest";
import { layout, rowMajor, strided } from "../src/index.js";
import { reshapeModes, sliceModes, squeezeMode, unsqueezeMode, windowOf } from "../src/views.js";

const l = rowMajor([4, 6]);

describe("errors name the operation that was called", () => {
  test.each<[string, () => unknown]>([
    ["an index of a slice", () => sliceModes(l, [9, {}], "call")],
    ["a bound of a slice", () => sliceModes(l, [{ start: 0.5 }, {}], "call")],
    ["an empty slice", () => sliceModes(l, [{ start: 4 }, {}], "call")],
    ["the number of entries", () => sliceModes(l, [0], "call")],
    ["what is no layout", () => sliceModes(5 as never, [0], "call")],
    ["sizes that differ", () => reshapeModes(l, [5], "call")],
    ["a shape of a wrong type", () => reshapeModes(l, 5 as never, "call")],
    ["an extent", () => reshapeModes(l, [-1], "call")],
    ["steps that change", () => reshapeModes(l, [24], "call")],
    ["steps backwards", () => reshapeModes(layout([4], [-1]), [2, 2], "call")],
    ["a mode to insert", () => unsqueezeMode(l, 4, "call")],
    ["a mode of a wrong type", () => unsqueezeMode(l, 0.5, "call")],
    ["a mode to remove", () => squeezeMode(l, 2, "call")],
    ["an extent to remove", () => squeezeMode(l, 0, "call")],
    ["a nested mode to remove", () => squeezeMode(layout([[1]]), 0, "call")],
    ["a window", () => windowOf(l, [0], "call")],
    ["a coordinate", () => windowOf(l, [0, 6], "call")],
    ["a coordinate of a wrong type", () => windowOf(l, [0, "1" as never], "call")],
    ["part of a nested axis", () => windowOf(layout([[2, 3]]), [{ start: 0, extent: 2 }], "call")],
    ["a step", () => windowOf(l, [0, { start: 0, extent: 1, step: 2 ** 53 }], "call")],
    ["strides of another form", () => strided([4], [1, 2], "call")],
    ["a stride", () => strided([4], [0.5], "call")],
    ["a reach", () => strided([4], [2 ** 52], "call")],
  ])("%s", (_name, call) => {
    expect(call).toThrow(/^call: /);
  });
});
