import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat, group, modeOf, withShape } from "../src/algebra.js";
import { compose, cosize, formatShape, type Layout, layout, parseLayout, type Tiler } from "../src/index.js";
import { cases, enumerate, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

interface ComposeCase {
  readonly a: readonly [Tree, Tree];
  readonly b: readonly [Tree, Tree];
  readonly want: [Tree, Tree] | { readonly err: string; readonly why: string };
  readonly n1?: boolean;
}

/** Whether each leaf of b is a leaf or one nested mode of the same size in r: every coordinate of b is one of r. */
function isRefinement(r: Tree, b: Tree): boolean {
  if (typeof b === "number") return (typeof r === "number" ? r : product(r)) === b;
  return typeof r !== "number" && r.length === b.length && b.every((mode, i) => isRefinement(r[i]!, mode));
}

function product(tree: Tree): number {
  return typeof tree === "number" ? tree : tree.reduce<number>((size, mode) => size * product(mode), 1);
}

function expectExact(a: Layout, b: Layout): void {
  const r = compose(a, b);
  const outer = enumerate(a);
  expect(enumerate(r), `${a} after ${b} gave ${r}`).toEqual(enumerate(b).map((index) => outer[index]!));
  expect(isRefinement(r.shape, b.shape)).toBe(true);
}

describe("compose", () => {
  test("LA-60 to LA-64: the shared vectors, accepted and refused alike, with the reason", async () => {
    for (const c of await cases<ComposeCase>("layout/composition")) {
      const a = fromVector(c.a);
      const b = fromVector(c.b);
      if ("err" in c.want) {
        const error = refusal("SW_LAYOUT_INADMISSIBLE", () => compose(a, b));
        expect([String(a), String(b), error.reason]).toEqual([String(a), String(b), c.want.why]);
        continue;
      }
      const r = compose(a, b);
      const collapse = c.n1 === true;
      expect(normalForm(r.shape, r.stride, collapse), `${a} after ${b}`).toEqual(normalForm(...c.want, collapse));
    }
  });

  test("LA-60 LA-64 law: a(b(i)) at every ordinal and b's hierarchy, or refused", () => {
    let accepted = 0;
    const outer = layouts({ maxLeaves: 4, maxExtent: 8, maxSize: 500 });
    const inner = layouts({ maxLeaves: 3, maxExtent: 6, maxSize: 60, minStride: 0, maxStride: 24 });
    fc.assert(
      fc.property(outer, inner, (a, b) => {
        try {
          compose(a, b);
        } catch (error) {
          return (error as { code?: string }).code === "SW_LAYOUT_INADMISSIBLE";
        }
        accepted++;
        expectExact(a, b);
        return true;
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test("field case 1: exact or refused, neither too lax nor too strict", () => {
    const stride = refusal("SW_LAYOUT_INADMISSIBLE", () => compose(parseLayout("(4,6,8):(2,3,5)"), parseLayout("6:3")));
    expect(stride.reason).toBe("carry");
    expect(enumerate(compose(parseLayout("(4,2,8):(3,12,97)"), parseLayout("3:3")))).toEqual([0, 9, 18]);
    expect(String(compose(parseLayout("(10,2):(16,4)"), parseLayout("(3,4):(1,5)")))).toBe("(3,(2,2)):(16,(80,4))");
    expectExact(parseLayout("(2,3):(1,2)"), parseLayout("(2,3):(3,1)"));
    expect(compose(parseLayout("(2,3):(1,2)"), parseLayout("(2,3):(3,1)")).shape).toEqual([2, 3]);
  });

  test.each([
    ["(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"],
    ["(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"],
    ["(3,6,2,8):(5,7,11,13)", "16:9", "((2,2,4)):((21,11,13))"],
    ["(4,3):(3,1)", "(6):(2)", "((2,3)):((6,1))"],
    ["20:2", "(5,4):(4,1)", "(5,4):(8,2)"],
    ["(4,6):(-6,-1)", "(4,6):(1,4)", "(4,6):(-6,-1)"],
  ])("LA-61 %s after %s is %s", (a, b, r) => {
    expect(String(compose(parseLayout(a), parseLayout(b)))).toBe(r);
  });

  test("rank 0, extents of 1 and 0, and strides of 0", () => {
    expect(String(compose(layout([]), layout([])))).toBe("():()");
    expect(String(compose(layout([4]), layout([])))).toBe("():()");
    expect(String(compose(layout([]), layout([1, 5], [9, 0])))).toBe("(1,5):(0,0)");
    expect(String(compose(layout([4]), layout([2, [0, 3]], [1, [5, -7]])))).toBe("(2,(0,3)):(0,(0,0))");
    expect(String(compose(layout([0]), layout([0])))).toBe("(0):(0)");
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => compose(layout([0]), layout([2]))).reason).toBe("domain");
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => compose(layout([0]), layout([]))).reason).toBe("domain");
  });

  test("D3 an inner layout with negative indices is outside every domain", () => {
    const error = refusal("SW_LAYOUT_INADMISSIBLE", () => compose(layout([8]), layout([3], [-1])));
    expect(error.reason).toBe("domain");
    expect(String(compose(layout([8]), layout([1, 2], [-5, 3])))).toBe("(1,2):(0,3)");
  });

  test("LA-64 modes that carry into each other are refused, and so is leaving the domain together", () => {
    const reason = (a: string, b: string): string | undefined =>
      refusal("SW_LAYOUT_INADMISSIBLE", () => compose(parseLayout(a), parseLayout(b))).reason;
    expect(reason("(5,5,2):(1,10,5)", "(2,10,3):(0,1,10)")).toBe("digits");
    expect(reason("(4):(2)", "(3,3):(1,1)")).toBe("digits");
    expect(reason("(8):(1)", "(10):(1)")).toBe("domain");
    expect(reason("(8):(1)", "(2):(9)")).toBe("stride");
    expect(reason("(8):(1)", "(2):(8)")).toBe("domain");
  });

  test("LA-64 the message prints both layouts and the condition", () => {
    const a = parseLayout("(4,6,8):(2,3,5)");
    const b = parseLayout("(6):(3)");
    const error = refusal("SW_LAYOUT_INADMISSIBLE", () => compose(a, b));
    expect(error).toMatchObject({ layout: a, other: b, operation: "compose" });
    expect(error.message).toBe(
      "compose: no layout is this composition (carry): got (4,6,8):(2,3,5) after (6):(3), where step 3 does not divide the digit 4; expected an admissible pair.",
    );
  });

  test("wrong input: arguments that are no layouts are TypeErrors", () => {
    expect(() => compose(layout([2]), ["2"] as never)).toThrow(TypeError);
    expect(() => compose(layout([2]), "2" as never)).toThrow(TypeError);
    expect(() => compose(undefined as never, layout([2]))).toThrow(TypeError);
  });

  test("LA-66 law: composing with the identity of its size changes no index", () => {
    fc.assert(
      fc.property(layouts({ maxSize: 500 }), (l) => {
        const identity = layout([l.size]);
        expect(enumerate(compose(l, identity)), formatShape(l.shape)).toEqual(enumerate(l));
        if (cosize(l) === l.size && enumerate(l).every((index) => index >= 0)) {
          expect(enumerate(compose(layout([cosize(l)]), l))).toEqual(enumerate(l));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("LA-62 the last mode of the outer layout has an end", () => {
    const a = parseLayout("(4,3):(3,1)");
    expect(String(compose(a, parseLayout("12:1")))).toBe("((4,3)):((3,1))");
    for (const b of ["16:1", "4:4", "2:12", "(4,4):(1,4)"]) {
      expect(refusal("SW_LAYOUT_INADMISSIBLE", () => compose(a, parseLayout(b))).reason, b).toBe("domain");
    }
  });

  test.each([
    ["(4,6):(1,10)", "4:3", "carry"], // 3 < 4 passes the check d < a, but 3 does not divide 4
    ["(6,4):(1,10)", "(2,2):(3,4)", "digits"], // each mode stays in the digit 6, both together leave it
    ["(6,4):(1,10)", "(4,2):(2,6)", "shape"],
  ])("LA-63 %s after %s passes checks that are not enough, and is refused (%s)", (a, b, reason) => {
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => compose(parseLayout(a), parseLayout(b))).reason).toBe(reason);
  });
});

interface TilerCase {
  readonly a: readonly [Tree, Tree];
  readonly tiler: readonly (readonly [Tree, Tree] | null)[];
  readonly composition: { readonly want: [Tree, Tree] | { readonly err: string; readonly why: string } };
  readonly n1?: boolean;
}

describe("compose by a tiler", () => {
  test("LA-67 LA-68: the shared vectors, accepted and refused alike, with the reason", async () => {
    for (const c of await cases<TilerCase>("layout/tiler")) {
      const a = fromVector(c.a);
      const tiler = c.tiler.map((tile) => (tile === null ? null : fromVector(tile)));
      const { want } = c.composition;
      if ("err" in want) {
        expect(refusal("SW_LAYOUT_INADMISSIBLE", () => compose(a, tiler)).reason).toBe(want.why);
        continue;
      }
      const r = compose(a, tiler);
      const collapse = c.n1 === true;
      expect(normalForm(r.shape, r.stride, collapse), `${a} by ${tiler}`).toEqual(normalForm(...want, collapse));
    }
  });

  test("LA-67 LA-68 law: mode by mode, the others untouched, or refused", () => {
    let accepted = 0;
    const tile = fc.oneof(
      fc.constant(null),
      fc.integer({ min: 0, max: 6 }),
      layouts({ maxLeaves: 2, maxExtent: 4, maxDepth: 2, minStride: 0, maxStride: 6 }),
    );
    fc.assert(
      fc.property(layouts({ maxDepth: 3, maxExtent: 6 }), fc.array(tile, { maxLength: 3 }), (a, tiler) => {
        fc.pre(tiler.length <= a.rank);
        let r: Layout;
        try {
          r = compose(a, tiler);
        } catch (error) {
          return (error as { code?: string }).code === "SW_LAYOUT_INADMISSIBLE";
        }
        accepted++;
        expect(r.rank).toBe(a.rank);
        for (let i = 0; i < a.rank; i++) {
          const entry = tiler[i] ?? null;
          const outer = enumerate(modeOf(a, i));
          const inner =
            entry === null ? outer.map((_, j) => j) : enumerate(typeof entry === "number" ? layout([entry]) : entry);
          expect(enumerate(modeOf(r, i))).toEqual(inner.map((j) => outer[j]!));
          if (entry === null) expect([r.shape[i], r.stride[i]]).toEqual([a.shape[i], a.stride[i]]);
        }
        return true;
      }),
      { numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test.each<[string, number | Tiler, string]>([
    ["(12,(4,8)):(59,(13,1))", [parseLayout("3:4"), parseLayout("8:2")], "(3,(2,4)):(236,(26,1))"],
    ["(6,2):(8,2)", 4, "(4):(8)"],
    ["(6,2):(8,2)", 12, "((6,2)):((8,2))"],
    ["(6,2):(8,2)", [], "(6,2):(8,2)"],
    ["(6,2):(8,2)", [null, 1], "(6,1):(8,0)"],
    ["(6,(2)):(8,(2))", [3], "(3,(2)):(8,(2))"],
    ["(6,2):(8,2)", [layout([]), 0], "(1,0):(0,0)"],
  ])("LA-67 LA-68 LA-7 %s by %s is %s", (a, b, r) => {
    expect(String(compose(parseLayout(a), b))).toBe(r);
  });

  test("LA-67 more tiles than modes are refused", () => {
    const a = layout([2, 3]);
    const error = refusal("SW_LAYOUT_TILER", () => compose(a, [2, null, parseLayout("3:1")]));
    expect(error).toMatchObject({ layout: a, value: 3, operation: "compose" });
    expect(error.message).toBe(
      "compose: the tiler has too many entries: got <(2):(1),_,(3):(1)>, expected at most 2 (layout (2,3):(1,2)).",
    );
    expect(refusal("SW_LAYOUT_TILER", () => compose(a, Array(9).fill(null))).message).toContain("_,_,…>");
  });

  test("LA-67 wrong input: a member that is no layout, integer or null is a TypeError, before any count", () => {
    const a = layout([2, 3]);
    for (const entry of ["2", undefined, {}, [2], 1.5, Number.NaN, true]) {
      expect(() => compose(a, [entry as never])).toThrow(TypeError);
      expect(() => compose(a, [1, 1, entry as never])).toThrow(TypeError);
    }
    for (const b of ["2:1", null, undefined, {}, 2.5, true]) expect(() => compose(a, b as never)).toThrow(TypeError);
    expect(refusal("SW_LAYOUT_EXTENT", () => compose(a, -2))).toMatchObject({ operation: "compose", value: -2 });
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => compose(a, [2 ** 53]));
  });

  test("a leaf that would have to split at the deepest level is refused", () => {
    let deep = concat(layout([6]), layout([2], [6]));
    for (let depth = 1; depth < 64; depth++) deep = group(deep, 0, deep.rank);
    expect(compose(layout([12]), deep).depth).toBe(64);
    expect(refusal("SW_LAYOUT_DEPTH", () => compose(parseLayout("(2,6):(9,1)"), deep)).operation).toBe("compose");
  });
});

describe("withShape", () => {
  test("LA-69 law: the same index at every ordinal, in the shape asked for, or refused", () => {
    fc.assert(
      fc.property(
        layouts({ maxDepth: 3, maxExtent: 6 }),
        layouts({ maxDepth: 3, maxExtent: 6, maxSize: 60 }),
        (l, s) => {
          let r: Layout;
          try {
            r = withShape(l, s.shape);
          } catch (error) {
            return (error as { code?: string }).code === "SW_LAYOUT_INADMISSIBLE";
          }
          expect(enumerate(r)).toEqual(enumerate(l).slice(0, s.size));
          expect(isRefinement(r.shape, s.shape)).toBe(true);
          return true;
        },
      ),
      { numRuns: 300 },
    );
  });

  test("LA-69 another shape of the same ordinals", () => {
    expect(String(withShape(parseLayout("(4,6):(6,1)"), [2, [2, 6]]))).toBe("(2,(2,6)):(6,(12,1))");
    expect(String(withShape(parseLayout("(4,6):(6,1)"), [8]))).toBe("((4,2)):((6,1))");
    expect(String(withShape(parseLayout("(4,6):(6,1)"), []))).toBe("():()");
  });

  test("LA-69 errors name the operation", () => {
    const l = parseLayout("(4,6):(6,1)");
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => withShape(l, [3, 8]))).toMatchObject({
      operation: "withShape",
      layout: l,
      reason: "carry",
    });
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => withShape(l, [25])).reason).toBe("shape");
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => withShape(l, [28])).reason).toBe("domain");
    expect(refusal("SW_LAYOUT_EXTENT", () => withShape(l, [-1])).operation).toBe("withShape");
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => withShape(l, [2 ** 30, 2 ** 30]));
    expect(() => withShape(l, 4 as never)).toThrow(TypeError);
    expect(() => withShape(4 as never, [4])).toThrow(TypeError);
  });
});
