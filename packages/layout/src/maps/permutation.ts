import { LayoutError, safeInteger } from "../errors.js";
import { requireList } from "../tree.js";
import { type IndexMapContract, MapValue } from "./index-map.js";
import { requireCodomain } from "./layout-map.js";

/** A list of distinct indices: coordinate i has index `values[i]`. @since 0.1.0 */
export interface Permutation extends IndexMapContract {
  readonly kind: "permutation";
  /** The index of each coordinate. Never write into it. */
  readonly values: readonly number[];
}

class PermutationValue extends MapValue implements Permutation {
  readonly kind = "permutation";
  readonly values: readonly number[];

  constructor(values: readonly number[], codomainSize: number) {
    super([values.length], values.length, codomainSize);
    this.values = values;
  }

  override get isIdentity(): boolean {
    return this.size === this.codomainSize && this.values.every((value, i) => value === i);
  }

  protected at(ordinal: number): number {
    return this.values[ordinal]!;
  }

  toString(): string {
    const more = this.values.length > 8 ? ",…" : "";
    return `permutation [${this.values.slice(0, 8).join(",")}${more}] in ${this.codomainSize}`;
  }
}

/**
 * Makes an index map of a list of distinct indices below a bound, which is their number unless given (LA-111).
 *
 * @throws TypeError for what is not a list of integers.
 * @throws LayoutError `SW_LAYOUT_EMPTY` (no value), `SW_LAYOUT_CODOMAIN` (a value outside, or a bound below 1),
 * `SW_LAYOUT_NOT_INJECTIVE` (a value twice), `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { permutation } from "@sw/layout/maps";
 * console.log(permutation([2, 0, 1]).index(0), permutation([2, 9], 15).codomainSize); // 2 15
 * ```
 * @since 0.1.0
 */
export function permutation(values: readonly number[], codomainSize: number = values?.length): Permutation {
  requireList("permutation", "values", values);
  const copy: number[] = [];
  for (let i = 0; i < values.length; i++) copy.push(safeInteger("permutation", "a value", values[i]));
  if (copy.length === 0) {
    throw new LayoutError("SW_LAYOUT_EMPTY", "permutation", "values are empty: got [], expected at least one value.");
  }
  requireCodomain("permutation", codomainSize);
  const seen = new Set<number>();
  for (const value of copy) {
    if (value < 0 || value >= codomainSize) {
      const problem = `a value is outside the codomain: got ${value}, expected 0 to ${codomainSize - 1}.`;
      throw new LayoutError("SW_LAYOUT_CODOMAIN", "permutation", problem, { value });
    }
    if (seen.has(value)) {
      const problem = `a value is there twice: got ${value} again, expected distinct values.`;
      throw new LayoutError("SW_LAYOUT_NOT_INJECTIVE", "permutation", problem, { value });
    }
    seen.add(value);
  }
  return new PermutationValue(copy, codomainSize);
}

/** Looks the values of the inner one up in the outer one. */
export function composePermutations(outer: Permutation, inner: Permutation): Permutation {
  return new PermutationValue(
    inner.values.map((value) => outer.values[value]!),
    outer.codomainSize,
  );
}
