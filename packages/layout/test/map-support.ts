import fc from "fast-check";
import type { Layout, Shape } from "../src/index.js";
import { asMap, type IndexMap, permutation, productMap, type SwizzleStage, swizzle } from "../src/maps.js";
import { fromVector, layouts, type Tree } from "./support.js";

/** The description of a map in the shared vectors. */
export type MapText =
  | { readonly t: "layout"; readonly l: readonly [Tree, Tree] }
  | { readonly t: "permutation"; readonly values: readonly number[]; readonly codomain: number }
  | { readonly t: "swizzle"; readonly shape: Tree; readonly stages: readonly (readonly [number, number, number])[] }
  | { readonly t: "product"; readonly children: readonly MapText[] };

/** What StrideWeave makes of it. */
export interface MapResult {
  readonly shape: Tree;
  readonly codomain: number;
  readonly injective: boolean | null;
  readonly values?: readonly number[];
  readonly target_shape?: Tree;
  readonly stages?: readonly (readonly [number, number, number])[];
}

export function fromText(text: MapText): IndexMap {
  switch (text.t) {
    case "layout":
      return asMap(fromVector(text.l));
    case "permutation":
      return permutation(text.values, text.codomain);
    case "swizzle": {
      const shape = typeof text.shape === "number" ? [text.shape] : text.shape;
      return swizzle(shape, ...text.stages.map(([bits, base, shift]) => ({ bits, base, shift })));
    }
    case "product":
      return productMap(...text.children.map(fromText));
  }
}

/** Every index by ordinal. */
export function table(map: IndexMap): number[] {
  return Array.from({ length: map.size }, (_, i) => map.index(i));
}

/** Collapses modes of one child below the top (LA-7). */
export function collapsed(shape: Shape): Tree {
  const walk = (tree: Tree): Tree =>
    typeof tree === "number" ? tree : tree.length === 1 ? walk(tree[0]!) : tree.map(walk);
  return shape.map(walk);
}

/** Stages that a domain of 2^width has room for. */
export function stagesOf(width: number): fc.Arbitrary<SwizzleStage[]> {
  if (width < 2) return fc.constant([]);
  const stage = fc.integer({ min: 1, max: Math.floor(width / 2) }).chain((bits) =>
    fc.integer({ min: bits, max: width - bits }).chain((distance) =>
      fc.record({
        bits: fc.constant(bits),
        base: fc.integer({ min: 0, max: width - bits - distance }),
        shift: fc.constantFrom(distance, -distance),
      }),
    ),
  );
  return fc.array(stage, { maxLength: 3 });
}

/** Layouts without negative indices. */
const plainLayouts: fc.Arbitrary<Layout> = layouts({
  maxExtent: 4,
  maxLeaves: 3,
  maxDepth: 2,
  minStride: 0,
  maxSize: 24,
});

/** Random maps of every kind that a few elements allow. */
export const maps: fc.Arbitrary<IndexMap> = fc.letrec<{ map: IndexMap; leaf: IndexMap }>((tie) => ({
  leaf: fc.oneof(
    plainLayouts.map((l) => asMap(l)),
    fc.tuple(plainLayouts, fc.integer({ min: 0, max: 3 })).map(([l, start]) => asMap(l, { start })),
    fc
      .uniqueArray(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 8 })
      .chain((values) => fc.integer({ min: Math.max(...values) + 1, max: 13 }).map((n) => permutation(values, n))),
    fc.integer({ min: 0, max: 4 }).chain((width) => stagesOf(width).map((stages) => swizzle([2 ** width], ...stages))),
  ),
  map: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    tie("leaf"),
    fc.tuple(tie("map"), tie("map")).map((factors) => productMap(...factors)),
  ),
})).map;
