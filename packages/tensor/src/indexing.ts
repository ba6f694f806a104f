import { type LayoutView, rowMajor } from "@sw/layout";
import { type AxisWindow, type ModeSlice, unsqueezeMode, windowOf } from "@sw/layout/views";
import type { DType } from "./dtype.js";
import { TensorValueError } from "./errors.js";
import { plain, showShape } from "./gate.js";
import { checkShape, derive } from "./handle.js";
import { type IndexEntry, keyError, type PlacedEntry, readKey } from "./index-key.js";
import { isRecorded, record } from "./record.js";
import type { Tensor } from "./tensor.js";

// A key is one window over a layout, of which integers remove their axes, and new axes put into it: one handle and
// one record, however long the key.

/** What a key takes of a shape. */
interface Taken {
  /** One entry per axis of the source. */
  readonly box: readonly (AxisWindow | number)[];
  /** The places of the new axes in the result, ascending. */
  readonly added: readonly number[];
  /** Whether it takes every element, in order. */
  readonly isWhole: boolean;
}

/** NumPy's basic indexing; see `Tensor.index`. */
export function index<D extends DType>(t: Tensor<D>, key: string | readonly IndexEntry[]): Tensor<D> {
  const operation = "index";
  plain(t, operation);
  const { box, added, isWhole } = resolve(operation, readKey(operation, key), t.shape);
  const view: LayoutView = (l) => {
    let { layout, start } = windowOf(l, box, operation);
    for (const place of added) layout = unsqueezeMode(layout, place, operation).layout;
    return { layout, start };
  };
  const out = derive(t, view(t.layout), undefined, operation);
  if (!isRecorded(t)) return out;
  if (isWhole) return record(out, { kind: "reshape", inputs: [t] });
  const domain = rowMajor(t.shape);
  return record(out, { kind: "gatherFrom", inputs: [t], domain, selector: view(domain) });
}

/** Finds what a key takes of a shape: the axes that it does not name are whole, where the ellipsis is or at the end. */
function resolve(operation: string, entries: readonly PlacedEntry[], shape: readonly number[]): Taken {
  const missing = shape.length - countAxes(operation, entries, shape);
  const box: (AxisWindow | number)[] = [];
  const extents: number[] = [];
  const added: number[] = [];
  let isWhole = true;
  const take = (window: AxisWindow): void => {
    if (window.extent !== shape[box.length] || window.step !== 1) isWhole = false;
    box.push(window);
    extents.push(window.extent);
  };
  const takeMissing = (): void => {
    for (let n = missing; n > 0; n--) take({ start: 0, extent: shape[box.length] as number, step: 1 });
  };
  for (const { entry, position } of entries) {
    const extent = shape[box.length] as number;
    if (entry === "...") takeMissing();
    else if (entry === null) {
      added.push(extents.length);
      extents.push(1);
    } else if (typeof entry === "number") {
      box.push(fromEnd(operation, entry, extent, box.length, position, shape));
      isWhole = false;
    } else take(cut(operation, entry, extent, position));
  }
  if (box.length < shape.length) takeMissing();
  checkShape(operation, extents);
  return { box, added, isWhole };
}

/** Counts the axes that a key names, and checks that there are as many, and one ellipsis at most. */
function countAxes(operation: string, entries: readonly PlacedEntry[], shape: readonly number[]): number {
  let named = 0;
  let hasEllipsis = false;
  for (const { entry, position } of entries) {
    if (entry === null) continue;
    if (entry !== "...") {
      named++;
      if (named <= shape.length) continue;
      const rule = `${shape.length} at most (shape ${showShape(shape)})`;
      throw keyError(operation, "the key names more axes than there are", `entry ${named}`, rule, position);
    }
    if (hasEllipsis) throw keyError(operation, "the key has two ellipses", '"..."', "one at most", position);
    hasEllipsis = true;
  }
  return named;
}

/** An index inside its axis; a negative one counts from the end. */
function fromEnd(
  operation: string,
  index: number,
  extent: number,
  axis: number,
  position: number,
  shape: readonly number[],
): number {
  const inside = index < 0 ? index + extent : index;
  if (inside >= 0 && inside < extent) return inside;
  const rule = extent === 0 ? "none, since it is empty" : `${-extent} to ${extent - 1}`;
  throw new TensorValueError(
    "SW_TENSOR_INDEX",
    `${operation}: an index is out of range: got ${index} for axis ${axis} at position ${position} of the key, expected ${rule} (shape ${showShape(shape)}).`,
    { given: index, expected: extent, position },
  );
}

/** Reads a slice of an axis as Python does: bounds past an end mean that end, and the slice may be empty. */
function cut(operation: string, slice: ModeSlice, extent: number, position: number): AxisWindow {
  const { start, stop, step = 1 } = slice;
  if (step === 0) throw keyError(operation, "the step of a slice is 0", step, "another integer", position);
  // Backwards, the first element is the last, and the end is before 0.
  const [lowest, highest] = step > 0 ? [0, extent] : [-1, extent - 1];
  const clamp = (bound: number): number => Math.min(Math.max(bound < 0 ? bound + extent : bound, lowest), highest);
  const from = start === undefined ? (step > 0 ? lowest : highest) : clamp(start);
  const to = stop === undefined ? (step > 0 ? highest : lowest) : clamp(stop);
  const count = Math.max(0, Math.ceil((to - from) / step));
  // As NumPy has it, an empty slice keeps the stride of its axis.
  return count === 0 ? { start: 0, extent: 0, step: 1 } : { start: from, extent: count, step };
}
