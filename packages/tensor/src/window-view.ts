import { describe, type Layout, maxIndex, minIndex, reshapeRowMajor, rowMajor, strided } from "@sw/layout";
import type { DType } from "./dtype.js";
import { ViewError } from "./errors.js";
import { plain } from "./gate.js";
import { checkShape, derive } from "./handle.js";
import { checkOffset } from "./offset.js";
import { checkOptions } from "./options.js";
import { isRecorded, record } from "./record.js";
import type { Tensor } from "./tensor.js";

/** Which elements a view shows, by where they stand in row-major order. @since 0.1.0 */
export interface StridedWindow {
  readonly shape: readonly number[];
  /** One for each extent, of any sign. */
  readonly strides: readonly number[];
  /** The first element; 0 if absent. */
  readonly offset?: number;
}

/**
 * A window over the row-major ordinals of a tensor; see `Tensor.window`. Ordinals are memory only where the tensor is
 * one row-major run: then a step of the window is so many steps of the run.
 */
export function windowView<D extends DType>(t: Tensor<D>, options: StridedWindow): Tensor<D> {
  const operation = "window";
  plain(t, operation);
  const { selector, start } = readWindow(operation, options);
  checkOrdinals(operation, t, selector, start);
  const run = reshapeRowMajor(t.layout, [t.size], operation);
  if (run === undefined) {
    throw new ViewError(
      "SW_TENSOR_VIEW_COPY",
      `${operation}: the elements are not in one row-major run: got layout ${t.layout.toString()}, expected steps of one length. Call contiguous() first.`,
      { given: t.layout.toString() },
    );
  }
  const step = run.stride[0] as number;
  const strides = (selector.stride as readonly number[]).map((stride) => stride * step);
  // What is empty begins nowhere, and its offset may be any.
  const view = { layout: strided(selector.shape, strides, operation), start: selector.size === 0 ? 0 : start * step };
  const out = derive(t, view, undefined, operation);
  if (!isRecorded(t)) return out;
  // The transpose adds: where windows overlap, cotangents sum.
  return record(out, {
    kind: "gatherFrom",
    inputs: [t],
    domain: rowMajor(t.shape),
    selector: { layout: selector, start },
  });
}

/**
 * Reads `{ shape, strides, offset }`.
 *
 * @throws TypeError for anything of another type; TensorShapeError as {@link checkShape}; ViewError
 * `SW_TENSOR_VIEW_BOUNDS` for the offset; LayoutError `SW_LAYOUT_INCONGRUENT` unless there is a stride for each extent,
 * `SW_LAYOUT_UNSAFE_INTEGER`.
 */
export function readWindow(operation: string, options: StridedWindow): { selector: Layout; start: number } {
  checkOptions(operation, options, "{ shape, strides, offset }");
  const { shape, strides, offset = 0 } = options;
  checkShape(operation, shape);
  if (!Array.isArray(strides)) {
    throw new TypeError(
      `${operation}: the strides are no list: got ${describe(strides)}, expected one for each extent of [${shape.join(",")}].`,
    );
  }
  checkOffset(operation, offset);
  return { selector: strided(shape, strides, operation), start: offset };
}

function checkOrdinals(operation: string, t: Tensor, selector: Layout, start: number): void {
  if (selector.size === 0) return;
  const lowest = start + minIndex(selector);
  const highest = start + maxIndex(selector);
  if (lowest >= 0 && highest < t.size) return;
  throw new ViewError(
    "SW_TENSOR_VIEW_BOUNDS",
    `${operation}: the window leaves the tensor: got elements ${lowest} to ${highest} in row-major order (offset ${start}, layout ${selector.toString()}), expected ${t.size === 0 ? "none, since it is empty" : `0 to ${t.size - 1}`}.`,
    { given: [lowest, highest], expected: [0, t.size - 1] },
  );
}
