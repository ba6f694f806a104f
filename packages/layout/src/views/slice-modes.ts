import { ordinalOf, requireModes } from "../coordinates.js";
import { describe, LayoutError } from "../errors.js";
import { type Layout, requireLayout } from "../layout.js";
import { type Located, nestedAxis } from "../located.js";
import { type Coordinate, formatShape, treeSize } from "../tree.js";
import { cutRanges, type ModeRange, requireIntegers } from "./window.js";

/**
 * A slice of a mode as Python writes it, `start:stop:step`: negative bounds count from the end, and bounds past an end
 * mean that end. What is absent is 0, the extent and 1.
 *
 * @since 0.1.0
 */
export interface ModeSlice {
  readonly start?: number | undefined;
  readonly stop?: number | undefined;
  readonly step?: number | undefined;
}

/**
 * Tells a slice, which is a plain object of nothing but `start`, `stop` and `step`, from what looks like the slice of a
 * whole mode only because it has none of them: a typed array, an instance of any class, a literal with another key. The
 * bounds themselves are not looked at.
 * @since 0.1.0
 */
export function isModeSlice(value: unknown): value is ModeSlice {
  if (typeof value !== "object" || value === null || !isPlainObject(value)) return false;
  return Object.keys(value).every((key) => key === "start" || key === "stop" || key === "step");
}

/**
 * Slices a layout by a key of one entry per top-level mode (VA-35 to VA-40): an integer, the ordinal in its mode, or a
 * nested coordinate removes the mode; a slice cuts it. A key without slices leaves rank 0, and its start is their index.
 *
 * Nothing is rounded: a slice must not be empty, and its step must divide its width. Of a nested mode only the whole, `{}`,
 * can be taken. `sliceAxis` is the row-major view, by other rules.
 *
 * @throws TypeError for an entry, bound or step of another type.
 * @throws LayoutError `SW_LAYOUT_COORDINATE` for another number of entries, or a coordinate outside its mode;
 * `SW_LAYOUT_SLICE`, `SW_LAYOUT_NESTED_AXIS`, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { sliceModes } from "@sw/layout/views";
 * const view = sliceModes(layout([5, 10]), [2, { start: 1, stop: -1, step: 2 }]);
 * console.log(String(view.layout), view.start); // (4):(10) 7
 * ```
 * @since 0.1.0
 */
export function sliceModes(
  l: Layout,
  key: number | ModeSlice | readonly (Coordinate | ModeSlice)[],
  operation = "sliceModes",
): Located {
  requireLayout(operation, l);
  const entries: readonly unknown[] = Array.isArray(key) ? key : [key];
  const modes = requireModes(operation, l.shape, entries, l.shape);
  const ranges = modes.map((mode, i) => {
    const entry = entries[i];
    if (isModeSlice(entry)) return readSlice(operation, l, i, treeSize(mode), entry);
    if (typeof entry === "number" || Array.isArray(entry))
      return ordinalOf(operation, mode, entry as Coordinate, l.shape);
    throw new TypeError(
      `${operation}: the entry of mode ${i} has a wrong type: got ${describe(entry)}, expected an integer, a list of them, or { start, stop, step }.`,
    );
  });
  return cutRanges(operation, l, ranges);
}

function readSlice(operation: string, l: Layout, mode: number, size: number, slice: ModeSlice): ModeRange {
  const { start: from = 0, stop: to = size, step = 1 } = slice;
  requireIntegers(operation, { start: from, stop: to, step });
  if (typeof l.shape[mode] !== "number") {
    if (slice.start !== undefined || slice.stop !== undefined || step !== 1) {
      throw nestedAxis(l, mode, operation, "only the whole of it can be sliced");
    }
    return { start: 0, extent: size, step };
  }
  const start = fromEnd(from, size);
  const stop = fromEnd(to, size);
  const width = stop - start;
  let problem = "";
  if (step < 1) problem = `step is not positive: got step ${step}, expected 1 or more`;
  else if (width < 1) problem = `slice is empty: got ${start} to ${stop}, expected start < stop`;
  else if (width % step > 0)
    problem = `step does not divide the slice: got step ${step}, expected a divisor of ${width}`;
  if (problem === "") return { start, extent: width / step, step };
  problem += ` (mode ${mode}, shape ${formatShape(l.shape)}).`;
  throw new LayoutError("SW_LAYOUT_SLICE", operation, problem, { layout: l, axis: mode, shape: l.shape });
}

/** Reads a bound as Python does. */
function fromEnd(bound: number, size: number): number {
  return Math.min(Math.max(bound < 0 ? bound + size : bound, 0), size);
}

/** Tells a literal, of any realm, from an instance of a class. */
function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
