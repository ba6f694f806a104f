import type { TypedArrayConstructor } from "@sw/buffer";
import { type ArrayOf, DTYPES, type DType } from "./dtype.js";
import type { Tensor } from "./tensor.js";

/**
 * A typed array over all of a tensor's buffer; element `t.offset` of it is where layout index 0 lies. Good until the
 * next allocation in its memory.
 */
export function windowOf<D extends DType>(t: Tensor<D>): ArrayOf[D] {
  const { array } = DTYPES[t.dtype];
  return t.buffer.view(array as unknown as TypedArrayConstructor<ArrayOf[D]>);
}

/** A typed array as code writes it that does not know whether elements are numbers or bigints. */
export type Writable = { [element: number]: number | bigint };
