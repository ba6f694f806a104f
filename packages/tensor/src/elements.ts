import { rowMajor } from "@sw/layout";
import { odometer } from "@sw/layout/walk";
import { copyOut } from "./box.js";
import { copyInto } from "./convert/copy.js";
import type { DType, TypedArray, ValueOf } from "./dtype.js";
import { fromElement } from "./element.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// The elements of tensors, read by runs of their layouts. All that reads whole tensors reads here, and has passed the
// gate before.

/** Reads the elements as JavaScript values, in row-major order; of a padded tensor those of its box. */
export function valuesOf<D extends DType>(t: Tensor<D>): ValueOf<D>[] {
  const { isPadded } = t;
  const data: TypedArray = isPadded ? copyOut(t, t.dtype, copyInto) : windowOf(t);
  const offset = isPadded ? 0 : t.offset;
  const values: ValueOf<D>[] = [];
  const walk = odometer([isPadded ? rowMajor(t.shape) : t.layout], { order: "rowMajor" });
  while (walk.nextRun()) {
    const step = walk.steps[0] as number;
    let from = offset + walk.index;
    for (let n = walk.count; n > 0; n--) {
      values.push(fromElement(t.dtype, data[from] as number | bigint));
      from += step;
    }
  }
  return values;
}

/** Tells whether a test holds for all pairs of elements of two tensors of one shape; the first that fails ends it. */
export function everyPair<A extends DType, B extends DType>(
  a: Tensor<A>,
  b: Tensor<B>,
  holds: (x: ValueOf<A>, y: ValueOf<B>) => boolean,
): boolean {
  const left: TypedArray = windowOf(a);
  const right: TypedArray = windowOf(b);
  const walk = odometer([a.layout, b.layout]);
  while (walk.nextRun()) {
    let i = a.offset + (walk.indices[0] as number);
    let j = b.offset + (walk.indices[1] as number);
    for (let n = walk.count; n > 0; n--) {
      const x = fromElement(a.dtype, left[i] as number | bigint);
      if (!holds(x, fromElement(b.dtype, right[j] as number | bigint))) return false;
      i += walk.steps[0] as number;
      j += walk.steps[1] as number;
    }
  }
  return true;
}
