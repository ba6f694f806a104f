import { indexOf, select } from "@sw/layout";
import { fromElement } from "./element.js";
import { live } from "./gate.js";
import { checkOptions } from "./options.js";
import { formatArray, type PrintOptions } from "./print.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// A tensor as text. Only the elements that are shown are read.

/**
 * Formats a tensor as NumPy 1.24 prints arrays: aligned, with the digits that tell elements apart, and cut in the middle where
 * it is large. A nested or padded tensor is shown by its axes, without what pads it.
 *
 * @throws TypeError for an option of the wrong type; TensorValueError `SW_TENSOR_OPTION` for one out of range;
 * StaleTensorError `SW_BUFFER_STALE`.
 * @example
 * ```ts
 * import { format, tensor } from "@sw/tensor";
 * console.log(format(tensor([1, 10.5, 1 / 3]), { precision: 2, separator: ", " })); // [ 1.  , 10.5 ,  0.33]
 * ```
 * @since 0.1.0
 */
export function format(t: Tensor, options: PrintOptions = {}, operation = "format"): string {
  live(t, operation);
  checkOptions(operation, options, "{ precision: 3 }");
  const window = windowOf(t);
  // An index is a sum over the axes, whatever nests in them: each axis is looked up once.
  const place = (axis: number, coordinate: number): number => indexOf(select(t.layout, [axis]), [coordinate]);
  const at = (index: number): number | bigint | boolean =>
    fromElement(t.dtype, window[t.offset + index] as number | bigint);
  return formatArray(t.shape, place, at, t.dtype, options);
}

/** What a debugger shows: dtype, shape, the layout where it is not the plain one, and the elements. */
export function inspected(t: Tensor): string {
  const head = `Tensor ${t.dtype} [${t.shape.join(",")}]`;
  if (t.buffer.generation !== t.generation) return `${head} (disposed)`;
  const layout = t.isContiguous ? "" : ` ${t.layout.toString()}`;
  try {
    return `${head}${layout}\n${format(t)}`;
  } catch (error) {
    // Memory that was transferred away: a debugger shows what is left to show, and does not throw.
    return `${head}${layout} (${error instanceof Error ? error.message : String(error)})`;
  }
}
