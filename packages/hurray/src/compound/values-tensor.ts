import type { Allocator } from "@sw/buffer";
import { rowMajor } from "@sw/layout";
import { cast, type DType, isDType, type Tensor } from "@sw/tensor";
import { current, fromBuffer, withRecording, withScope } from "@sw/tensor/seam";
import { product } from "../descriptor/layouts/dense.js";
import { entryOf } from "../descriptor/layouts.js";
import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import { HurrayUnsupportedError } from "../errors.js";
import type { StoredItem } from "../stored.js";
import type { ElementArray } from "../values/arrays.js";
import { toNumbers } from "../values/numbers.js";
import { bytesOf } from "../values/pack.js";
import type { ValuesOptions } from "../values/tensor-values.js";
import { valuesOf } from "../values/values-of.js";

/** How values are made a tensor. @since 0.1.0 */
export interface ValuesTensorOptions<D extends DType = DType> extends ValuesOptions {
  /** Where the memory comes from; what is in force when the call is made, when absent. */
  readonly memory?: Allocator;
  /** What the tensor is to have; the dtype of the values, or the least that holds all of them, when absent. */
  readonly dtype?: D;
}

/** A tensor of values, and what was done to make it. @since 0.1.0 */
export interface ValuesTensor<D extends DType = DType> {
  readonly tensor: Tensor<D>;
  /** Whether stored elements were multiplied by scales. */
  readonly dequantized: boolean;
  /** Whether the tensor has more elements than the item stores: zeros of sparse layouts, repetitions. */
  readonly expanded: boolean;
  /** The element type that the values were converted from, where they were. */
  readonly converted: ElementTypeName | undefined;
}

/** The least dtype that holds every value of a type that is no dtype. */
const HOLDS: { readonly [T in ElementTypeName]?: DType } = {
  int2: "int8",
  int4: "int8",
  uint2: "uint8",
  uint4: "uint8",
  float8_e4m3: "float32",
  float8_e5m2: "float32",
  float8_e8m0: "float32",
  float4_e2m1: "float32",
  float6_e2m3: "float32",
  float6_e3m2: "float32",
  float128: "float64",
};

/**
 * Gives the values of any item as a row-major tensor: what `valuesOf` gives as an array, in memory of a pool. `load` and
 * `loadCompound` keep layouts and parts; this is for everything else, and for those who want numbers only.
 *
 * A dtype keeps its bits. Small integers become integers of 8 bits, small floats float32, which holds them all; float128
 * is rounded to float64. Another `dtype` is what `cast` makes of that.
 *
 * @throws as `valuesOf`; HurrayUnsupportedError `SW_HURRAY_TYPE_UNSUPPORTED` for complex numbers.
 * @throws TensorShapeError, BufferSizeError beyond the limits of a tensor; TypeError for an unknown dtype.
 * @example
 * ```ts
 * import { valuesTensor } from "@sw/hurray/compound";
 * import { quantize, toSparse } from "@sw/hurray/values";
 * const q = quantize(Float32Array.of(0, 2, 0, 3), [2, 2], { scheme: "perTensor", storage: "uint2" });
 * console.log(valuesTensor(q).dequantized, valuesTensor(toSparse(q, "csr")).expanded); // true true
 * console.log(valuesTensor(q, { dtype: "int32" }).tensor.toArray()); // [ [ 0, 2 ], [ 0, 3 ] ]
 * ```
 * @since 0.1.0
 */
export function valuesTensor<D extends DType = DType>(
  item: StoredItem,
  options: ValuesTensorOptions<D> = {},
): ValuesTensor<D> {
  const { memory = current().memory, dtype } = options;
  const { type, shape, elements } = valuesOf(item, options);
  const held = isDType(type) ? type : HOLDS[type];
  if (held === undefined) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_TYPE_UNSUPPORTED",
      `valuesTensor: no dtype holds these values: got ${type}, expected real numbers. valuesOf gives pairs.`,
      { typeTag: elementTypeNamed(type).tag },
    );
  }
  const bytes = bytesIn(held, type, elements);
  const buffer = memory.allocate(bytes.byteLength);
  const { generation } = buffer;
  try {
    buffer.view(Uint8Array).set(bytes);
    const plain = fromBuffer(held, buffer, rowMajor(shape));
    const tensor = (dtype === undefined ? plain : castIn(memory, plain, dtype)) as Tensor<D>;
    if (tensor.buffer !== buffer) buffer.release(generation);
    return {
      tensor,
      dequantized: isQuantised(item),
      expanded: product(item.descriptor.shape) > storedElements(item),
      converted: tensor.dtype === (type as DType) ? undefined : type,
    };
  } catch (error) {
    buffer.release(generation);
    throw error;
  }
}

/** The bytes of elements in a dtype that holds them all. */
function bytesIn(dtype: DType, type: ElementTypeName, elements: ElementArray): Uint8Array {
  // Small integers have bytes of their own already.
  if (isDType(type) || dtype === "int8" || dtype === "uint8") return bytesOf(elements);
  const numbers = toNumbers(type, elements);
  return bytesOf(dtype === "float32" ? Float32Array.from(numbers) : numbers);
}

function castIn(memory: Allocator, t: Tensor, dtype: DType): Tensor {
  return withScope({ memory }, () => withRecording(false, () => cast(t, dtype)));
}

function isQuantised(item: StoredItem): boolean {
  return "members" in item ? item.members.some(isQuantised) : item.descriptor.quantisation !== undefined;
}

/** How many elements lie in the buffers of an item. */
function storedElements(item: StoredItem): bigint {
  if ("members" in item) return item.members.reduce((sum, member) => sum + storedElements(member), 0n);
  const { layout, shape } = item.descriptor;
  if ("nnz" in layout) return layout.nnz;
  if (layout.kind === "blockPaged") return layout.numPages * BigInt(layout.pageSize) * product(shape.slice(1));
  if (shape.includes(0n)) return 0n;
  const { lowest, highest } = entryOf(layout.kind).span!(layout, shape);
  return highest - lowest + 1n;
}
