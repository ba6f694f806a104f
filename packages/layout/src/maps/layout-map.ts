import { maxIndex, minIndex } from "../bounds.js";
import { coalesce } from "../coalesce.js";
import { composeWith } from "../compose.js";
import { describe, LayoutError, safeInteger, unsafe } from "../errors.js";
import { decideInjective } from "../injective.js";
import { formatLayout, isLayout, type Layout, requireLayout, trusted } from "../layout.js";
import { type IntTree, treesEqual } from "../tree.js";
import { type IndexMap, type IndexMapContract, isIndexMap, MapValue } from "./index-map.js";

/** Steps in which the search for a collision ends or is given up: about a tenth of a millisecond. */
const SEARCH_STEPS = 10_000;

/** A layout as an index map, from an index on: `start + layout(coordinate)`. @since 0.1.0 */
export interface LayoutMap extends IndexMapContract {
  readonly kind: "layout";
  readonly layout: Layout;
  /** The index of the first coordinate; 0 unless the map was made with one. */
  readonly start: number;
}

/** Where a layout lies as an index map. @since 0.1.0 */
export interface PlaceOptions {
  /** The index of the first coordinate: the start of a `Located`, the offset of CuTe's composed layout. 0 unless given. */
  readonly start?: number;
  /** The bound above every index. The tightest one unless given. */
  readonly codomainSize?: number;
}

class LayoutMapValue extends MapValue implements LayoutMap {
  readonly kind = "layout";
  readonly layout: Layout;
  readonly start: number;
  /** The same function of the ordinal with the fewest digits, fastest first. */
  readonly extents: readonly number[];
  readonly strides: readonly number[];

  constructor(layout: Layout, start: number, codomainSize: number) {
    super(layout.shape, layout.size, codomainSize);
    this.layout = layout;
    this.start = start;
    const digits = coalesce(layout);
    this.extents = digits.shape as readonly number[];
    this.strides = digits.stride as readonly number[];
  }

  override get isIdentity(): boolean {
    const isCompact = this.size <= 1 || (this.extents.length === 1 && this.strides[0] === 1);
    return isCompact && this.start === 0 && this.codomainSize === this.size;
  }

  protected at(ordinal: number): number {
    const { extents, strides } = this;
    const last = extents.length - 1;
    let index = this.start;
    let rest = ordinal;
    for (let i = 0; i < last; i++) {
      const digit = rest % extents[i]!;
      index += digit * strides[i]!;
      rest = (rest - digit) / extents[i]!;
    }
    return index + rest * strides[last]!;
  }

  protected override decideInjective(): boolean | undefined {
    return decideInjective(this.layout, SEARCH_STEPS);
  }

  toString(): string {
    return this.start === 0 ? formatLayout(this.layout) : `${this.start} + ${formatLayout(this.layout)}`;
  }
}

/**
 * Reads a layout as an index map, from a start on. With a start, negative strides and the offset between a swizzle and a
 * layout are no special cases: CuTe's `S o offset o L` is `composeMap(S, asMap(L, { start: offset }))` (LA-115).
 *
 * @throws TypeError for what is not a layout or an integer.
 * @throws LayoutError `SW_LAYOUT_SIGN` when an index would be negative, `SW_LAYOUT_CODOMAIN` when one reaches the bound
 * given, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { asMap } from "@sw/layout/maps";
 * const reversed = asMap(layout([4], [-1]), { start: 3 });
 * console.log(reversed.index(0), reversed.index(3), reversed.codomainSize); // 3 0 4
 * ```
 * @since 0.1.0
 */
export function asMap(l: Layout, options: PlaceOptions = {}): LayoutMap {
  requireLayout("asMap", l);
  if (typeof options !== "object" || options === null) {
    const expected = "{ start, codomainSize }";
    throw new TypeError(`asMap: options are not an object: got ${describe(options)}, expected ${expected}.`);
  }
  return placed("asMap", l, options);
}

function placed(operation: string, l: Layout, { start: from = 0, codomainSize: declared }: PlaceOptions): LayoutMap {
  const start = safeInteger(operation, "start", from);
  // An empty layout reaches nothing, wherever it starts.
  const lowest = l.size === 0 ? 0 : start + minIndex(l);
  const bound = l.size === 0 ? 0 : start + maxIndex(l) + 1;
  if (lowest < 0) {
    const problem = `an index is negative: got ${lowest} from ${formatLayout(l)} at start ${start}, expected 0 or more. Give it a later start.`;
    throw new LayoutError("SW_LAYOUT_SIGN", operation, problem, { layout: l, value: lowest });
  }
  if (!Number.isSafeInteger(bound)) throw unsafe(operation, "the bound of the indices", bound, { layout: l });
  if (declared === undefined) return new LayoutMapValue(l, start, bound);
  const codomainSize = requireCodomain(operation, declared);
  if (codomainSize < bound) {
    const problem = `an index leaves the codomain: got ${bound - 1} from ${formatLayout(l)} at start ${start}, expected below ${codomainSize}.`;
    throw new LayoutError("SW_LAYOUT_CODOMAIN", operation, problem, { layout: l, value: codomainSize });
  }
  return new LayoutMapValue(l, start, codomainSize);
}

/** Reads a bound, which must be positive. */
export function requireCodomain(operation: string, codomainSize: number): number {
  const bound = safeInteger(operation, "codomainSize", codomainSize);
  if (bound > 0) return bound;
  const problem = `codomainSize is not positive: got ${bound}, expected 1 or more.`;
  throw new LayoutError("SW_LAYOUT_CODOMAIN", operation, problem, { value: bound });
}

/** Reads an operand that is an index map or a layout. */
export function toMap(operation: string, value: IndexMap | Layout): IndexMap {
  if (isIndexMap(value)) return value;
  if (isLayout(value)) return placed(operation, value, {});
  throw new TypeError(
    `${operation}: argument is neither an index map nor a layout: got ${describe(value)}, expected a value made by this package.`,
  );
}

/**
 * Composes two layouts, where the result is a layout of the shape of the inner one; undefined where it is not.
 * The indices of the inner one are ordinals of the outer one.
 */
export function composeLayouts(operation: string, outer: LayoutMap, inner: LayoutMap): LayoutMap | undefined {
  const digits = coalesce(outer.layout);
  const step = digits.stride[0] as number;
  if (digits.rank === 1 && inner.size > 0) {
    // An affine function of the ordinal: it scales and moves whatever comes before, and the bound with it.
    const l = trusted(inner.shape, scaled(inner.shape, inner.layout.stride, step) as readonly IntTree[], inner.size);
    const unreached = Math.max(step, 0) * (outer.size - inner.codomainSize);
    return new LayoutMapValue(l, outer.start + step * inner.start, outer.codomainSize - unreached);
  }
  if (inner.start !== 0) return undefined;
  try {
    const l = composeWith(operation, outer.layout, inner.layout);
    // The composition of maps keeps the shape of the inner one (LA-117); one that has to split a leaf stays a chain.
    return treesEqual(l.shape, inner.shape) ? new LayoutMapValue(l, outer.start, outer.codomainSize) : undefined;
  } catch (error) {
    const code = (error as Partial<LayoutError>).code;
    if (code === "SW_LAYOUT_INADMISSIBLE" || code === "SW_LAYOUT_DEPTH") return undefined;
    throw error;
  }
}

/** Multiplies strides; that of extent 1 counts nothing and becomes 0 (LA-9). */
function scaled(shape: IntTree, stride: IntTree, factor: number): IntTree {
  if (typeof shape === "number") return shape <= 1 ? 0 : (stride as number) * factor + 0;
  return shape.map((mode, i) => scaled(mode, (stride as readonly IntTree[])[i]!, factor));
}
