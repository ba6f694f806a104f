import type { DType } from "./dtype.js";
import { TensorValueError } from "./errors.js";
import { formatFloat, formatFloats } from "./print-float.js";

/** How tensors are printed; the defaults are NumPy's. @since 0.1.0 */
export interface PrintOptions {
  /** Digits after the point, at most; 8. */
  readonly precision?: number;
  /** Arrays of more elements than this are cut; 1000. */
  readonly threshold?: number;
  /** Whether numbers below 10⁻⁴, or 1000 times smaller than others, go without scientific notation; false. */
  readonly suppressSmall?: boolean;
  /** Elements kept at each end of a cut axis; 3. */
  readonly edgeItems?: number;
  /** Columns of a line; 75. */
  readonly lineWidth?: number;
  /** Stands between two elements; one space. `", "` is that of NumPy's `repr`. */
  readonly separator?: string;
  /** Columns that the caller writes in front of the first line, for later lines to stand below it; 0. */
  readonly indent?: number;
}

/**
 * Formats an array as NumPy 1.24 prints it.
 *
 * Elements share one width and, if they are floats, one notation; floats show the shortest digits that tell
 * them apart in their dtype, at most `precision` after the point. Scientific notation is used from 10⁸ on,
 * below 10⁻⁴, and where the largest is more than 1000 times the smallest. (NumPy from 2.3 on uses it from 10³ on
 * for float16, and from 10⁶ on for float32.) An array of rank 0 is printed as its element, in full; one without
 * elements as `[]`.
 *
 * @param place - what a coordinate of an axis adds to the index of an element; called once for each that is shown.
 * @param at - reads the element of an index; called once for each element that is shown.
 * @throws TypeError for an option of the wrong type; TensorValueError `SW_TENSOR_OPTION` for one out of range.
 */
export function formatArray(
  shape: readonly number[],
  place: (axis: number, coordinate: number) => number,
  at: (index: number) => number | bigint | boolean,
  dtype: DType,
  options: PrintOptions = {},
): string {
  const precision = option("precision", options.precision, 8, 0, 100);
  const threshold = option("threshold", options.threshold, 1000, 0, Number.MAX_SAFE_INTEGER);
  const edgeItems = option("edgeItems", options.edgeItems, 3, 1, Number.MAX_SAFE_INTEGER);
  const lineWidth = option("lineWidth", options.lineWidth, 75, 1, Number.MAX_SAFE_INTEGER);
  const indent = option("indent", options.indent, 0, 0, 10_000);
  const { suppressSmall = false, separator = " " } = options;
  if (typeof suppressSmall !== "boolean") wrongType("suppressSmall", suppressSmall, "true or false");
  if (typeof separator !== "string") wrongType("separator", separator, "text");
  if (shape.length === 0) return formatScalar(at(0), dtype);
  let size = 1;
  for (const extent of shape) size *= extent;
  if (size === 0) return "[]";
  const grid = gridOf(shape, size > threshold ? edgeItems : Number.POSITIVE_INFINITY, place);
  const values: (number | bigint | boolean)[] = [];
  collect(grid, 0, 0, (index) => values.push(at(index)));
  const words = formatWords(values, dtype, precision, suppressSmall);
  const page = { grid, words, next: 0, separator };
  return formatAxis(page, 0, " ".repeat(indent + 1), lineWidth);
}

/** The elements of an array that are shown: all, or those at both ends of each longer axis. */
interface Grid {
  /** For each axis, what each coordinate that is shown adds to an index. */
  readonly places: readonly (readonly number[])[];
  /** Whether an axis is cut, between its two halves. */
  readonly cut: readonly boolean[];
}

function gridOf(shape: readonly number[], edges: number, place: (axis: number, coordinate: number) => number): Grid {
  const cut = shape.map((extent) => extent > 2 * edges);
  const places = shape.map((extent, axis) => {
    const list: number[] = [];
    for (let k = 0; k < extent; k++) {
      if (cut[axis] && k === edges) k = extent - edges;
      list.push(place(axis, k));
    }
    return list;
  });
  return { places, cut };
}

/** A text in the making; `next` counts the words that are set. */
interface Page {
  readonly grid: Grid;
  readonly words: readonly string[];
  readonly separator: string;
  next: number;
}

function collect(grid: Grid, axis: number, index: number, visit: (index: number) => void): void {
  const list = grid.places[axis]!;
  if (axis === grid.places.length - 1) {
    for (let k = 0; k < list.length; k++) visit(index + list[k]!);
    return;
  }
  for (let k = 0; k < list.length; k++) collect(grid, axis + 1, index + list[k]!, visit);
}

function formatWords(
  values: readonly (number | bigint | boolean)[],
  dtype: DType,
  precision: number,
  suppressSmall: boolean,
): readonly string[] {
  if (isFloat(dtype)) return formatFloats(values as readonly number[], dtype, precision, suppressSmall);
  const texts = values.map((value) => formatScalar(value, dtype));
  // NumPy pads `True` to the width of `False` even where nothing is false.
  const width = Math.max(dtype === "bool" ? 5 : 0, ...texts.map((text) => text.length));
  return texts.map((text) => text.padStart(width));
}

function formatScalar(value: number | bigint | boolean, dtype: DType): string {
  if (dtype === "bool") return value ? "True" : "False";
  return isFloat(dtype) ? formatFloat(Number(value), dtype) : String(value);
}

function isFloat(dtype: DType): dtype is "float32" | "float64" | "float16" | "bfloat16" {
  return dtype === "float32" || dtype === "float64" || dtype === "float16" || dtype === "bfloat16";
}

/** Sets one axis in brackets. `hanging` is what stands before an element on a new line, bracket not counted. */
function formatAxis(page: Page, axis: number, hanging: string, width: number): string {
  const { places } = page.grid;
  const below = places.length - axis - 1;
  const cut = page.grid.cut[axis]!;
  const shown = places[axis]!.length;
  if (below === 0) return `[${formatRow(page, shown, cut, hanging, width)}]`;
  const between = page.separator.trimEnd() + "\n".repeat(below) + hanging;
  const parts: string[] = [];
  for (let k = 0; k < shown; k++) {
    if (cut && 2 * k === shown) parts.push("...");
    parts.push(formatAxis(page, axis + 1, `${hanging} `, width - 1));
  }
  return `[${parts.join(between)}]`;
}

/** Sets the elements of the last axis, in as many lines as they need. */
function formatRow(page: Page, shown: number, cut: boolean, hanging: string, width: number): string {
  const room = width - Math.max(page.separator.trimEnd().length, 1);
  let text = "";
  let line = hanging;
  const set = (word: string, last: boolean): void => {
    // A line that holds nothing yet is not broken: that would not help.
    if (line.length + word.length > room && line.length > hanging.length) {
      text += `${line.trimEnd()}\n`;
      line = hanging;
    }
    line += last ? word : word + page.separator;
  };
  for (let k = 0; k < shown; k++) {
    if (cut && 2 * k === shown) set("...", false);
    set(page.words[page.next++]!, k === shown - 1);
  }
  return (text + line).slice(hanging.length);
}

function wrongType(name: string, value: unknown, expected: string): never {
  const got = typeof value === "number" ? value : typeof value;
  throw new TypeError(`format: ${name} is of the wrong type: got ${got}, expected ${expected}.`);
}

function option(name: string, value: number | undefined, otherwise: number, least: number, most: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    wrongType(name, value, "an integer");
  }
  if (value < least || value > most) {
    throw new TensorValueError(
      "SW_TENSOR_OPTION",
      `format: ${name} is out of range: got ${value}, expected ${least} to ${most}.`,
      { given: value, expected: [least, most] },
    );
  }
  return value;
}
