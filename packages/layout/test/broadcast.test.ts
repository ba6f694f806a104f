import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { broadcastTo, indexOf, layout, type Shape } from "../src/index.js";
import { cases, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

interface Case {
  readonly l: [Tree, Tree];
  readonly target: Shape;
  readonly raw?: boolean;
  readonly sw: [Tree, Tree] | { readonly err: string };
  readonly n1?: boolean;
}

describe("broadcastTo", () => {
  test("LA-44 every vector", async () => {
    const all = await cases<Case>("layout/broadcast_to");
    expect(all.length).toBe(255);
    for (const { l, target, sw, n1, raw } of all) {
      if (raw) continue; // about the type Shape, which lists are here
      const source = fromVector(l);
      if (Array.isArray(sw)) {
        const got = broadcastTo(source, target);
        expect(normalForm(got.shape, got.stride, n1), String(source)).toEqual(normalForm(sw[0], sw[1], n1));
      } else {
        refusal("SW_LAYOUT_BROADCAST", () => broadcastTo(source, target));
      }
    }
  });

  test("law: an index of the result is that of the source where widened coordinates are 0", () => {
    const pairs = layouts({ maxExtent: 3, maxLeaves: 4, maxSize: 60 }).chain((l) => {
      const count = flat(l.shape).length;
      return fc
        .array(fc.integer({ min: 0, max: 4 }), { minLength: count, maxLength: count })
        .map((extents) => ({ l, extents }));
    });
    fc.assert(
      fc.property(pairs, ({ l, extents }) => {
        const rest = [...extents];
        const widen = (tree: Tree): Tree => {
          if (typeof tree !== "number") return tree.map(widen);
          const extent = rest.shift()!;
          return tree === 1 ? extent : tree;
        };
        const target = l.shape.map(widen);
        const got = broadcastTo(l, target);
        expect(got.shape).toEqual(target);
        for (let i = 0; i < got.size; i++) {
          let ordinal = i;
          const coordinates: number[] = [];
          for (const extent of flat(target)) {
            coordinates.push(ordinal % extent);
            ordinal = Math.floor(ordinal / extent);
          }
          const wide = [...coordinates];
          const narrow = coordinates.map((c, k) => (flat(l.shape)[k] === 1 ? 0 : c));
          const nest = (tree: Tree, list: number[]): Tree =>
            typeof tree === "number" ? list.shift()! : tree.map((mode) => nest(mode, list));
          expect(indexOf(got, nest(target, wide))).toBe(indexOf(l, nest(l.shape, narrow)));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("wrong input", () => {
    const l = layout([1, [1, 3]]);
    const error = refusal("SW_LAYOUT_BROADCAST", () => broadcastTo(l, [2, [2, 4]]));
    expect(error.message).toBe(
      "broadcastTo: layout does not broadcast: got (1,(1,3)):(1,(1,1)) and shape (2,(2,4)), expected the same form, and equal extents wherever that of the layout is not 1.",
    );
    expect(error.layout).toBe(l);
    expect(error.shape).toEqual([1, [1, 3]]);
    expect(error.otherShape).toEqual([2, [2, 4]]);
    refusal("SW_LAYOUT_BROADCAST", () => broadcastTo(l, [2, 2, 3]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => broadcastTo(layout([1, 1]), [2 ** 30, 2 ** 30]));
    refusal("SW_LAYOUT_EXTENT", () => broadcastTo(l, [-1, [1, 3]]));
    expect(() => broadcastTo(l, 3 as never)).toThrow(TypeError);
    expect(() => broadcastTo(l, [1.5, [1, 3]])).toThrow(TypeError);
    expect(() => broadcastTo({} as never, [1])).toThrow(TypeError);
    expect(String(broadcastTo(l, [0, [2, 3]]))).toBe("(0,(2,3)):(0,(0,1))");
  });
});
