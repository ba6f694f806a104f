import { compactLike } from "@sw/layout";
import { checkDType, type DType } from "../dtype.js";
import { isFloat } from "../element.js";
import { plain } from "../gate.js";
import { allocateLike } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runInto } from "../run.js";
import type { Tensor } from "../tensor.js";
import { CAST } from "./specs/movement.js";

/**
 * Converts to another dtype by the rules of OneModel section 10: floats round to nearest even (float64 reaches 16
 * bits through float32), float to integer truncates and saturates with NaN as 0, integers wrap, anything to bool is
 * "not zero". A tensor of that dtype already is returned as it is.
 * @since 0.1.0
 */
export function cast<D extends DType>(x: Tensor, dtype: D): Tensor<D> {
  plain(x, "cast");
  checkDType("cast", dtype);
  if (x.dtype === (dtype as DType)) return x as Tensor<D>;
  const out = runInto(CAST, allocateLike(x, "cast", dtype, compactLike(x.layout)), [x]);
  // History goes through float dtypes only: an integer has no derivative.
  return isRecorded(x) && isFloat(dtype) ? record(out, { kind: CAST.kind, inputs: [x] }) : out;
}
