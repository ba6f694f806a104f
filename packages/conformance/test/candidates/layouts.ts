import { coalesce, compose, indexOf, type Layout, layout } from "@sw/layout";
import { complement, logicalDivide, logicalProduct } from "@sw/layout/algebra";
import type { LayoutCandidate, LayoutJSON, Tree } from "../../src/index.js";

const modesOf = (tree: Tree): readonly Tree[] => (typeof tree === "number" ? [tree] : tree);

/** `@sw/layout` behind the words of the kit. */
export const layouts = {
  name: "@sw/layout",
  parse(value: unknown): Layout {
    const [shape, stride] = value as LayoutJSON;
    return layout(modesOf(shape), modesOf(stride));
  },
  show: (value: unknown) => [(value as Layout).shape, (value as Layout).stride],
  size: (l: unknown) => (l as Layout).size,
  index: (l: unknown, coordinate: unknown) => indexOf(l as Layout, coordinate as number),
  compose: (a: unknown, b: unknown) => compose(a as Layout, b as Layout),
  complement: (l: unknown, codomain?: number) => complement(l as Layout, codomain),
  divide: (l: unknown, tile: unknown) => logicalDivide(l as Layout, tile as Layout),
  product: (a: unknown, b: unknown) => logicalProduct(a as Layout, b as Layout),
  coalesce: (l: unknown) => coalesce(l as Layout),
} satisfies LayoutCandidate;
