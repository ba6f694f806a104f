import { LayoutError } from "../errors.js";
import { checkedSize, type Layout } from "../layout.js";
import { checkDepth, type IntTree, MAX_DEPTH, type Shape } from "../tree.js";
import { deepest, type IndexMap, type IndexMapContract, MapValue } from "./index-map.js";
import { toMap } from "./layout-map.js";

/** Maps side by side: one mode each, and the ordinal of their indices in `targetShape`. @since 0.1.0 */
export interface ProductMap extends IndexMapContract {
  readonly kind: "product";
  readonly factors: readonly IndexMap[];
  /** The codomain: one mode per factor; of a factor that is a product, its own target shape. */
  readonly targetShape: Shape;
}

class ProductMapValue extends MapValue implements ProductMap {
  readonly kind = "product";
  readonly factors: readonly IndexMap[];
  readonly targetShape: Shape;

  constructor(shape: Shape, targetShape: Shape, size: number, codomainSize: number, factors: readonly IndexMap[]) {
    super(shape, size, codomainSize, 1 + deepest(factors));
    this.targetShape = targetShape;
    this.factors = factors;
  }

  override get isIdentity(): boolean {
    return this.factors.every((factor) => factor.isIdentity);
  }

  protected at(ordinal: number): number {
    const factors = this.factors;
    let index = 0;
    let weight = 1;
    let rest = ordinal;
    for (let i = 0; i < factors.length; i++) {
      const factor = factors[i]!;
      const digit = rest % factor.size;
      index += weight * factor.index(digit);
      weight *= factor.codomainSize;
      rest = (rest - digit) / factor.size;
    }
    return index;
  }

  protected override decideInjective(): boolean | undefined {
    const verdicts = this.factors.map((factor) => factor.isInjective);
    if (verdicts.includes(false)) return false;
    return verdicts.includes(undefined) ? undefined : true;
  }

  toString(): string {
    return `(${this.factors.join(" × ")})`;
  }
}

/**
 * Puts index maps side by side (LA-116): the shape has one mode per map, and the index is the ordinal, first mode
 * fastest, of their indices in the shape of their codomains. A layout stands for itself as a map.
 *
 * @throws TypeError for what is neither an index map nor a layout.
 * @throws LayoutError `SW_LAYOUT_COUNT` for fewer than two maps, `SW_LAYOUT_SIGN` for a layout with negative indices,
 * `SW_LAYOUT_UNSAFE_INTEGER`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { permutation, productMap } from "@sw/layout/maps";
 * const p = productMap(permutation([4, 3], 10), permutation([2, 9], 15));
 * console.log(p.index([0, 0]), p.index([1, 1]), p.codomainSize); // 24 93 150
 * ```
 * @since 0.1.0
 */
export function productMap(...maps: readonly (IndexMap | Layout)[]): ProductMap {
  const factors = maps.map((map) => toMap("productMap", map));
  if (factors.length < 2) {
    const problem = `a product needs two maps: got ${factors.length}, expected 2 or more.`;
    throw new LayoutError("SW_LAYOUT_COUNT", "productMap", problem, { value: factors.length });
  }
  return productOf("productMap", factors);
}

/** Multiplies index maps, two or more. */
export function productOf(operation: string, factors: readonly IndexMap[]): ProductMap {
  const shape = factors.map(modeOf);
  const targetShape = factors.map(targetOf);
  checkDepth(operation, shape);
  checkDepth(operation, targetShape);
  if (deepest(factors) >= MAX_DEPTH) {
    const problem = `products nest too deep: got more than ${MAX_DEPTH} levels, expected at most ${MAX_DEPTH}.`;
    throw new LayoutError("SW_LAYOUT_DEPTH", operation, problem, { value: MAX_DEPTH + 1 });
  }
  const size = checkedSize(operation, shape);
  return new ProductMapValue(shape, targetShape, size, checkedSize(operation, targetShape), factors);
}

/** A shape as one mode of another: itself, or its only mode (LA-81), or extent 1 for rank 0. */
function modeOf({ shape }: IndexMap): IntTree {
  return shape.length > 1 ? shape : (shape[0] ?? 1);
}

function targetOf(map: IndexMap): IntTree {
  return map.kind === "product" ? map.targetShape : map.codomainSize;
}
