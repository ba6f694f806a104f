import type { StoredItem } from "@sw/hurray/stream";
import { toNumbers, type ValuesOptions, valuesOf } from "@sw/hurray/values";
import { asTensor, isDType, type Tensor } from "@sw/tensor";

/** The dtype that holds the elements of a type as they are, where the type is none. */
const WIDER = { int4: "int8", int2: "int8", uint4: "uint8", uint2: "uint8" } as const;

/**
 * The values of any item as a tensor: of sparse and quantised tensors, partitions and overlays too. Small integers
 * become 8 bits wide, small floats float32, float128 float64; complex numbers get an axis of real and imaginary part.
 */
export function tensorOf(item: StoredItem, options: ValuesOptions = {}): Tensor {
  const { type, shape, elements } = valuesOf(item, options);
  if (isDType(type)) return asTensor(elements, shape, { dtype: type });
  if (type in WIDER) return asTensor(elements, shape, { dtype: WIDER[type as keyof typeof WIDER] });
  if (type === "complex64" || type === "complex128") return asTensor(elements, [...shape, 2]);
  const numbers = toNumbers(type, elements);
  return asTensor(type === "float128" ? numbers : Float32Array.from(numbers), shape);
}
