import { LayoutError } from "../errors.js";
import type { Layout } from "../layout.js";
import { treesEqual } from "../tree.js";
import { deepest, type IndexMap, type IndexMapContract, MapValue } from "./index-map.js";
import { asMap, composeLayouts, toMap } from "./layout-map.js";
import { composePermutations } from "./permutation.js";
import { productOf } from "./product-map.js";
import { composeSwizzles } from "./swizzle.js";

/** Maps one after the other, where no single map of another kind is known to be the composition. @since 0.1.0 */
export interface MapChain extends IndexMapContract {
  readonly kind: "chain";
  /** Two or more maps, the innermost, which is applied first, first; none of them is a chain. */
  readonly steps: readonly IndexMap[];
}

class MapChainValue extends MapValue implements MapChain {
  readonly kind = "chain";
  readonly steps: readonly IndexMap[];

  constructor(steps: readonly IndexMap[]) {
    const first = steps[0]!;
    super(first.shape, first.size, steps[steps.length - 1]!.codomainSize, deepest(steps));
    this.steps = steps;
  }

  protected at(ordinal: number): number {
    const steps = this.steps;
    let index = ordinal;
    for (let i = 0; i < steps.length; i++) index = steps[i]!.index(index);
    return index;
  }

  protected override decideInjective(): boolean | undefined {
    // An outer map may repeat indices that the inner ones never reach.
    if (this.steps[0]!.isInjective === false) return false;
    return this.steps.every((step) => step.isInjective === true) ? true : undefined;
  }

  toString(): string {
    return [...this.steps].reverse().join(" o ");
  }
}

/**
 * Composes two index maps: the result maps each coordinate of `inner` to `outer(inner(coordinate))`, the index of the
 * inner one read as an ordinal, first mode fastest (LA-117). It has the shape of `inner` and the codomain of `outer`, or
 * the smaller one that an affine outer layout makes of the codomain of `inner`. A layout stands for itself as a map.
 *
 * Permutations, swizzles of equal size, products whose radices match, and layouts whose composition is a layout of that
 * shape give one map of their kind; an identity disappears (LA-66). All else is a chain, evaluated step by step; nothing
 * is ever enumerated but the values of a permutation.
 *
 * @throws TypeError for what is neither an index map nor a layout.
 * @throws LayoutError `SW_LAYOUT_CODOMAIN` when the codomain of `inner` is larger than `outer`; `SW_LAYOUT_SIGN` for a
 * layout with negative indices.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { asMap, composeMap, swizzle } from "@sw/layout/maps";
 * const s = swizzle([16], { bits: 2, base: 0, shift: 2 });
 * console.log(String(composeMap(s, asMap(layout([2, 3], [1, 4]), { start: 2 })))); // swizzle<2,0,2> of (16) o 2 + (2,3):(1,4)
 * console.log(String(composeMap(s, s))); // swizzle of (16)
 * ```
 * @since 0.1.0
 */
export function composeMap(outer: IndexMap | Layout, inner: IndexMap | Layout): IndexMap {
  const a = toMap("composeMap", outer);
  const b = toMap("composeMap", inner);
  if (b.codomainSize > a.size) {
    const problem = `the inner map leaves the domain of the outer one: got a codomain of ${b.codomainSize} (${b}), expected at most ${a.size} (${a}).`;
    throw new LayoutError("SW_LAYOUT_CODOMAIN", "composeMap", problem, {
      shape: a.shape,
      otherShape: b.shape,
      value: b.codomainSize,
    });
  }
  return join("composeMap", a, b);
}

/** Composes maps that fit, as few steps as the closures allow. */
function join(operation: string, outer: IndexMap, inner: IndexMap): IndexMap {
  const steps = [...stepsOf(inner)];
  for (const step of stepsOf(outer)) {
    let last = step;
    // What became of two steps may go together with the one before.
    for (let before = steps.pop(); before !== undefined; before = steps.pop()) {
      const both = fuse(operation, last, before);
      if (both === undefined) {
        steps.push(before);
        break;
      }
      last = both;
    }
    steps.push(last);
  }
  return steps.length === 1 ? steps[0]! : new MapChainValue(steps);
}

function stepsOf(map: IndexMap): readonly IndexMap[] {
  return map.kind === "chain" ? map.steps : [map];
}

/** One map that is the composition of two that fit, if a closure gives it. */
function fuse(operation: string, outer: IndexMap, inner: IndexMap): IndexMap | undefined {
  if (inner.codomainSize === outer.size) {
    if (outer.isIdentity) return inner;
    if (inner.isIdentity && treesEqual(inner.shape, outer.shape)) return outer;
  }
  if (outer.kind === "permutation" && inner.kind === "permutation") return composePermutations(outer, inner);
  if (outer.kind === "swizzle" && inner.kind === "swizzle") {
    return outer.size === inner.size ? composeSwizzles(outer, inner) : undefined;
  }
  if (outer.kind === "layout" && inner.kind === "layout") return composeLayouts(operation, outer, inner);
  if (outer.kind === "product" && inner.kind === "product") {
    const { factors } = outer;
    const matches =
      factors.length === inner.factors.length &&
      factors.every((factor, i) => factor.size === inner.factors[i]!.codomainSize);
    if (!matches) return undefined;
    const joined = factors.map((factor, i) =>
      withCodomain(join(operation, factor, inner.factors[i]!), factor.codomainSize),
    );
    return productOf(operation, joined);
  }
  return undefined;
}

/** Gives a map the bound of the factor it replaces, which weighs the factors after it (LA-116): only layouts tighten theirs. */
function withCodomain(map: IndexMap, codomainSize: number): IndexMap {
  if (map.codomainSize === codomainSize) return map;
  if (map.kind === "layout") return asMap(map.layout, { start: map.start, codomainSize });
  const steps = stepsOf(map);
  return new MapChainValue([...steps.slice(0, -1), withCodomain(steps[steps.length - 1]!, codomainSize)]);
}
