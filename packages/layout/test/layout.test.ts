import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat, logicalDivide, rearrange } from "../src/algebra.js";
import {
  columnMajor,
  compose,
  expandTo,
  extents,
  formatLayout,
  inferExtent,
  isLayout,
  type Layout,
  layout,
  layoutEquals,
  parseLayout,
  permute,
  rowMajor,
  type Shape,
  strided,
} from "../src/index.js";
import { cases, flat, layouts, refusal, type Tree } from "./support.js";

interface ConstructCase {
  readonly make: "shape" | "stride" | "layout";
  readonly arg?: unknown;
  readonly shape?: unknown;
  readonly stride?: unknown;
  readonly note?: string;
  readonly sw: { readonly err?: string; readonly top?: Tree[]; readonly depth?: number; readonly size?: number };
}

const constructions = await cases<ConstructCase>("layout/construct");

describe("making a layout", () => {
  test("LA-10 without a stride the first mode is fastest", () => {
    expect(String(layout([2, [3, 4]]))).toBe("(2,(3,4)):(1,(2,6))");
  });

  test("LA-30 LA-31 a layout knows its size, rank and depth", () => {
    const l = layout([2, [3, 4]], [1, [2, 6]]);
    expect([l.size, l.rank, l.depth]).toEqual([24, 2, 2]);
    expect([layout([]).size, layout([]).rank, layout([]).depth]).toEqual([1, 0, 1]);
    expect(layout([0, 5]).size).toBe(0);
  });

  test("LA-8 a layout is a frozen copy of its arguments", () => {
    const inner = [3, 4];
    const l = layout([2, inner]);
    inner[0] = 9;
    expect(l.shape).toEqual([2, [3, 4]]);
    expect(() => {
      (l.shape as Tree[])[0] = 7;
    }).toThrow(TypeError);
    expect(() => {
      (l.shape[1] as Tree[])[0] = 7;
    }).toThrow(TypeError);
  });

  test("D3 strides of any sign and extents of zero are layouts; minus zero is zero", () => {
    const l = layout([0, 2, 3], [-4, 0, -0]);
    expect(l.size).toBe(0);
    expect(l.stride).toEqual([-4, 0, 0]);
  });

  test.each(constructions)("vector construct %o", (c) => {
    const shape = c.make === "layout" ? c.shape : c.make === "shape" ? c.arg : sameForm(c.arg as Tree);
    const stride = c.make === "layout" ? c.stride : c.make === "stride" ? c.arg : undefined;
    const make = (): Layout => layout(shape as Shape, stride as Shape | undefined);
    const isTree = (x: unknown): boolean => (Array.isArray(x) ? x.every(isTree) : Number.isInteger(x));
    if (!Array.isArray(shape) || (stride !== undefined && !Array.isArray(stride))) {
      expect(make).toThrow(TypeError); // LA-6: the top level is a list
    } else if (!isTree(shape) || (stride !== undefined && !isTree(stride))) {
      expect(make).toThrow(TypeError); // D5: what is not an integer; LA-24: booleans are none
    } else if (c.make === "layout" && c.sw.err !== undefined && c.note !== "shape is raw list") {
      expect(refusal("SW_LAYOUT_INCONGRUENT", make)).toMatchObject({ shape, stride });
    } else {
      const l = make(); // zero extents and negative strides included (D3, D12); plain lists are what shapes are here
      expect(l.shape).toEqual(shape);
      if (stride !== undefined) expect(l.stride).toEqual(stride);
      if (c.sw.size !== undefined) expect(l.size).toBe(c.sw.size);
    }
  });

  test("LA-4 shape and stride of different form are refused with both", () => {
    const error = refusal("SW_LAYOUT_INCONGRUENT", () => layout([2, [3, 4]], [1, 2]));
    expect(error).toMatchObject({ operation: "layout", shape: [2, [3, 4]], stride: [1, 2], name: "LayoutError" });
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toBe(
      "layout: shape and stride have different forms: got stride (1,2), expected the form of shape (2,(3,4)).",
    );
  });

  test("LA-3 a negative extent is refused with its value", () => {
    const error = refusal("SW_LAYOUT_EXTENT", () => layout([2, [-1, 4]]));
    expect(error.value).toBe(-1);
    expect(error.message).toBe("layout: an extent is negative: got -1, expected 0 or more.");
  });

  test("LA-5 an empty nested mode is refused", () => {
    expect(refusal("SW_LAYOUT_EMPTY_MODE", () => layout([2, []])).message).toBe(
      "layout: a nested mode is empty: got (), expected at least one entry.",
    );
  });

  test("a nest too deep for any use is refused, not an exhausted stack", () => {
    let deep: Tree = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(refusal("SW_LAYOUT_DEPTH", () => layout(deep as Shape)).message).toBe(
      "layout: modes nest too deep: got more than 64 levels, expected at most 64.",
    );
  });

  test.each<[string, unknown]>([
    ["a number", 4],
    ["nothing", undefined],
    ["a string", "2,3"],
    ["a fraction", [1.5]],
    ["NaN", [Number.NaN]],
    ["infinity", [Number.POSITIVE_INFINITY]],
    ["a boolean", [true, 2]],
    ["a bigint", [2n]],
    ["a string inside", ["a long text that is cut somewhere before its end comes"]],
    ["null", [2, [null]]],
    ["an object", [{}]],
    ["a function", [() => 1]],
    ["a hole", new Array(2)],
  ])("D5 %s as a shape is a TypeError", (_, shape) => {
    expect(() => layout(shape as Shape)).toThrow(TypeError);
    expect(() => layout(shape as Shape)).toThrow(/^layout: .*: got .*, expected /);
  });

  test("field case 3: what is not a safe integer is refused, not rounded", () => {
    const tooBig = 2 ** 53;
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layout([2], [tooBig])).value).toBe(tooBig);
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layout([5], [2 ** 62]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layout([tooBig]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layout([2 ** 30, 2 ** 30], [0, 0]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layout([2 ** 30, 2 ** 30]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layout([2, 2], [2 ** 52, -(2 ** 52)]));
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layout([3], [2 ** 52])).message).toBe(
      "layout: the span of (3):(4503599627370496) is not a safe integer: got 9007199254740992, expected at most 9007199254740991 in magnitude.",
    );
  });

  test("field case 4: an empty layout touches nothing, however far its strides", () => {
    expect(layout([0, 9], [1000, Number.MAX_SAFE_INTEGER]).size).toBe(0);
  });

  test("field case 3: an extent of 0 does not hide a product of the others that is not safe", () => {
    for (const shape of [
      [0, 2 ** 30, 2 ** 30],
      [2 ** 30, 0, [2 ** 30]],
    ]) {
      for (const make of [layout, rowMajor, columnMajor]) refusal("SW_LAYOUT_UNSAFE_INTEGER", () => make(shape));
    }
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => expandTo(layout([]), [0, 2 ** 30, 2 ** 30]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => inferExtent(0, [0, 2 ** 30, 2 ** 30]));
  });

  test("LA-1 a shape is a tree of extents, and the rank counts its top-level modes", () => {
    const l = layout([2, [3, [4, 5]], [6]]);
    expect([l.rank, l.depth, l.size, extents(l)]).toEqual([3, 3, 720, [2, 60, 6]]);
  });

  test("LA-2 LA-6 a shape is one list: a bare number is read in text only, as the list of it", () => {
    expect(() => layout(8 as never)).toThrow(TypeError);
    expect(String(parseLayout("8:1"))).toBe(String(layout([8])));
  });

  test("LA-9 the stride of an extent of 1 is kept and compared, and is 0 where an operation makes the extent", () => {
    const l = layout([1, 4], [7, 1]);
    expect(layoutEquals(l, layout([1, 4], [0, 1]))).toBe(false);
    expect(String(permute(l, [1, 0]))).toBe("(4,1):(1,7)");
    expect(String(concat(l, l))).toBe("(1,4,1,4):(7,1,7,1)");
    expect(String(rearrange(l, [1, "1"]))).toBe("(4,1):(1,0)");
    expect(String(compose(layout([4]), l))).toBe("(1,4):(0,1)");
    expect(String(logicalDivide(layout([4]), 4))).toBe("(4,1):(1,0)");
  });
});

function sameForm(tree: Tree): Tree {
  return Array.isArray(tree) ? tree.map(sameForm) : 2;
}

describe("recognising and comparing layouts", () => {
  test("isLayout knows a layout by its brand, made by any copy of the package", () => {
    expect(isLayout(layout([2]))).toBe(true);
    expect(layout([2])["@sw/layout/Layout/1"]).toBe(true);
    expect(isLayout({ "@sw/layout/Layout/1": true, shape: [], stride: [] })).toBe(true);
    for (const other of [undefined, null, 1, "x", [], {}, { shape: [2], stride: [1] }])
      expect(isLayout(other)).toBe(false);
  });

  test("LA-8 equality is structural, and LA-7 keeps a one-child mode apart from a leaf", () => {
    expect(layoutEquals(layout([2, [3]]), strided([2, [3]], [1, [2]]))).toBe(true);
    expect(layoutEquals(layout([2, [3]]), layout([2, 3]))).toBe(false);
    expect(layoutEquals(layout([2, 3]), layout([2, 3], [1, 3]))).toBe(false);
    expect(layoutEquals(layout([2, 3]), layout([2]))).toBe(false);
    expect(layoutEquals(layout([1], [5]), layout([1], [0]))).toBe(false);
  });

  test("extents is the shape itself when flat, and one product per axis when nested", () => {
    const l = layout([4, 5]);
    expect(extents(l)).toBe(l.shape);
    expect(extents(layout([2, [3, [4, 5]]]))).toEqual([2, 60]);
    expect(extents(layout([]))).toEqual([]);
  });

  test("D5 wrong input: values that are no layouts are not equal, they are refused", () => {
    const like = { shape: [2], stride: [1] };
    for (const wrong of [1, null, undefined, {}, "(2):(1)", like]) {
      expect(() => layoutEquals(wrong as never, wrong as never)).toThrow("layoutEquals: argument is not a layout");
      expect(() => layoutEquals(layout([2]), wrong as never)).toThrow(TypeError);
      expect(() => formatLayout(wrong as never)).toThrow("formatLayout: argument is not a layout");
      expect(() => extents(wrong as never)).toThrow("extents: argument is not a layout");
    }
  });
});

describe("text form", () => {
  test("law: parsing what was printed gives the layout back", () => {
    fc.assert(
      fc.property(layouts(), (l) => layoutEquals(parseLayout(formatLayout(l)), l) && String(l) === formatLayout(l)),
      { numRuns: 500 },
    );
  });

  test("LA-6 spaces are allowed and a bare integer is one leaf", () => {
    expect(String(parseLayout(" ( 2 , ( 3,4 ) ) : ( 1,(-2, 6)) "))).toBe("(2,(3,4)):(1,(-2,6))");
    expect(String(parseLayout("4:1"))).toBe("(4):(1)");
    expect(String(parseLayout("():()"))).toBe("():()");
  });

  test.each([
    ["", 0],
    ["(2,3)", 5],
    ["(2,3):", 6],
    ["(2,3):(1,2", 10],
    ["(2,,3):(1,2)", 3],
    ["(2,3):(1,2))", 11],
    ["(2 3):(1,2)", 3],
    ["(2.5):(1)", 2],
    ["x", 0],
    ["(-):(1)", 1],
    [`${"(".repeat(70)}1`, 64],
  ])("text %j is refused with the position", (text, position) => {
    const error = refusal("SW_LAYOUT_PARSE", () => parseLayout(text));
    expect(error.position).toBe(position);
    expect(error.operation).toBe("parseLayout");
  });

  test("the message of a parse error shows what stood there", () => {
    expect(refusal("SW_LAYOUT_PARSE", () => parseLayout("(2;3):(1,2)")).message).toBe(
      'parseLayout: text is not a layout at position 2: got ";", expected ).',
    );
    expect(refusal("SW_LAYOUT_PARSE", () => parseLayout("(2)")).message).toBe(
      "parseLayout: text is not a layout at position 3: got the end of the text, expected :.",
    );
  });

  test("text that parses into a bad layout is refused as layout() refuses it", () => {
    refusal("SW_LAYOUT_EXTENT", () => parseLayout("(-2):(1)"));
    refusal("SW_LAYOUT_INCONGRUENT", () => parseLayout("(2,3):(1)"));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => parseLayout("(2):(9007199254740993)"));
    refusal("SW_LAYOUT_EMPTY_MODE", () => parseLayout("(2,()):(1,())"));
    expect(() => parseLayout(5 as unknown as string)).toThrow(TypeError);
  });

  test("any text gives a layout or a LayoutError", () => {
    const text = fc.string({ unit: fc.constantFrom("(", ")", ",", ":", "1", "2", "-", " ", "0") });
    fc.assert(
      fc.property(text, (t) => {
        try {
          return flat(parseLayout(t).shape).every((e) => e >= 0);
        } catch (error) {
          return (error as Error).name === "LayoutError";
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("field case 3: digits without end are a wrong value, and the error names parseLayout", () => {
    const error = refusal("SW_LAYOUT_UNSAFE_INTEGER", () => parseLayout(`(2):(${"9".repeat(400)})`));
    expect(error).toMatchObject({ operation: "parseLayout", position: 5, value: Number.POSITIVE_INFINITY });
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => parseLayout("(2):(9007199254740992)")).position).toBe(5);
    expect(refusal("SW_LAYOUT_INCONGRUENT", () => parseLayout("(2):(1,2)")).operation).toBe("parseLayout");
    expect(refusal("SW_LAYOUT_EXTENT", () => parseLayout("(-2):(1)")).operation).toBe("parseLayout");
  });
});
