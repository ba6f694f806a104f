import type { DataBuffer } from "@sw/buffer";
import { columnMajor, extents, type Layout, type LayoutView } from "@sw/layout";
import { UnsupportedError } from "../errors.js";
import { showShape } from "../gate.js";
import { checkLive } from "../handle.js";
import { isCompound } from "../refuse-compound.js";
import type { CompoundType } from "./compound-type.js";
import type { Part } from "./part.js";
import { checkRepresentation } from "./representation.js";

/**
 * A tensor whose values are computed from several parts: quantised elements, the scales of their blocks, zero points.
 *
 * Part 0 has an element for each coordinate. `adjacent[i]` has the shape of part i and gives, for each of its
 * coordinates, the ordinal of the element of part i + 1 that goes with it, first-mode-fastest (VA-3). So a view of the
 * tensor is the same view of the first part and of the first adjacent layout, and nothing else changes (VA-32).
 *
 * The functions of `views` take it, `rearrange` aside, and `dequantize`; everything else refuses it (VA-10).
 * @since 0.1.0
 */
export class CompoundTensor {
  readonly type: CompoundType;
  /** The levels: what is quantised, then what it is scaled by. */
  readonly parts: readonly Part[];
  /** From each level to the next one. */
  readonly adjacent: readonly Layout[];
  /** One extent per axis. */
  readonly shape: readonly number[];

  /** Tensors of several parts are made by `makeCompound`, `quantize` and views. @internal */
  constructor(type: CompoundType, parts: readonly Part[], adjacent: readonly Layout[], shape: readonly number[]) {
    this.type = type;
    this.parts = parts;
    this.adjacent = adjacent;
    this.shape = shape;
  }

  static {
    // Node prints values through this hook; a computed key on an exported class has no declaration.
    Object.defineProperty(CompoundTensor.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value(this: CompoundTensor): string {
        return this.toString();
      },
    });
  }

  /** The brand by which tensors of several parts are recognised, whatever copy of the package made them. */
  get "@sw/tensor/CompoundTensor/1"(): true {
    return true;
  }

  /** The layout of the first part. */
  get layout(): Layout {
    return (this.parts[0] as Part).layout;
  }

  /** The number of elements. */
  get size(): number {
    return this.shape.reduce((size, extent) => size * extent, 1);
  }

  /** The number of axes. */
  get rank(): number {
    return this.shape.length;
  }

  /** Whether the shape is a box inside a larger layout, as where the last block of an axis is not full. */
  get isPadded(): boolean {
    return extents(this.layout).some((extent, axis) => extent !== this.shape[axis]);
  }

  /** The version of each buffer, in the order in which the parts first name them (VA-9). */
  get versions(): readonly { readonly buffer: DataBuffer; readonly version: number }[] {
    return [...new Set(this.parts.map((part) => part.buffer))].map((buffer) => ({ buffer, version: buffer.version }));
  }

  /**
   * Makes the view of every element that a view of layouts selects: what the functions of `views` call. Shares memory.
   *
   * The parts keep their origins, so a view that does not start at the first coordinate is not for several parts
   * (VA-39). Whether it does is asked of the compact layout of the shape: strides of 0 hide it in others.
   *
   * @param view - as for tensors of one part; it is applied to the first part's layout and to the first adjacent one.
   * @throws StaleTensorError `SW_BUFFER_STALE`; what the view throws for either layout; UnsupportedError for a view that
   * starts elsewhere, and for a padded tensor; what {@link makeCompound} throws.
   * @example
   * ```ts
   * import { permuteAxes } from "@sw/layout";
   * import { arange } from "@sw/tensor";
   * import { blockInt8, quantize } from "@sw/tensor/compound";
   * const q = quantize(arange(64).reshape([2, 32]), blockInt8);
   * const view = q.mapLeading((l) => permuteAxes(l, [1, 0]), "permute");
   * console.log(String(q), String(view)); // CompoundTensor blockInt8 [2,32] CompoundTensor blockInt8 [32,2]
   * ```
   */
  mapLeading(view: LayoutView, operation: string): CompoundTensor {
    for (const part of this.parts) checkLive(part, operation);
    if (this.isPadded) {
      throw new UnsupportedError(
        `${operation}: the tensor is padded: got shape ${showShape(this.shape)} inside a layout of ${showShape(extents(this.layout))}, expected a tensor without padding. Call dequantize first.`,
      );
    }
    const [first, ...deeper] = this.parts as [Part, ...Part[]];
    const placed = view(first.layout);
    const leading = this.adjacent.slice(0, 1).map((layout) => view(layout).layout);
    const { start } = view(columnMajor(first.layout.shape));
    if (start !== 0) {
      throw new UnsupportedError(
        `${operation}: a view of several parts starts at the first element: got one that starts at ordinal ${start}, expected 0. Call dequantize first.`,
      );
    }
    const parts = [{ ...first, layout: placed.layout }, ...deeper];
    return checked(operation, this.type, parts, [...leading, ...this.adjacent.slice(1)], undefined);
  }

  /** Its type and shape, as in `CompoundTensor mxfp4 [2,64]`. The values are read by `dequantize`. */
  toString(): string {
    return `CompoundTensor ${this.type.name} ${showShape(this.shape)}`;
  }

  /** Returns the memory of all parts, for this tensor and all its views. Again, it does nothing. */
  dispose(): void {
    for (const { buffer, generation } of this.parts) buffer.release(generation);
  }

  /** The same as {@link CompoundTensor.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Tells a tensor of several parts, made by this or by another installed copy of the package (D9).
 * @since 0.1.0
 */
export function isCompoundTensor(value: unknown): value is CompoundTensor {
  return isCompound(value);
}

/**
 * Makes a tensor of several parts over memory that exists already; nothing is copied. Formats read quantised tensors
 * through it.
 *
 * Checked are, in this order: type, parts and counts (VA-4); each part (VA-5); each adjacent layout (VA-7); the box;
 * the rules of the type (VA-8), whose own errors pass through. Parts may share buffers, and may lie in different memories.
 *
 * @param shape - the box inside the first part's layout, where that is smaller than its domain: `dequantize` reads it.
 * @throws TypeError for a value of the wrong kind.
 * @throws TensorValueError `SW_TENSOR_PARTS` when counts or adjacent layouts do not fit, `SW_TENSOR_DTYPE_MISMATCH` for
 * a part of another storage dtype; ViewError `SW_TENSOR_VIEW_BOUNDS` for one that leaves its buffer.
 * @throws TensorShapeError beyond the limits of a tensor, or `SW_TENSOR_SHAPE_MISMATCH` for a box that does not fit.
 * @throws StaleBufferError, BufferStateError for memory that was returned.
 * @since 0.1.0
 */
export function makeCompound(
  type: CompoundType,
  parts: readonly Part[],
  adjacent: readonly Layout[],
  shape?: readonly number[],
): CompoundTensor {
  return checked("makeCompound", type, parts, adjacent, shape);
}

function checked(
  operation: string,
  type: CompoundType,
  parts: readonly Part[],
  adjacent: readonly Layout[],
  shape: readonly number[] | undefined,
): CompoundTensor {
  const box = checkRepresentation(operation, type, parts, adjacent, shape);
  const kept = parts.map((part) => Object.freeze({ ...part }));
  const compound = new CompoundTensor(type, Object.freeze(kept), Object.freeze([...adjacent]), box);
  for (const rule of type.rules) rule(compound);
  return compound;
}
