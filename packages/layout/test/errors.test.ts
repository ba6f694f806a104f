import { describe, expect, test } from "vitest";
import { describe as describeValue, LayoutError } from "../src/index.js";

describe("LayoutError", () => {
  test("D5 it is a RangeError with a stable code and typed fields", () => {
    const error = new LayoutError("SW_LAYOUT_AXIS", "flip", "axis does not exist: got axis 3, expected 0 to 1.", {
      axis: 3,
      shape: [2, 3],
    });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.name).toBe("LayoutError");
    expect(error.message).toBe("flip: axis does not exist: got axis 3, expected 0 to 1.");
    expect(error).toMatchObject({ code: "SW_LAYOUT_AXIS", operation: "flip", axis: 3, shape: [2, 3] });
    expect(error.layout).toBeUndefined();
  });

  test("fields are optional", () => {
    expect(new LayoutError("SW_LAYOUT_PARSE", "parseLayout", "x.").position).toBeUndefined();
  });
});

describe("describe", () => {
  class Mine {}
  test.each<[unknown, string]>([
    [null, "null"],
    [undefined, "undefined"],
    [1.5, "1.5"],
    [true, "true"],
    [7n, "7n"],
    [10n ** 60n, `1${"0".repeat(39)}…`],
    ["a", '"a"'],
    ["a".repeat(50), `"${"a".repeat(40)}…"`],
    [[1, 2], "a list"],
    [() => 0, "a function"],
    [Symbol("s"), "a symbol"],
    [{}, "{}"],
    [{ start: 1, end: 2 }, "{ start, end }"],
    [Object.create(null), "{}"],
    [
      Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`k${i}`, i])),
      "{ k0, k1, k2, k3, k4, k5, k6, k7, k8, k9…",
    ],
    [new Map(), "an object of class Map"],
    [Int32Array.of(1), "an object of class Int32Array"],
    [new Mine(), "an object of class Mine"],
    [new (class {})(), "{}"],
  ])("names %o in a few words: %s", (value, words) => {
    expect(describeValue(value)).toBe(words);
  });
});
