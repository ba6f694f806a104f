import { type Located, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { plain } from "../gate.js";
import { allocateLike, derive } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runLoops } from "../run.js";
import type { Tensor } from "../tensor.js";

/**
 * Adds a tensor's elements into zeros of a shape, at the places a view of that shape shows: the transpose of the
 * view, and so its backward rule. Where the view shows a place twice, both are added (field case 14).
 *
 * @param selector - the view, of a row-major tensor of `shape`.
 * @since 0.1.0
 */
export function scatterInto<D extends DType>(shape: readonly number[], selector: Located, x: Tensor<D>): Tensor<D> {
  plain(x, "scatterInto");
  const out = allocateLike(x, "scatterInto", x.dtype, rowMajor(shape));
  try {
    out.fill(0);
    if (x.size > 0) {
      const target = derive(out, selector, undefined, "scatterInto");
      runLoops("accumulate", [target], [x]);
    }
  } catch (error) {
    out.dispose();
    throw error;
  }
  return isRecorded(x) ? record(out, { kind: "scatterInto", inputs: [x], selector }) : out;
}

/**
 * Shows the elements that a view of a shape shows, of a tensor of that shape: the transpose of {@link scatterInto}.
 *
 * @param selector - the view, of a row-major tensor of the source's shape.
 * @since 0.1.0
 */
export function gatherFrom<D extends DType>(source: Tensor<D>, selector: Located): Tensor<D> {
  plain(source, "gatherFrom");
  const flat = source.contiguous();
  const out = derive(flat, selector, undefined, "gatherFrom");
  return isRecorded(flat) ? record(out, { kind: "gatherFrom", inputs: [flat], selector }) : out;
}
