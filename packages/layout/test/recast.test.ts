import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { downcast, recast, upcast } from "../src/algebra.js";
import { type Layout, LayoutError, layout, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

interface RecastCase {
  readonly a: readonly [Tree, Tree];
  readonly n: number;
  readonly upcast: [Tree, Tree] | { readonly err: string };
  readonly downcast: [Tree, Tree] | { readonly err: string };
}

function expectCase(a: Layout, want: RecastCase["upcast"], fn: () => Layout): void {
  if ("err" in want) {
    expect(refusal("SW_LAYOUT_RECAST", fn).layout, String(a)).toBe(a);
    return;
  }
  const r = fn();
  expect(normalForm(r.shape, r.stride), String(a)).toEqual(normalForm(...want));
}

/** The index of the coordinate whose leaves are given, straight from the definition. */
function dot(strides: readonly number[], coordinate: readonly number[]): number {
  return coordinate.reduce((sum, c, i) => sum + c * strides[i]!, 0);
}

/** Every coordinate of flat extents. */
function coordinates(extents: readonly number[]): number[][] {
  let out: number[][] = [[]];
  for (const extent of extents) {
    out = out.flatMap((head) => Array.from({ length: extent }, (_, c) => [...head, c]));
  }
  return out;
}

describe("upcast, downcast and recast", () => {
  test("LA-107: the shared vectors, accepted and refused alike", async () => {
    for (const c of await cases<RecastCase>("layout/recast")) {
      const a = fromVector(c.a);
      expectCase(a, c.upcast, () => upcast(a, c.n));
      expectCase(a, c.downcast, () => downcast(a, c.n));
    }
  });

  test("LA-107 law: a group of upcast starts at n times its index", () => {
    let accepted = 0;
    const source = layouts({ maxDepth: 3, maxLeaves: 4, maxExtent: 6, minStride: -12, maxStride: 12 });
    fc.assert(
      fc.property(source, fc.integer({ min: 1, max: 4 }), (l, n) => {
        let r: Layout;
        try {
          r = upcast(l, n);
        } catch (error) {
          const { code } = error as { code?: string };
          return code === "SW_LAYOUT_RECAST" || code === "SW_LAYOUT_SIGN";
        }
        accepted++;
        const before = flat(l.stride);
        const factors = before.map((d) => (d % n === 0 ? 1 : n / d));
        for (const c of coordinates(flat(r.shape))) {
          const first = c.map((value, i) => value * factors[i]!);
          expect(dot(flat(r.stride), c) * n).toBe(dot(before, first));
          // the group starts at an element that exists, and the next one does not
          for (let i = 0; i < first.length; i++) expect(first[i]).toBeLessThan(flat(l.shape)[i]!);
        }
        flat(l.shape).forEach((extent, i) => {
          expect(flat(r.shape)[i]! * factors[i]!).toBeGreaterThanOrEqual(extent);
        });
        return true;
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test("LA-107 law: downcast gives the n parts of every element", () => {
    let accepted = 0;
    const source = layouts({ maxDepth: 3, maxLeaves: 4, maxExtent: 5, minStride: -4, maxStride: 8 });
    fc.assert(
      fc.property(source, fc.integer({ min: 2, max: 4 }), (l, n) => {
        const isOne = flat(l.stride).map((d) => d === 1);
        fc.pre(isOne.filter((one) => one).length === 1);
        const want = enumerate(l).flatMap((index) => Array.from({ length: n }, (_, part) => index * n + part));
        expect(enumerate(downcast(l, n)).sort((a, b) => a - b)).toEqual(want.sort((a, b) => a - b));
        accepted++;
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test("LA-107 law: upcast undoes downcast", () => {
    const source = layouts({ maxDepth: 3, maxLeaves: 4, maxExtent: 6, minStride: 0, maxStride: 12 });
    fc.assert(
      fc.property(source, fc.integer({ min: 1, max: 8 }), (l, n) => {
        const ones = flat(l.stride).filter((d) => d === 1).length;
        fc.pre(ones === 1);
        expect(String(upcast(downcast(l, n), n))).toBe(String(l));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["(8,4):(1,8)", 4, "(2,4):(1,2)"],
    ["(6,(2,4)):(2,(0,12))", 4, "(3,(2,4)):(1,(0,3))"],
    ["(3):(-8)", 4, "(3):(-2)"],
    ["(5):(1)", 4, "(2):(1)"],
    ["(0,3):(1,4)", 4, "(0,3):(1,1)"],
    ["():()", 4, "():()"],
    ["(3,2):(5,7)", 1, "(3,2):(5,7)"],
  ])("LA-107 %s in groups of %i is %s", (l, n, r) => {
    expect(String(upcast(parseLayout(l), n))).toBe(r);
  });

  test.each([
    ["(2,4):(1,2)", 4, "(8,4):(1,8)"],
    ["(2,(3,4)):(0,(1,-3))", 2, "(2,(6,4)):(0,(1,-6))"],
    ["(0):(1)", 4, "(0):(1)"],
    ["(3,2):(5,7)", 1, "(3,2):(5,7)"],
  ])("LA-107 %s in parts of %i is %s", (l, n, r) => {
    expect(String(downcast(parseLayout(l), n))).toBe(r);
  });

  test("LA-107 recast goes up, down, or up and then down", () => {
    const l = parseLayout("(8,4):(1,8)");
    expect(String(recast(l, 8, 32))).toBe("(2,4):(1,2)");
    expect(String(recast(l, 32, 8))).toBe("(32,4):(1,32)");
    expect(String(recast(l, 16, 16))).toBe(String(l));
    expect(String(recast(l, 6, 4))).toBe("(12,4):(1,12)");
    expect(String(recast(parseLayout("2:1"), 3, 2))).toBe("(3):(1)");
    expect(refusal("SW_LAYOUT_RECAST", () => recast(parseLayout("4:3"), 8, 16)).operation).toBe("recast");
    expect(refusal("SW_LAYOUT_RECAST", () => recast(parseLayout("4:3"), 16, 8)).operation).toBe("recast");
  });

  test("LA-107 a stride that fits no group is refused", () => {
    const l = parseLayout("(3,2):(1,3)");
    const error = refusal("SW_LAYOUT_RECAST", () => upcast(l, 4));
    expect(error).toMatchObject({ layout: l, value: 3, operation: "upcast" });
    expect(error.message).toBe(
      "upcast: a stride does not fit groups of 4: got 3, expected a divisor or a multiple of 4 (layout (3,2):(1,3)).",
    );
  });

  test("LA-107 leaves that leave a group together are refused: a group would be lost", () => {
    const l = parseLayout("(3,3):(3,4)"); // reaches 14, yet each leaf by itself stays in the first group of 12
    const error = refusal("SW_LAYOUT_RECAST", () => upcast(l, 12));
    expect(error).toMatchObject({ layout: l, value: 14, operation: "upcast" });
    expect(error.message).toBe(
      "upcast: leaves together leave a group of 12, and no layout counts the next one: got (3,3):(3,4), expected them to reach 11 at most, not 14.",
    );
    expect(String(upcast(parseLayout("(2,3,0):(1,1,9)"), 3))).toBe("(1,1,0):(1,1,3)");
    expect(String(upcast(parseLayout("(2,3):(1,2)"), 4))).toBe("(1,2):(1,1)");
  });

  test("LA-107 law: an upcast counts the groups of all elements", () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        layouts({ maxLeaves: 4, maxExtent: 5, minStride: -6, maxStride: 12 }),
        fc.constantFrom(2, 3, 4, 6, 12),
        (l, n) => {
          let r: Layout;
          try {
            r = upcast(l, n);
          } catch (error) {
            if (error instanceof LayoutError) return;
            throw error;
          }
          accepted++;
          const groups = new Set(enumerate(l).map((index) => Math.floor(index / n)));
          expect(new Set(enumerate(r))).toEqual(groups);
        },
      ),
      { numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test("LA-107 a layout without a leaf of stride 1 has no parts", () => {
    const error = refusal("SW_LAYOUT_RECAST", () => downcast(parseLayout("2:3"), 4));
    expect(error.message).toBe(
      "downcast: no leaf has stride 1 to hold the 4 parts of an element: got (2):(3), expected one.",
    );
  });

  test("two long leaves of stride 1 are refused: widening both would reach past the memory", () => {
    const l = parseLayout("(2,2):(1,1)");
    expect(refusal("SW_LAYOUT_NOT_INJECTIVE", () => downcast(l, 2)).layout).toBe(l);
  });

  test("D3 a negative stride is refused only where it would be split", () => {
    const error = refusal("SW_LAYOUT_SIGN", () => upcast(parseLayout("8:-1"), 4));
    expect(error.value).toBe(-1);
    expect(error.message).toBe(
      "upcast: a negative stride would be split into groups of 4: got -1, expected a multiple of 4 (layout (8):(-1)). Flip that mode first.",
    );
  });

  test("wrong input: ratios and widths that are no positive integers", () => {
    const l = layout([4]);
    for (const wrong of ["2", null, undefined, 1.5, Number.NaN, true, 2n]) {
      expect(() => upcast(l, wrong as never)).toThrow(TypeError);
      expect(() => downcast(l, wrong as never)).toThrow(TypeError);
      expect(() => recast(l, 8, wrong as never)).toThrow(TypeError);
      expect(() => recast(l, wrong as never, 8)).toThrow(TypeError);
    }
    const error = refusal("SW_LAYOUT_COUNT", () => upcast(l, 0));
    expect(error.message).toBe("upcast: the ratio is not positive: got 0, expected 1 or more.");
    expect(refusal("SW_LAYOUT_COUNT", () => recast(l, 8, -8)).value).toBe(-8);
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => downcast(l, 2 ** 53)).value).toBe(2 ** 53);
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => downcast(l, 2 ** 51)).operation).toBe("downcast");
    for (const fn of [upcast, downcast]) expect(() => fn([2] as never, 2)).toThrow(TypeError);
    expect(() => recast(undefined as never, 8, 16)).toThrow(TypeError);
  });
});
