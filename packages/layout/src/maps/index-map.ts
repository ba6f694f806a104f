import { ordinalOf } from "../coordinates.js";
import type { Coordinate, Shape } from "../tree.js";
import type { MapChain } from "./compose-map.js";
import type { HilbertCurve } from "./hilbert.js";
import type { LayoutMap } from "./layout-map.js";
import type { Permutation } from "./permutation.js";
import type { ProductMap } from "./product-map.js";
import type { Swizzle } from "./swizzle.js";

/** What every index map has, whatever its kind. @since 0.1.0 */
export interface IndexMapContract {
  /** The brand by which any installed copy of the package knows an index map. */
  readonly "@sw/layout/IndexMap/1": true;
  /** The domain. */
  readonly shape: Shape;
  /** The number of coordinates. */
  readonly size: number;
  /** A bound above every index: as declared, though the image be smaller (LA-110). It is 0 only when the map is empty. */
  readonly codomainSize: number;
  /** Whether no two coordinates share an index; undefined where only a long search would tell. */
  readonly isInjective: boolean | undefined;
  /** Whether every ordinal is known to be its own index, and the codomain is as large as the domain. */
  readonly isIdentity: boolean;
  /** How many products lie inside each other, and what they hold: 1 where there is none, 64 at most. */
  readonly levels: number;
  /**
   * Gives the index of a coordinate: nested, partly linear or linear, first mode fastest.
   *
   * @throws TypeError for what is not an integer or a list of them; LayoutError `SW_LAYOUT_COORDINATE` (LA-24).
   */
  index(coordinate: Coordinate): number;
  /** What the map is made of, for people. */
  toString(): string;
}

/**
 * Any function from the coordinates of a shape to indices below a bound: a layout, or what no layout expresses.
 *
 * An immutable value; its `kind` tells which further fields it has. Only layouts place tensors.
 *
 * @since 0.1.0
 */
export type IndexMap = HilbertCurve | LayoutMap | MapChain | Permutation | ProductMap | Swizzle;

/** The part that all kinds share: each is a function of the ordinal, first mode fastest. */
export abstract class MapValue implements IndexMapContract {
  readonly shape: Shape;
  readonly size: number;
  readonly codomainSize: number;
  readonly levels: number;

  constructor(shape: Shape, size: number, codomainSize: number, levels = 1) {
    this.shape = shape;
    this.size = size;
    this.codomainSize = codomainSize;
    this.levels = levels;
  }

  get "@sw/layout/IndexMap/1"(): true {
    return true;
  }

  get isInjective(): boolean | undefined {
    return this.size <= 1 || this.decideInjective();
  }

  get isIdentity(): boolean {
    return false;
  }

  index(coordinate: Coordinate): number {
    // The common case without a call: an ordinal inside. `+ 0` turns -0 into 0.
    if (typeof coordinate === "number" && Number.isInteger(coordinate) && coordinate >= 0 && coordinate < this.size) {
      return this.at(coordinate + 0);
    }
    return this.at(ordinalOf("index", this.shape, coordinate, this.shape));
  }

  /** The index of an ordinal inside the domain. */
  protected abstract at(ordinal: number): number;

  /** Whether a map of two or more coordinates is injective: most kinds always are. */
  protected decideInjective(): boolean | undefined {
    return true;
  }

  abstract toString(): string;
}

/** Tells whether a value is an index map, of this or any other installed copy of the package. @since 0.1.0 */
export function isIndexMap(value: unknown): value is IndexMap {
  return typeof value === "object" && value !== null && "@sw/layout/IndexMap/1" in value;
}

/** The levels of the deepest of several maps. */
export function deepest(maps: readonly IndexMap[]): number {
  return maps.reduce((levels, map) => Math.max(levels, map.levels), 1);
}
