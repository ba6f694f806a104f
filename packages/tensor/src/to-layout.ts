import { cosize, extents, isLayout, type Layout, minIndex, rowMajor } from "@sw/layout";
import { copiedInto } from "./box.js";
import type { DType } from "./dtype.js";
import { TensorShapeError, UnsupportedError, ViewError } from "./errors.js";
import { live, showShape } from "./gate.js";
import { allocateIn, checkShape, checkStrides, derive } from "./handle.js";
import { showsOnce } from "./overlap.js";
import { isRecorded, record } from "./record.js";
import { current } from "./scope.js";
import type { Tensor } from "./tensor.js";

/** Copies a tensor into memory of another layout; see `Tensor.toLayout`. */
export function toLayout<D extends DType>(t: Tensor<D>, layout: Layout): Tensor<D> {
  const operation = "toLayout";
  live(t, operation);
  const domain = checkTarget(operation, t, layout);
  const isPadded = domain.some((extent, axis) => extent !== t.shape[axis]);
  const recorded = isRecorded(t);
  if (recorded && isPadded) {
    throw new UnsupportedError(
      `${operation}: a padded tensor carries no gradient: got layout ${layout.toString()} for shape ${showShape(t.shape)} while recording, expected a layout of that shape. Wrap it in noGrad(() => …).`,
    );
  }
  // What no element of the box fills must read as zero: padding and holes.
  const span = cosize(layout);
  const options = { zero: span > t.size, transient: true };
  const memory = allocateIn(current().memory, t, operation, t.dtype, rowMajor([span]), options);
  const place = { layout, start: span === 0 ? 0 : -minIndex(layout) };
  const out = copiedInto(derive(memory, place, isPadded ? [...t.shape] : undefined, operation), t, operation);
  return recorded ? record(out, { kind: "reshape", inputs: [t], ints: [] }) : out;
}

/** Checks a target layout, and gives its domain. */
function checkTarget(operation: string, t: Tensor, layout: Layout): readonly number[] {
  if (!isLayout(layout)) {
    throw new TypeError(`${operation}: not a layout: got ${typeof layout}, expected a value made by @sw/layout.`);
  }
  const domain = extents(layout);
  checkShape(operation, domain);
  checkStrides(operation, layout);
  if (domain.length !== t.rank || domain.some((extent, axis) => extent < (t.shape[axis] as number))) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `${operation}: the layout has no room for the shape: got ${layout.toString()}, expected extents of at least ${showShape(t.shape)}.`,
      { given: domain, expected: t.shape, shape: t.shape },
    );
  }
  if (!showsOnce(layout)) {
    throw new ViewError(
      "SW_TENSOR_OVERLAP",
      `${operation}: the layout overlaps itself, or may: got ${layout.toString()}, expected every element in a place of its own.`,
      { given: layout.toString() },
    );
  }
  return domain;
}
