import { dotOrdinal } from "../coordinates.js";
import { describe, LayoutError, notAnInteger, unsafe } from "../errors.js";
import { extents, formatLayout, type Layout, requireLayout } from "../layout.js";
import { type Located, nestedAxis } from "../located.js";
import { fromModes, type Mode, modeIn } from "../modes.js";
import { formatShape, requireList } from "../tree.js";

/** The coordinates `start`, `start + step`, … of one axis, `extent` of them. @since 0.1.0 */
export interface AxisWindow {
  readonly start: number;
  readonly extent: number;
  /** 1 if absent; negative runs backwards, 0 repeats one coordinate. */
  readonly step?: number | undefined;
}

/**
 * Cuts a rectangular window out of a layout: one range of coordinates per axis, each inside its axis; an integer keeps
 * one coordinate and removes the axis. The axes that stay are in the same order, so it means the same in either order of
 * coordinates.
 *
 * Of a nested axis only the whole can be taken, or one coordinate, the ordinal in it; `boxParts` cuts one into pieces.
 *
 * @throws TypeError for what is not a layout, a list of windows or an integer.
 * @throws LayoutError `SW_LAYOUT_BOX` for another rank, or a coordinate outside its axis; `SW_LAYOUT_NESTED_AXIS`,
 * `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { rowMajor } from "@sw/layout";
 * import { windowOf } from "@sw/layout/views";
 * const { layout, start } = windowOf(rowMajor([6, 8]), [{ start: 2, extent: 3 }, { start: 7, extent: 4, step: -2 }]);
 * console.log(String(layout), start); // (3,4):(8,-2) 23
 * console.log(String(windowOf(rowMajor([6, 8]), [{ start: 0, extent: 6 }, 5]).layout)); // (6):(8)
 * ```
 * @since 0.1.0
 */
export function windowOf(l: Layout, box: readonly (AxisWindow | number)[], operation = "windowOf"): Located {
  requireLayout(operation, l);
  requireList(operation, "box", box);
  const domain = extents(l);
  if (box.length !== domain.length) {
    const problem = `box and layout differ in rank: got ${box.length} windows, expected ${domain.length} (layout ${formatLayout(l)}).`;
    throw new LayoutError("SW_LAYOUT_BOX", operation, problem, { layout: l, value: box.length });
  }
  const ranges = domain.map((size, axis) => {
    const entry: unknown = box[axis];
    const { start, extent, step } = readWindow(operation, entry, axis);
    const last = extent > 0 ? start + (extent - 1) * step : start;
    const end = extent > 0 ? size : size + 1; // an empty window may also stand at the end
    if (extent < 0 || Math.min(start, last) < 0 || Math.max(start, last) >= end) {
      const what = typeof entry === "number" ? "" : `, extent ${extent}, step ${step}`;
      const problem = `window leaves axis ${axis}: got start ${start}${what}, expected coordinates from 0 to ${size - 1} (shape ${formatShape(domain)}).`;
      throw new LayoutError("SW_LAYOUT_BOX", operation, problem, { layout: l, axis, value: start, shape: l.shape });
    }
    if (typeof entry === "number") return start;
    if (typeof l.shape[axis] !== "number" && (start !== 0 || extent !== size || step !== 1)) {
      throw nestedAxis(l, axis, operation, "only its whole extent can be in a window");
    }
    return { start, extent, step };
  });
  return cutRanges(operation, l, ranges);
}

/** Reads one entry of a box; one coordinate is a window of extent 1. */
function readWindow(operation: string, window: unknown, axis: number): ModeRange {
  if (typeof window === "number") {
    requireIntegers(operation, { start: window });
    return { start: window, extent: 1, step: 1 };
  }
  if (typeof window !== "object" || window === null) {
    throw new TypeError(
      `${operation}: the window of axis ${axis} is neither an integer nor an object: got ${describe(window)}, expected { start, extent, step }.`,
    );
  }
  const { start, extent, step = 1 } = window as AxisWindow;
  const range = { start, extent, step };
  requireIntegers(operation, range);
  return range;
}

/** Refuses named values that are not integers. */
export function requireIntegers(operation: string, values: Readonly<Record<string, unknown>>): void {
  for (const name in values) if (!Number.isInteger(values[name])) throw notAnInteger(operation, name, values[name]);
}

/** A range of coordinates that lies inside its mode. */
export interface ModeRange {
  readonly start: number;
  readonly extent: number;
  readonly step: number;
}

/** Cuts each mode to a range, or removes it at an ordinal. The ranges of nested modes are whole. */
export function cutRanges(operation: string, l: Layout, ranges: readonly (ModeRange | number)[]): Located {
  const modes: Mode[] = [];
  let start = 0;
  ranges.forEach((range, i) => {
    const mode = modeIn(l, i);
    if (typeof range === "number") start += dotOrdinal(mode.shape, mode.stride, range);
    else if (typeof mode.shape !== "number") modes.push(mode);
    else {
      const stride = mode.stride as number;
      modes.push({ shape: range.extent, stride: stride * range.step + 0 });
      if (range.extent > 0) start += range.start * stride;
    }
  });
  start += 0; // -0 becomes 0
  // The indices of a layout with elements are safe, but those an empty one merely names may not be.
  if (!Number.isSafeInteger(start)) throw unsafe(operation, "the start", start, { layout: l });
  return { layout: fromModes(operation, modes), start };
}
