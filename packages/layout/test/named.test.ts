import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnMajor, extents, layout, parseLayout, recognise, rowMajor, strided } from "../src/index.js";
import { enumerateRowMajor, layouts } from "./support.js";

describe("recognise", () => {
  test.each([
    ["(3,4):(4,1)", { kind: "rowMajor" }],
    ["(3,4):(1,3)", { kind: "columnMajor" }],
    ["(3,4):(8,2)", { kind: "strided", strides: [8, 2] }],
    ["(3,4):(0,-1)", { kind: "strided", strides: [0, -1] }],
    ["(5):(1)", { kind: "rowMajor" }],
    ["():()", { kind: "rowMajor" }],
    ["(1,4,1):(9,1,0)", { kind: "rowMajor" }],
    ["(3,1,4):(1,77,3)", { kind: "columnMajor" }],
    ["(3,0):(-5,9)", { kind: "rowMajor" }],
    ["((2,3),4):((1,2),6)", { kind: "columnMajor" }],
    ["((2,3),4):((4,8),1)", { kind: "rowMajor" }],
    ["((2,3),4):((1,2),7)", { kind: "strided", strides: [1, 7] }],
    ["((2,3),4):((1,5),7)", undefined],
    ["((2,2),(2,2)):((4,1),(2,8))", undefined],
    ["((1,1),4):((9,9),1)", { kind: "rowMajor" }],
    ["((2,0),4):((3,9),1)", { kind: "rowMajor" }],
  ])("%s", (text, expected) => {
    expect(recognise(parseLayout(text))).toEqual(expected);
  });

  test("a box smaller than the domain has no name here; the box of the domain changes nothing", () => {
    expect(recognise(rowMajor([4, 6]), [4, 5])).toBeUndefined();
    expect(recognise(rowMajor([4, 6]), [24])).toBeUndefined();
    expect(recognise(rowMajor([4, 6]), [4, 6])).toEqual({ kind: "rowMajor" });
    expect(recognise(parseLayout("((2,3),4):((1,2),6)"), [6, 4])).toEqual({ kind: "columnMajor" });
  });

  test("law: the name describes the same function of one coordinate per axis", () => {
    const likely = fc.oneof(
      layouts({ maxLeaves: 4 }),
      layouts().map((l) => rowMajor(l.shape)),
      layouts().map((l) => layout(l.shape)),
    );
    fc.assert(
      fc.property(likely, (l) => {
        const name = recognise(l);
        if (name === undefined) return;
        const shape = extents(l);
        const named =
          name.kind === "rowMajor"
            ? rowMajor(shape)
            : name.kind === "columnMajor"
              ? columnMajor(shape)
              : strided(shape, name.strides);
        expect(enumerateRowMajor(named)).toEqual(enumerateRowMajor(l));
      }),
      { numRuns: 500 },
    );
  });
});
