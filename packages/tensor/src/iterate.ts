import { odometer } from "@sw/layout/walk";
import type { DType, TypedArray, ValueOf } from "./dtype.js";
import { fromElement } from "./element.js";
import { plain } from "./gate.js";
import { checkLive } from "./handle.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

/**
 * Goes through the first axis: the elements of a tensor of one axis, else the views of what is behind that axis.
 *
 * @throws TypeError for rank 0, at once.
 */
export function iterate<D extends DType>(t: Tensor<D>): IterableIterator<ValueOf<D> | Tensor<D>> {
  plain(t, "iterate");
  if (t.rank === 0) {
    throw new TypeError(
      "iterate: a tensor without axes has nothing to go through: got rank 0, expected 1. Use item().",
    );
  }
  return t.rank === 1 ? elements(t) : views(t);
}

function* elements<D extends DType>(t: Tensor<D>): Generator<ValueOf<D>> {
  const walk = odometer([t.layout], { order: "rowMajor" });
  while (walk.next()) {
    // Between two elements the caller may dispose the tensor, or grow the memory it lives in.
    checkLive(t, "iterate");
    yield fromElement(t.dtype, (windowOf(t) as TypedArray)[t.offset + walk.index] as number | bigint);
  }
}

function* views<D extends DType>(t: Tensor<D>): Generator<Tensor<D>> {
  for (let i = 0; i < (t.shape[0] as number); i++) {
    checkLive(t, "iterate");
    yield t.select(0, i);
  }
}
