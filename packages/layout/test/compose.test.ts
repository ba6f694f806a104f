import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compose, cosize, formatShape, type Layout, layout, parseLayout } from "../src/index.js";
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
  test("LA-60 to LA-64: the shared vectors, accepted and refused alike, with the reason", () => {
    for (const c of cases<ComposeCase>("layout/composition")) {
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
    expect(() => compose(layout([2]), [2] as never)).toThrow(TypeError);
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
});
