import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leftInverse, rightInverse } from "../src/algebra.js";
import { isInjective, type Layout, LayoutError, layout, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

type Wanted = [Tree, Tree] | { readonly err: string; readonly why: string };

interface InverseCase {
  readonly l: readonly [Tree, Tree];
  readonly right_inverse: { readonly want: Wanted };
  readonly left_inverse: { readonly want: Wanted };
  readonly n1?: boolean;
}

/** Whether each stride, sorted, is a multiple of the one before it. */
function isDivisible(l: Layout): boolean {
  const extents = flat(l.shape);
  const strides = flat(l.stride).filter((stride, i) => extents[i] !== 1 && stride !== 0);
  strides.sort((a, b) => a - b);
  return strides.every((stride, i) => i === 0 || stride % strides[i - 1]! === 0);
}

function caught(fn: () => unknown): LayoutError {
  try {
    fn();
  } catch (error) {
    if (error instanceof LayoutError) return error;
    throw error;
  }
  throw new Error("expected a LayoutError, nothing was thrown");
}

describe("rightInverse", () => {
  test("LA-100 LA-101: the shared vectors", async () => {
    for (const c of await cases<InverseCase>("layout/inverse")) {
      const want = c.right_inverse.want as [Tree, Tree];
      const r = rightInverse(fromVector(c.l));
      expect(normalForm(r.shape, r.stride, c.n1), `${fromVector(c.l)}`).toEqual(normalForm(...want, c.n1));
    }
  });

  test("LA-100 law: l(r(i)) = i at every ordinal of r", () => {
    let large = 0;
    fc.assert(
      fc.property(layouts({ maxDepth: 3, maxExtent: 6, minStride: -6, maxStride: 12 }), (l) => {
        const indices = enumerate(l);
        const inverse = enumerate(rightInverse(l));
        if (inverse.length > 1) large++;
        expect(inverse.map((ordinal) => indices[ordinal])).toEqual(inverse.map((_, i) => i));
      }),
      { numRuns: 1000 },
    );
    expect(large).toBeGreaterThan(30);
  });

  test("LA-100 law: a dense layout has a right inverse of its own size", () => {
    fc.assert(
      fc.property(denseLayouts(), (l) => {
        const r = rightInverse(l);
        expect(r.size).toBe(l.size);
        expect(String(rightInverse(r))).toBe(String(rightInverse(rightInverse(rightInverse(r)))));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["(2,4):(4,1)", "(4,2):(2,1)"],
    ["(3,4):(0,1)", "(4):(3)"],
    ["(4,2):(1,1)", "(4):(1)"],
    ["(4):(2)", "(1):(0)"],
    ["(4):(-1)", "(1):(0)"],
    ["():()", "(1):(0)"],
    ["(3,0):(1,3)", "(0):(0)"],
    ["((2,(2,2)),3):((1,(4,2)),-8)", "(2,2,2):(1,4,2)"],
  ])("LA-100 the right inverse of %s is %s", (l, r) => {
    expect(String(rightInverse(parseLayout(l)))).toBe(r);
  });
});

describe("leftInverse", () => {
  test("LA-102 LA-103: the shared vectors, accepted and refused alike", async () => {
    for (const c of await cases<InverseCase>("layout/inverse")) {
      const want = c.left_inverse.want;
      const l = fromVector(c.l);
      if ("err" in want) {
        const error = caught(() => leftInverse(l));
        expect(error.layout).toBe(l);
        // Where both rules are broken the first that shows is named: no search is made for the other.
        if (want.why === "divisibility" || error.code !== "SW_LAYOUT_NOT_INJECTIVE") {
          expect([error.code, isDivisible(l)], String(l)).toEqual(["SW_LAYOUT_INDIVISIBLE", false]);
        }
        continue;
      }
      const q = leftInverse(l);
      expect(normalForm(q.shape, q.stride, c.n1), String(l)).toEqual(normalForm(...want, c.n1));
    }
  });

  test("LA-102 law: q(l(i)) = i for every ordinal i, or refused for a reason that holds", () => {
    let accepted = 0;
    fc.assert(
      fc.property(layouts({ maxDepth: 3, maxLeaves: 4, maxExtent: 5, minStride: -2, maxStride: 40 }), (l) => {
        try {
          leftInverse(l);
        } catch (error) {
          const { code } = error as { code?: string };
          if (code === "SW_LAYOUT_NOT_INJECTIVE") return !isInjective(l);
          return code === "SW_LAYOUT_INDIVISIBLE" || code === "SW_LAYOUT_SIGN";
        }
        const q = enumerate(leftInverse(l));
        expect(enumerate(l).map((index) => q[index])).toEqual(enumerate(l).map((_, i) => i));
        accepted++;
        return true;
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test("LA-102 law: a dense layout is undone from both sides", () => {
    fc.assert(
      fc.property(denseLayouts(), (l) => {
        const q = enumerate(leftInverse(l));
        const r = enumerate(rightInverse(l));
        expect(q).toEqual(r);
        expect(enumerate(l).map((index) => q[index])).toEqual(r.map((_, i) => i));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["(4):(2)", "(2,4):(0,1)"],
    ["(4,6):(1,6)", "(6,6):(1,4)"],
    ["(2,4):(4,1)", "(4,2):(2,1)"],
    ["(1,1):(7,0)", "(1):(0)"],
    ["():()", "(1):(0)"],
    ["(3,0):(1,-3)", "(0):(0)"],
  ])("LA-102 the left inverse of %s is %s", (l, q) => {
    expect(String(leftInverse(parseLayout(l)))).toBe(q);
  });

  test("LA-103 a layout that is not injective is refused, with the layout in the message", () => {
    const l = parseLayout("(2,3):(2,2)");
    const error = refusal("SW_LAYOUT_NOT_INJECTIVE", () => leftInverse(l));
    expect(error).toMatchObject({ layout: l, operation: "leftInverse" });
    expect(error.message).toBe(
      "leftInverse: two coordinates share an index: got (2,3):(2,2), expected an injective layout.",
    );
    expect(refusal("SW_LAYOUT_NOT_INJECTIVE", () => leftInverse(parseLayout("(2,3):(0,1)"))).layout?.rank).toBe(2);
  });

  test("LA-102 strides that do not divide one another are refused", () => {
    const error = refusal("SW_LAYOUT_INDIVISIBLE", () => leftInverse(parseLayout("(9,(4,8)):(59,(13,1))")));
    expect(error.value).toBe(59);
    expect(error.message).toBe(
      "leftInverse: a stride is no multiple of the next smaller one: got 59 after 13, expected a multiple (layout (9,(4,8)):(59,(13,1))).",
    );
  });

  test("D3 a negative stride is refused by the left inverse only", () => {
    const error = refusal("SW_LAYOUT_SIGN", () => leftInverse(parseLayout("(4,3):(1,-4)")));
    expect(error.value).toBe(-4);
    expect(error.message).toBe(
      "leftInverse: a stride is negative: got -4, expected strides of 0 or more (layout (4,3):(1,-4)). Flip that mode first.",
    );
    expect(String(leftInverse(parseLayout("(4,1):(1,-4)")))).toBe("(4):(1)");
  });

  test("field case 3: an inverse beyond 2^53 - 1 is refused, not rounded", () => {
    const error = refusal("SW_LAYOUT_UNSAFE_INTEGER", () => leftInverse(layout([2], [2 ** 52 + 1])));
    expect(error.operation).toBe("leftInverse");
    expect(String(leftInverse(layout([2], [2 ** 51])))).toBe(`(${2 ** 51},2):(0,1)`);
    expect(String(rightInverse(layout([2, 2 ** 40], [2 ** 40, 1])))).toBe(`(${2 ** 40},2):(2,1)`);
  });

  test("wrong input: arguments that are no layouts are TypeErrors", () => {
    for (const wrong of [undefined, null, 4, [2], { shape: [2], stride: [1] }]) {
      expect(() => leftInverse(wrong as never)).toThrow(TypeError);
      expect(() => rightInverse(wrong as never)).toThrow(TypeError);
    }
  });
});

/** Random layouts that reach each index below their size once: compact in a random order of modes. */
function denseLayouts(): fc.Arbitrary<Layout> {
  return fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat()), { minLength: 1, maxLength: 5 }).map((modes) => {
    const order = modes.map((_, i) => i).sort((a, b) => modes[a]![1] - modes[b]![1]);
    const stride = modes.map(() => 0);
    let next = 1;
    for (const i of order) {
      stride[i] = next;
      next *= modes[i]![0];
    }
    return layout(
      modes.map((mode) => mode[0]),
      stride,
    );
  });
}
