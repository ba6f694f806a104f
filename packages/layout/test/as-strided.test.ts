import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Layout, layout, parseLayout } from "../src/index.js";
import { asStrided } from "../src/views.js";
import { cases, enumerate, flat, layouts, refusal, type Tree } from "./support.js";
import { expectViews } from "./view-vectors.js";

/** Whether strides of a shape can give these indices, by ordinal: only those of the first steps can (VA-53). */
function fits(shape: readonly Tree[], indices: readonly number[]): boolean {
  if (indices.length === 0) return true;
  let weight = 1;
  const strides = flat(shape).map((extent) => {
    const step = extent > 1 ? indices[weight]! - indices[0]! : 0;
    weight *= extent;
    return step;
  });
  return enumerate(layout(flat(shape), strides)).every((index, i) => index === indices[i]);
}

function expectExact(l: Layout, selector: Layout): "view" | "refused" {
  const ordinals = enumerate(selector);
  const source = enumerate(l);
  const isInside = ordinals.every((ordinal) => ordinal >= 0 && ordinal < l.size);
  const indices = ordinals.map((ordinal) => source[ordinal]!);
  const run = () => asStrided(l, selector.shape, selector.stride);
  if (!isInside) {
    expect(refusal("SW_LAYOUT_INADMISSIBLE", run).reason).toBe("domain");
    return "refused";
  }
  if (!fits(selector.shape, indices)) {
    expect(refusal("SW_LAYOUT_INADMISSIBLE", run).reason).toBe("carry");
    return "refused";
  }
  if (new Set(indices).size < indices.length) {
    refusal("SW_LAYOUT_NOT_INJECTIVE", run);
    return "refused";
  }
  const { layout: view, start } = run();
  expect([view.shape, start, enumerate(view)]).toEqual([selector.shape, 0, indices]);
  return "view";
}

describe("asStrided", () => {
  test("VA-52 VA-53 every vector", async () => {
    // A plain list is how shape and stride are given here; the source of the vectors has classes for them.
    const plain = (await cases<{ raw?: string }>("views/as_strided")).flatMap((c, i) =>
      c.raw === undefined ? [] : [i],
    );
    expect(plain.length).toBe(2);
    const run = (l: Layout, c: { readonly [field: string]: unknown }) =>
      asStrided(l, c["shape"] as Tree[], c["stride"] as Tree[]);
    await expectViews("as_strided", 339, run, plain);
  });

  test("VA-53 VA-122 two elements, or steps that pass whole digits, need no divisibility", () => {
    expect(String(asStrided(parseLayout("(3,3):(3,1)"), [3], [3]).layout)).toBe("(3):(1)");
    expect(String(asStrided(parseLayout("(3,3):(3,1)"), [2], [5]).layout)).toBe("(2):(7)");
    expect(String(asStrided(parseLayout("(4,4):(1,10)"), [2, 2], [5, 2]).layout)).toBe("(2,2):(11,2)");
  });

  test("VA-53 carries of several digits may cancel", () => {
    const l = parseLayout("(2,3,4):(1,3,8)");
    expect(String(asStrided(l, [8], [3]).layout)).toBe("(8):(4)");
    refusal("SW_LAYOUT_INADMISSIBLE", () => asStrided(l, [12], [2]));
    expect(String(asStrided(parseLayout("(2,2,2):(1,4,6)"), [3], [3]).layout)).toBe("(3):(5)");
  });

  test("VA-53 law: every view of small layouts, and no other", () => {
    const count = { view: 0, refused: 0 };
    const sources = layouts({ minExtent: 0, maxExtent: 4, minStride: -6, maxStride: 12, maxSize: 64 });
    const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 });
    const strides = fc.array(fc.integer({ min: 0, max: 24 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(sources, shapes, strides, fc.boolean(), (l, shape, stride, isNested) => {
        const flatStride = stride.slice(0, shape.length);
        const selector = isNested && shape.length > 0 ? layout([shape], [flatStride]) : layout(shape, flatStride);
        count[expectExact(l, selector)]++;
      }),
      { numRuns: 1000 },
    );
    expect(count.view).toBeGreaterThan(100);
    expect(count.refused).toBeGreaterThan(100);
  });

  test("VA-53 law: carries that cancel, by enumeration", () => {
    let cancelled = 0;
    const extents = fc.tuple(fc.integer({ min: 2, max: 3 }), fc.integer({ min: 2, max: 3 }), fc.constant(3));
    const steps = fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 12 }),
    );
    fc.assert(
      fc.property(
        extents,
        steps,
        fc.integer({ min: 2, max: 5 }),
        fc.integer({ min: 2, max: 9 }),
        (shape, stride, s, d) => {
          const l = layout(shape, stride);
          const before = expectExact(l, layout([s], [d]));
          const carries = (s - 1) * (d % shape[0]) >= shape[0];
          if (before === "view" && carries && l.size > (s - 1) * d) cancelled++;
        },
      ),
      { numRuns: 2000 },
    );
    expect(cancelled).toBeGreaterThan(0);
  });

  test("a huge view is decided without a walk over its elements", () => {
    const l = layout([2 ** 20, 2 ** 30], [2 ** 31, 1]);
    expect(String(asStrided(l, [2 ** 19, 2 ** 30], [2, 2 ** 20]).layout)).toBe("(524288,1073741824):(4294967296,1)");
    refusal("SW_LAYOUT_INADMISSIBLE", () => asStrided(l, [2 ** 20 + 1], [1]));
    refusal("SW_LAYOUT_INADMISSIBLE", () => asStrided(l, [2 ** 20, 2 ** 30], [3, 2 ** 20]));
    refusal("SW_LAYOUT_INADMISSIBLE", () => asStrided(layout([2, 3, 2 ** 40], [1, 5, 30]), [2 ** 40], [3]));
  });

  test("a search that is too long is refused, not guessed", () => {
    const l = layout([2, 3, 2 ** 30], [1, 3, 8]);
    const error = refusal("SW_LAYOUT_SEARCH_LIMIT", () => asStrided(l, [2 ** 30], [3], { steps: 1000 }));
    expect(error).toMatchObject({ operation: "asStrided", layout: l, value: 1000 });
    expect(String(asStrided(l, [1000], [3], { steps: 1000 }).layout)).toBe("(1000):(4)");
  });

  test("VA-52 a view must not show an element twice", () => {
    const error = refusal("SW_LAYOUT_NOT_INJECTIVE", () => asStrided(layout([3, 2], [1, 0]), [2], [3]));
    expect(error.message).toBe(
      "asStrided: coordinates share an index: got (2):(0) from (3,2):(1,0), expected each index once.",
    );
    refusal("SW_LAYOUT_NOT_INJECTIVE", () => asStrided(layout([6]), [2, 2], [1, 1]));
  });

  test("VA-52 wrong input", () => {
    const l = layout([5, 4]);
    refusal("SW_LAYOUT_INCONGRUENT", () => asStrided(l, [2, 2], [[1, 2]]));
    refusal("SW_LAYOUT_EXTENT", () => asStrided(l, [-2], [1]));
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => asStrided(l, [2], [20]))).toMatchObject({
      reason: "domain",
      layout: l,
    });
    refusal("SW_LAYOUT_INADMISSIBLE", () => asStrided(l, [2], [-1]));
    refusal("SW_LAYOUT_INADMISSIBLE", () => asStrided(layout([0]), [1], [0]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => asStrided(l, [2 ** 27, 2 ** 27], [0, 0]));
    expect(String(asStrided(layout([0]), [0, 3], [5, 7]).layout)).toBe("(0,3):(0,0)");
    expect(String(asStrided(l, [], []).layout)).toBe("():()");
    for (const value of [2, null, "2", [0.5], [null]]) {
      expect(() => asStrided(l, value as never, [1])).toThrow(TypeError);
      expect(() => asStrided(l, [2], value as never)).toThrow(TypeError);
    }
    expect(() => asStrided({} as never, [2], [1])).toThrow(TypeError);
  });

  test("VA-52 what may repeat does: elements that share the scale of their block", () => {
    const scales = parseLayout("(4,(2,3)):(3,(0,1))");
    const refused = () => asStrided(scales, [4, 2], [1, 4]);
    expect(refused).toThrow(expect.objectContaining({ code: "SW_LAYOUT_NOT_INJECTIVE" }));
    expect(String(asStrided(scales, [4, 2], [1, 4], { mayRepeat: true }).layout)).toBe("(4,2):(3,0)");
    expect(() => asStrided(scales, [4], [3], { mayRepeat: true })).toThrow(
      expect.objectContaining({ reason: "carry" }),
    );
    expect(() => asStrided(scales, [4], [1], 5 as never)).toThrow(TypeError);
  });
});
