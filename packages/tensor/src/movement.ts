import { compactLike, expandTo, inferExtent, isContiguous, reshapeRowMajor, rowMajor } from "@sw/layout";
import { boxLayout, copiedInto, copyBox } from "./box.js";
import type { DType } from "./dtype.js";
import { TensorStateError, ViewError } from "./errors.js";
import { live, refusePadding, sameDType, showShape } from "./gate.js";
import { allocateIn, allocateRowMajor, checkLive, checkShape, derive, viewAt } from "./handle.js";
import { showsOnce } from "./overlap.js";
import { isRecorded, record } from "./record.js";
import { current, defaultPool, withScope } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// What moves elements without changing them.

const NOTHING: readonly number[] = [];

/** Tells whether a tensor's elements follow one another in row-major order without gaps (OneModel section 3). */
export function isContiguousTensor(t: Tensor): boolean {
  return !t.isPadded && isContiguous(t.layout);
}

/** Copies a tensor into fresh row-major memory of the allocator in force. */
export function copy<D extends DType>(t: Tensor<D>, operation: string): Tensor<D> {
  const out = copiedInto(allocateRowMajor(t, operation, t.dtype, t.shape), t, operation);
  return isRecorded(t) ? record(out, { kind: "reshape", inputs: [t], ints: NOTHING }) : out;
}

/** The tensor itself when contiguous, else a row-major copy of its box. */
export function contiguous<D extends DType>(t: Tensor<D>): Tensor<D> {
  live(t, "contiguous");
  return isContiguousTensor(t) ? t : copy(t, "contiguous");
}

/**
 * The row-major reshape as a view, or `undefined` where it would need a copy (OneModel section 4).
 */
export function tryReshape<D extends DType>(
  t: Tensor<D>,
  shape: readonly number[],
  operation = "tryReshape",
): Tensor<D> | undefined {
  refusePadding(t, operation);
  if (!Array.isArray(shape)) checkShape(operation, shape);
  const layout = reshapeRowMajor(t.layout, shape, operation);
  if (layout === undefined) {
    checkLive(t, operation);
    return undefined;
  }
  const out = viewAt(t, layout, 0, undefined, operation);
  return isRecorded(t) ? record(out, { kind: "reshape", inputs: [t], ints: NOTHING }) : out;
}

/** The row-major reshape: a view where one exists, else a copy. */
export function reshape<D extends DType>(t: Tensor<D>, shape: readonly number[]): Tensor<D> {
  const view = tryReshape(t, shape, "reshape");
  if (view !== undefined) return view;
  checkShape("reshape", inferExtent(t.size, shape, "reshape"));
  return tryReshape(copy(t, "reshape"), shape, "reshape") as Tensor<D>;
}

/**
 * The row-major reshape as a view.
 *
 * @throws ViewError `SW_TENSOR_VIEW_COPY` where it would need a copy.
 */
export function viewOf<D extends DType>(t: Tensor<D>, shape: readonly number[]): Tensor<D> {
  const view = tryReshape(t, shape, "view");
  if (view !== undefined) return view;
  const wanted = inferExtent(t.size, shape, "view");
  throw new ViewError(
    "SW_TENSOR_VIEW_COPY",
    `view: no view has this shape: got ${showShape(wanted)} over ${t.layout.toString()}, expected one that needs no copy. Use reshape, which copies.`,
    { given: wanted },
  );
}

/**
 * Refuses to write into a tensor some of whose elements share memory (field case 5, D11).
 *
 * @throws ViewError `SW_TENSOR_OVERLAP`.
 */
export function checkInjective(operation: string, t: Tensor): void {
  const layout = boxLayout(t);
  if (isContiguous(layout) || showsOnce(layout)) return;
  throw new ViewError(
    "SW_TENSOR_OVERLAP",
    `${operation}: the target overlaps itself, or may: got layout ${t.layout.toString()}, expected every element in a place of its own. Write into a contiguous() copy.`,
    { given: t.layout.toString() },
  );
}

/**
 * Refuses what {@link checkInjective} does, memory that is only read, and while recording a tensor that takes part in
 * gradients (D13).
 *
 * @throws ViewError `SW_TENSOR_OVERLAP`; BufferStateError `SW_BUFFER_READ_ONLY`; TensorStateError
 * `SW_TENSOR_RECORDING`.
 */
export function checkTarget(operation: string, t: Tensor): void {
  checkInjective(operation, t);
  t.buffer.checkWritable(t.generation, operation);
  if (t.node !== undefined && current().recording) {
    throw new TensorStateError(
      "SW_TENSOR_RECORDING",
      `${operation}: the tensor takes part in gradients: got a write while recording, expected one under noGrad. Wrap it in noGrad(() => …).`,
    );
  }
}

/** Tells whether the buffers of two tensors lie over common bytes, whoever wrapped them. */
function sharesMemory(a: Tensor, b: Tensor): boolean {
  const [p, q] = [windowOf(a), windowOf(b)];
  return (
    p.buffer === q.buffer && p.byteOffset < q.byteOffset + q.byteLength && q.byteOffset < p.byteOffset + p.byteLength
  );
}

/** Copies another tensor's elements into this one; see `Tensor.copyFrom`. */
export function copyFrom(t: Tensor, source: Tensor): void {
  live(t, "copyFrom");
  live(source, "copyFrom");
  sameDType("copyFrom", t, source);
  checkTarget("copyFrom", t);
  expandTo(source.isPadded ? rowMajor(source.shape) : source.layout, t.shape, "copyFrom");
  if (!sharesMemory(t, source)) {
    copyBox(t, source, "copyFrom");
    return;
  }
  // Read all of the source before the first write (field case 6).
  const snapshot = allocateRowMajor(source, "copyFrom", source.dtype, source.shape);
  try {
    copyBox(snapshot, source, "copyFrom");
    copyBox(t, snapshot, "copyFrom");
  } finally {
    snapshot.dispose();
  }
}

/**
 * Copies a tensor out of whatever arena is in force, into the default pool, in its stride order.
 * A padded tensor keeps its padding, which is zero in the copy. The copy has no history.
 *
 * @throws StaleTensorError `SW_BUFFER_STALE`.
 * @since 0.1.0
 */
export function keep<D extends DType>(t: Tensor<D>): Tensor<D> {
  live(t, "keep");
  const memory = defaultPool();
  return withScope({ memory }, () => {
    const whole = allocateIn(memory, t, "keep", t.dtype, compactLike(t.layout), { zero: t.isPadded });
    const out = t.isPadded ? derive(whole, { layout: whole.layout, start: 0 }, t.shape, "keep") : whole;
    return copiedInto(out, t, "keep");
  });
}
