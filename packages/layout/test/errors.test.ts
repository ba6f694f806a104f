import { describe, expect, test } from "vitest";
import { LayoutError } from "../src/index.js";

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
