import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { complement } from "../src/algebra.js";
import { cosize, type Layout, layout, parseLayout } from "../src/index.js";
import { cases, enumerate, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

interface ComplementCase {
  readonly l: readonly [Tree, Tree];
  readonly cotarget: number;
  readonly want: [Tree, Tree] | { readonly err: string; readonly why: string };
  readonly n1?: boolean;
}

/** Layouts that have a complement: digits of a mixed radix in any order, some left out, and its size. */
const fitting = fc
  .record({
    digits: fc.array(fc.record({ gap: fc.integer({ min: 1, max: 4 }), extent: fc.integer({ min: 1, max: 4 }) }), {
      maxLength: 4,
    }),
    over: fc.integer({ min: 1, max: 4 }),
    order: fc.nat(),
  })
  .map(({ digits, over, order }) => {
    let span = 1;
    const modes = digits.map(({ gap, extent }) => {
      const stride = span * gap;
      span = stride * extent;
      return [extent, stride] as const;
    });
    const turned = [...modes.slice(order % 5), ...modes.slice(0, order % 5)];
    const l = layout(
      turned.map((mode) => mode[0]),
      turned.map((mode) => mode[1]),
    );
    return { l, cotarget: span * over };
  });

function pairSums(l: Layout, rest: Layout): number[] {
  const low = enumerate(l);
  return enumerate(rest).flatMap((high) => low.map((index) => index + high));
}

function ascending(list: number[]): number[] {
  return list.sort((a, b) => a - b);
}

describe("complement", () => {
  test("LA-70 to LA-73: the shared vectors, accepted and refused alike, with the reason", async () => {
    for (const c of await cases<ComplementCase>("layout/complement")) {
      const l = fromVector(c.l);
      if ("err" in c.want) {
        const error = refusal("SW_LAYOUT_COMPLEMENT", () => complement(l, c.cotarget));
        expect([String(l), c.cotarget, error.reason]).toEqual([String(l), c.cotarget, c.want.why.split(" ")[0]]);
        continue;
      }
      const r = complement(l, c.cotarget);
      expect(normalForm(r.shape, r.stride), `${l} in ${c.cotarget}`).toEqual(normalForm(...c.want));
    }
  });

  test("LA-70 law: with the layout it gives each index below the cotarget once, in order", () => {
    fc.assert(
      fc.property(fitting, ({ l, cotarget }) => {
        const rest = complement(l, cotarget);
        expect(ascending(pairSums(l, rest))).toEqual([...Array(cotarget).keys()]);
        const own = enumerate(rest);
        expect(own).toEqual(ascending([...own]));
        expect(rest.depth).toBe(1);
      }),
      { numRuns: 400 },
    );
  });

  test("LA-70 LA-72 law: of any layout, exact and complete or refused", () => {
    let accepted = 0;
    const any = layouts({ maxDepth: 3, maxExtent: 6, maxLeaves: 3, maxSize: 200, minStride: -2, maxStride: 12 });
    fc.assert(
      fc.property(any, fc.nat({ max: 150 }), (l, cotarget) => {
        let rest: Layout;
        try {
          rest = complement(l, cotarget);
        } catch (error) {
          const codes = ["SW_LAYOUT_COMPLEMENT", "SW_LAYOUT_SIGN", "SW_LAYOUT_EMPTY"];
          return codes.includes((error as { code: string }).code);
        }
        accepted++;
        expect(ascending(pairSums(l, rest))).toEqual([...Array(cotarget).keys()]);
        return true;
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  test("LA-73 law: rounded up, every index below the cotarget is given once and none is negative", () => {
    fc.assert(
      fc.property(fitting, fc.nat({ max: 100 }), ({ l }, cotarget) => {
        const given = pairSums(l, complement(l, cotarget, { roundUp: true }));
        const distinct = new Set(given);
        expect(distinct.size).toBe(given.length);
        for (let index = 0; index < cotarget; index++) expect(distinct.has(index)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["4:1", 24, "(6):(4)"],
    ["6:4", 24, "(4):(1)"],
    ["4:2", 24, "(2,3):(1,8)"],
    ["(2,4):(1,6)", 24, "(3):(2)"],
    ["(2,2):(1,6)", 24, "(3,2):(2,12)"],
    ["(2,2):(6,1)", 24, "(3,2):(2,12)"],
    ["(2,(2,1)):(6,(1,77))", 24, "(3,2):(2,12)"],
    ["24:1", 24, "(1):(0)"],
    ["1:5", 3, "(3):(1)"],
    ["():()", 7, "(7):(1)"],
    ["():()", 1, "(1):(0)"],
    ["4:1", 0, "(0):(0)"],
  ])("LA-70 LA-71 LA-73 the complement of %s in %i is %s", (l, cotarget, r) => {
    expect(String(complement(parseLayout(l), cotarget))).toBe(r);
  });

  test("LA-70 law: without a cotarget it fills the gaps inside the span, whatever is rounded", () => {
    fc.assert(
      fc.property(fitting, ({ l }) => {
        const rest = complement(l);
        const given = ascending(pairSums(l, rest));
        expect(given).toEqual([...Array(given.length).keys()]);
        expect(given.length).toBeGreaterThanOrEqual(cosize(l));
        expect(cosize(rest)).toBeLessThanOrEqual(cosize(l));
        expect(String(complement(l, undefined, { roundUp: true }))).toBe(String(rest));
        expect(String(complement(l, cosize(l), { roundUp: true }))).toBe(String(rest));
      }),
      { numRuns: 300 },
    );
    expect(String(complement(parseLayout("(2,2):(1,6)")))).toBe("(3):(2)");
    expect(String(complement(parseLayout("(4,3):(1,4)")))).toBe("(1):(0)");
  });

  test("LA-73 rounding up takes a cotarget that is small or no multiple", () => {
    const up = (l: string, cotarget: number): string => String(complement(parseLayout(l), cotarget, { roundUp: true }));
    expect(up("4:1", 10)).toBe("(3):(4)");
    expect(up("4:1", 3)).toBe("(1):(0)");
    expect(up("(2,2):(1,6)", 25)).toBe("(3,3):(2,12)");
    expect(up("2:1", 2 ** 53 - 1)).toBe(`(${2 ** 52}):(2)`);
    expect(up("3:1", 2 ** 53 - 1)).toBe("(3002399751580331):(3)");
  });

  test("LA-72 overlap, divisibility and a small cotarget are told apart and print both operands", () => {
    const reason = (l: string, cotarget: number): string | undefined =>
      refusal("SW_LAYOUT_COMPLEMENT", () => complement(parseLayout(l), cotarget)).reason;
    expect(reason("(2,2):(1,1)", 24)).toBe("overlap");
    expect(reason("(2,3):(0,1)", 24)).toBe("overlap");
    expect(reason("(3,2):(2,3)", 24)).toBe("overlap"); // injective, but interleaved
    expect(reason("(2,2):(1,3)", 24)).toBe("divisibility");
    expect(reason("4:1", 10)).toBe("divisibility");
    expect(reason("4:1", 3)).toBe("cotarget");
    expect(reason("4:1", -4)).toBe("cotarget");
    const l = parseLayout("4:1");
    const error = refusal("SW_LAYOUT_COMPLEMENT", () => complement(l, 10));
    expect(error).toMatchObject({ operation: "complement", layout: l, value: 10 });
    expect(error.message).toBe(
      "complement: no layout is this complement (divisibility): got (4):(1) in 10 elements, where the span 4 does not divide 10; expected spans that divide each other and the elements.",
    );
  });

  test("D3 negative strides and empty layouts have no complement; a stride never taken does not count", () => {
    const signed = parseLayout("(2,3):(3,-1)");
    expect(refusal("SW_LAYOUT_SIGN", () => complement(signed, 6))).toMatchObject({ layout: signed });
    const empty = layout([2, 0]);
    const error = refusal("SW_LAYOUT_EMPTY", () => complement(empty, 6));
    expect(error).toMatchObject({ layout: empty, operation: "complement" });
    expect(error.message).toBe(
      "complement: an empty layout has no complement: got (2,0):(1,2), expected extents of 1 or more.",
    );
    expect(refusal("SW_LAYOUT_SIGN", () => complement(signed)).message).toBe(
      "complement: a stride is negative: got (2,3):(3,-1), expected strides of 0 or more.",
    );
    expect(String(complement(parseLayout("(2,1):(1,-9)"), 6))).toBe("(3):(2)");
  });

  test("field case 3: numbers at the limit are exact or refused", () => {
    expect(cosize(complement(layout([2], [2 ** 52 - 1]), 2 ** 53 - 2))).toBe(2 ** 52 - 1);
    refusal("SW_LAYOUT_COMPLEMENT", () => complement(layout([2], [2 ** 52]), 2 ** 53 - 1));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => complement(layout([2]), 2 ** 53));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => complement(layout([2]), 1e300));
  });

  test("wrong input: wrong types are TypeErrors", () => {
    const l = layout([2]);
    for (const cotarget of [0.5, Number.NaN, "4", null, [4], 4n]) {
      expect(() => complement(l, cotarget as never)).toThrow(TypeError);
    }
    expect(() => complement([2] as never, 4)).toThrow(TypeError);
    expect(() => complement(l, 4, null as never)).toThrow(TypeError);
    expect(() => complement(l, 4, { roundUp: 1 } as never)).toThrow(TypeError);
  });
});
