import { describe, LayoutError, safeInteger, unsafe } from "../errors.js";
import { checkedSize } from "../layout.js";
import { copyShape, formatShape, formatTree, type Shape } from "../tree.js";
import { type IndexMapContract, MapValue } from "./index-map.js";

/**
 * Two disjoint fields of `bits` bits of an ordinal, of which one is combined into the other by exclusive or (LA-112).
 *
 * A positive shift takes the field at `base + shift` into the one at `base`, a negative one the field at `base` into that
 * at `base - shift`.
 *
 * @since 0.1.0
 */
export interface SwizzleStage {
  readonly bits: number;
  readonly base: number;
  readonly shift: number;
}

/** A map that rearranges a domain of a power of 2 by stages, in their order. @since 0.1.0 */
export interface Swizzle extends IndexMapContract {
  readonly kind: "swizzle";
  readonly stages: readonly SwizzleStage[];
}

/** The largest power of 2 that is a safe integer has this exponent. */
const MAX_BITS = 52;

/** Powers of 2 that cut the fields of a stage out of a number. */
interface Fields {
  /** The weight of the lowest bit of the field that is read. */
  readonly from: number;
  /** The weight of the lowest bit of the field that is changed. */
  readonly to: number;
  /** 2 to the width of both. */
  readonly width: number;
}

class SwizzleValue extends MapValue implements Swizzle {
  readonly kind = "swizzle";
  readonly stages: readonly SwizzleStage[];
  readonly fields: readonly Fields[];

  constructor(shape: Shape, size: number, stages: readonly SwizzleStage[]) {
    super(shape, size, size);
    this.stages = stages;
    this.fields = stages.map(({ bits, base, shift }) => ({
      from: 2 ** (base + Math.max(shift, 0)),
      to: 2 ** (base - Math.min(shift, 0)),
      width: 2 ** bits,
    }));
  }

  override get isIdentity(): boolean {
    return this.stages.length === 0;
  }

  protected at(ordinal: number): number {
    const fields = this.fields;
    let x = ordinal;
    for (let i = 0; i < fields.length; i++) {
      const { from, to, width } = fields[i]!;
      // Division by powers of 2 is exact beyond 32 bits, where shifts are not; a field has 26 bits at most.
      const source = Math.floor(x / from) % width;
      const target = Math.floor(x / to) % width;
      x += ((source ^ target) - target) * to;
    }
    return x;
  }

  toString(): string {
    return `swizzle${this.stages.map(formatStage).join("")} of ${formatTree(this.shape)}`;
  }
}

/**
 * Makes a swizzle of a shape whose size is a power of 2: its stages run in order on the ordinal, first mode fastest
 * (LA-113). Without stages it is the identity. Exact for sizes up to 2^52.
 *
 * @throws TypeError for what is not a shape or a stage of integers.
 * @throws LayoutError `SW_LAYOUT_SWIZZLE` (the size is no power of 2, fields overlap, are empty or leave the domain), and
 * those of `layout` for the shape.
 * @example
 * ```ts
 * import { swizzle } from "@sw/layout/maps";
 * const s = swizzle([8, 8], { bits: 3, base: 0, shift: 3 }); // row r of a tile is exclusive-ored with its column
 * console.log(s.index([0, 5]), s.index([5, 5])); // 45 40
 * ```
 * @since 0.1.0
 */
export function swizzle(shape: Shape, ...stages: readonly SwizzleStage[]): Swizzle {
  const extents = copyShape("swizzle", shape);
  const copies = stages.map((stage) => copyStage("swizzle", stage));
  for (const stage of copies) requireFields("swizzle", stage);
  return make("swizzle", extents, copies);
}

/**
 * Makes CuTe's `Swizzle<bits, base, shift>`, which is one stage (LA-114), on a shape of its own choosing:
 * `[2 ** (bits + base + |shift|)]` unless given. No bits at all are the identity, whatever the shift.
 *
 * @throws TypeError for what is not an integer; LayoutError as `swizzle`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { composeMap, cuteSwizzle } from "@sw/layout/maps";
 * const tile = composeMap(cuteSwizzle(2, 0, 3, [64]), layout([8, 8], [8, 1]));
 * console.log(String(tile), tile.index([1, 0])); // swizzle<2,0,3> of (64) o (8,8):(8,1) 9
 * ```
 * @since 0.1.0
 */
export function cuteSwizzle(bits: number, base: number, shift: number, shape?: Shape): Swizzle {
  return fromTriple("cuteSwizzle", { bits, base, shift }, shape);
}

/**
 * Makes a swizzle of one stage from two masks of the same number of adjacent bits: those of `source` are combined into
 * those of `target` (CuTe's `make_swizzle<source, target>`, LA-114).
 *
 * @throws TypeError for what is not an integer; LayoutError `SW_LAYOUT_SWIZZLE`, also for a mask that is no field or
 * differs in width, and as `cuteSwizzle`.
 * @example
 * ```ts
 * import { swizzleFromMasks } from "@sw/layout/maps";
 * console.log(String(swizzleFromMasks(0b11000, 0b00011))); // swizzle<2,0,3> of (32)
 * ```
 * @since 0.1.0
 */
export function swizzleFromMasks(source: number, target: number, shape?: Shape): Swizzle {
  const from = fieldOf("source", source);
  const to = fieldOf("target", target);
  if (from.bits !== to.bits) {
    const problem = `masks differ in width: got ${from.bits} bits of source and ${to.bits} of target, expected the same number.`;
    throw new LayoutError("SW_LAYOUT_SWIZZLE", "swizzleFromMasks", problem, { value: target });
  }
  const stage = { bits: from.bits, base: Math.min(from.base, to.base), shift: from.base - to.base };
  return fromTriple("swizzleFromMasks", stage, shape);
}

/** The stages of the inner one and then those of the outer one, in the shape of the inner one; equal neighbours cancel. */
export function composeSwizzles(outer: Swizzle, inner: Swizzle): Swizzle {
  const stages: SwizzleStage[] = [];
  for (const stage of [...inner.stages, ...outer.stages]) {
    const last = stages[stages.length - 1];
    const cancels = last?.bits === stage.bits && last.base === stage.base && last.shift === stage.shift;
    if (cancels) stages.pop();
    else stages.push(stage);
  }
  return new SwizzleValue(inner.shape, inner.size, stages);
}

/** One stage, or none when it has no bits, on the smallest domain unless a shape is given. */
function fromTriple(operation: string, triple: SwizzleStage, shape: Shape | undefined): Swizzle {
  const stage = copyStage(operation, triple);
  const isIdentity = stage.bits === 0 && stage.base >= 0;
  if (!isIdentity) requireFields(operation, stage);
  const width = widthOf(stage);
  if (shape === undefined && width > MAX_BITS) throw unsafe(operation, "the size", 2 ** width);
  return make(operation, copyShape(operation, shape ?? [2 ** width]), isIdentity ? [] : [stage]);
}

function make(operation: string, extents: Shape, stages: readonly SwizzleStage[]): Swizzle {
  const size = checkedSize(operation, extents);
  let width = 0;
  while (2 ** width < size) width++;
  if (2 ** width !== size) {
    const problem = `the size is no power of 2: got ${size} for ${formatShape(extents)}, expected 1, 2, 4, ….`;
    throw new LayoutError("SW_LAYOUT_SWIZZLE", operation, problem, { shape: extents, value: size });
  }
  for (const stage of stages) {
    if (widthOf(stage) <= width) continue;
    const problem = `a stage leaves the domain: got ${formatStage(stage)}, which needs ${widthOf(stage)} bits, expected at most ${width} (shape ${formatShape(extents)}).`;
    throw new LayoutError("SW_LAYOUT_SWIZZLE", operation, problem, { shape: extents, value: widthOf(stage) });
  }
  return new SwizzleValue(extents, size, stages);
}

function copyStage(operation: string, stage: SwizzleStage): SwizzleStage {
  if (typeof stage !== "object" || stage === null) {
    throw new TypeError(
      `${operation}: a stage is not a stage: got ${describe(stage)}, expected { bits, base, shift }.`,
    );
  }
  return {
    bits: safeInteger(operation, "bits", stage.bits),
    base: safeInteger(operation, "base", stage.base),
    shift: safeInteger(operation, "shift", stage.shift),
  };
}

/** Refuses a stage whose fields are empty or overlap. */
function requireFields(operation: string, stage: SwizzleStage): void {
  const { bits, base, shift } = stage;
  if (bits >= 1 && base >= 0 && Math.abs(shift) >= bits) return;
  const [value, rule] =
    bits < 1
      ? [bits, "1 bit or more"]
      : base < 0
        ? [base, "a base of 0 or more"]
        : [shift, `a shift of ±${bits} or more`];
  const problem = `a stage has no two disjoint fields: got ${formatStage(stage)}, expected ${rule}.`;
  throw new LayoutError("SW_LAYOUT_SWIZZLE", operation, problem, { value });
}

/** How many bits a domain has in which both fields of a stage lie. */
function widthOf({ bits, base, shift }: SwizzleStage): number {
  return bits + base + Math.abs(shift);
}

/** As CuTe writes it. */
function formatStage({ bits, base, shift }: SwizzleStage): string {
  return `<${bits},${base},${shift}>`;
}

/** Reads a mask of adjacent bits. */
function fieldOf(what: string, mask: number): { bits: number; base: number } {
  safeInteger("swizzleFromMasks", what, mask);
  let base = 0;
  while (mask > 0 && mask % 2 ** (base + 1) === 0) base++;
  let bits = 0;
  while (2 ** base * (2 ** bits - 1) < mask) bits++;
  if (2 ** base * (2 ** bits - 1) === mask) return { bits, base };
  const problem = `${what} is no field of adjacent bits: got ${mask}, expected one such as 0b0110.`;
  throw new LayoutError("SW_LAYOUT_SWIZZLE", "swizzleFromMasks", problem, { value: mask });
}
