import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { broadcastTo, layout, layoutEquals, parseLayout, permuteAxes } from "../src/index.js";
import { broadcastInDim, squeezeMode, unsqueezeMode } from "../src/views.js";
import { layouts, refusal } from "./support.js";
import { expectViews, unmarked } from "./view-vectors.js";

const l = parseLayout("(2,(3,1),1):(1,(2,6),6)");

describe("views by mode", () => {
  test("VA-50 every vector of permute", async () => {
    await expectViews("permute", 138, (source, c) => permuteAxes(source, unmarked(c["order"])));
  });

  test("VA-55 every vector of broadcastTo", async () => {
    await expectViews("broadcast_to", 197, (source, c) => ({
      layout: broadcastTo(source, unmarked(c["target"])),
      start: 0,
    }));
  });
});

describe("broadcastInDim", () => {
  test("VA-56 every vector", async () => {
    // 3, 85, 90 and 98, 100 lose a one-child mode in the source of the vectors; here it is kept (LA-7).
    const run = (source: typeof l, c: { readonly [field: string]: unknown }) =>
      broadcastInDim(source, c["raw"] === true ? (null as never) : unmarked(c["target"]), unmarked(c["dims"]));
    await expectViews("broadcast_in_dim", 157, run, [3, 85, 90, 98, 100]);
  });

  test("VA-56 LA-7 a one-child mode is kept", () => {
    expect(String(broadcastInDim(parseLayout("((1),1):((5),1)"), [[1], 1, 1, 3], [0, 3]).layout)).toBe(
      "((1),1,1,3):((5),0,0,0)",
    );
  });

  test("VA-56 places that do not take every mode once, in order, are refused", () => {
    for (const places of [[0], [0, 1, 2], [1, 0], [1, 1], [-1, 1], [0, 3], [0, 2 ** 40]]) {
      refusal("SW_LAYOUT_ORDER", () => broadcastInDim(layout([2, 3]), [2, 3, 4], places));
    }
    expect(refusal("SW_LAYOUT_ORDER", () => broadcastInDim(layout([2, 3]), [2, 3], [1, 0])).message).toBe(
      "broadcastInDim: places do not fit the modes: got [1,0], expected 2 increasing modes below 2 (layout (2,3):(1,2), shape [2,3]).",
    );
  });

  test("VA-56 what does not broadcast is refused in its name", () => {
    expect(refusal("SW_LAYOUT_BROADCAST", () => broadcastInDim(layout([2]), [3], [0])).operation).toBe(
      "broadcastInDim",
    );
    refusal("SW_LAYOUT_BROADCAST", () => broadcastInDim(layout([2]), [2, [3]], [0]));
    refusal("SW_LAYOUT_EXTENT", () => broadcastInDim(layout([2]), [2, -1], [0]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => broadcastInDim(layout([2]), [2, 2 ** 53 - 1], [0]));
    expect(() => broadcastInDim(layout([2]), [2], 0 as never)).toThrow(TypeError);
    expect(() => broadcastInDim(null as never, [2], [0])).toThrow(TypeError);
  });
});

describe("unsqueezeMode and squeezeMode", () => {
  test("VA-58 VA-59 every vector", async () => {
    await expectViews("squeeze_unsqueeze", 156, (source, c) =>
      (c.op === "squeeze" ? squeezeMode : unsqueezeMode)(source, unmarked(c["dim"])),
    );
  });

  test("VA-58 VA-59 law: squeezing takes back what unsqueezing gave", () => {
    fc.assert(
      fc.property(layouts(), fc.nat(), (source, n) => {
        const at = (n % (2 * source.rank + 2)) - source.rank - 1;
        const { layout: wide, start } = unsqueezeMode(source, at);
        expect([wide.rank, wide.size, start]).toEqual([source.rank + 1, source.size, 0]);
        expect(layoutEquals(squeezeMode(wide, at).layout, source)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("VA-59 a nested mode and an extent other than 1 stay", () => {
    expect(refusal("SW_LAYOUT_NESTED_AXIS", () => squeezeMode(parseLayout("((1),2):((1),1)"), 0)).axis).toBe(0);
    expect(refusal("SW_LAYOUT_SQUEEZE", () => squeezeMode(l, 0)).message).toBe(
      "squeezeMode: mode 0 cannot be removed: got extent 2, expected 1 (layout (2,(3,1),1):(1,(2,6),6)).",
    );
    refusal("SW_LAYOUT_SQUEEZE", () => squeezeMode(layout([0]), 0));
  });

  test("VA-58 VA-59 a mode that does not exist is refused", () => {
    expect(refusal("SW_LAYOUT_AXIS", () => squeezeMode(l, -4)).message).toBe(
      "squeezeMode: a mode does not exist: got -4, expected -3 to 2 (layout (2,(3,1),1):(1,(2,6),6)).",
    );
    refusal("SW_LAYOUT_AXIS", () => unsqueezeMode(l, 4));
    refusal("SW_LAYOUT_AXIS", () => squeezeMode(layout([]), 0));
    expect(String(unsqueezeMode(layout([]), -1).layout)).toBe("(1):(0)");
    for (const dim of [Number.NaN, 0.5, "0", null, Number.POSITIVE_INFINITY]) {
      expect(() => unsqueezeMode(l, dim as number)).toThrow(TypeError);
      expect(() => squeezeMode(l, dim as number)).toThrow(TypeError);
    }
  });
});
