import type { DType } from "./dtype.js";
import { TensorValueError } from "./errors.js";
import { formatFloat, formatFloats } from "./print-float.js";

/** How `formatArray` prints; the defaults are NumPy's. */
export interface PrintOptions {
  /** Digits after the point, at most; 8. */
  readonly precision?: number;
  /** Arrays of more elements than this are cut; 1000. */
  readonly threshold?: number;
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
 * below 10⁻⁴, and where the largest is more than 1000 times the smallest. An array of rank 0 is printed as its
 * element, in full; one without elements as `[]`.
 *
 * @param at - reads the element of an ordinal, in row-major order; called once for each element that is shown.
 * @throws TypeError for an option of the wrong type; TensorValueError `SW_TENSOR_OPTION` for one out of range.
 */
export function formatArray(
  shape: readonly number[],
  at: (ordinal: number) => number | bigint | boolean,
  dtype: DType,
  options: PrintOptions = {},
): string {
  const precision = option("precision", options.precision, 8, 0, 100);
  const threshold = option("threshold", options.threshold, 1000, 0, Number.MAX_SAFE_INTEGER);
  const edgeItems = option("edgeItems", options.edgeItems, 3, 1, Number.MAX_SAFE_INTEGER);
  const lineWidth = option("lineWidth", options.lineWidth, 75, 1, Number.MAX_SAFE_INTEGER);
  const indent = option("indent", options.indent, 0, 0, 10_000);
  if (shape.length === 0) return formatScalar(at(0), dtype);
  const steps = new Array<number>(shape.length);
  let size = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    steps[axis] = size;
    size *= shape[axis]!;
  }
  if (size === 0) return "[]";
  const values: (number | bigint | boolean)[] = [];
  const grid = { shape, steps, edges: size > threshold ? edgeItems : Number.POSITIVE_INFINITY };
  collect(grid, 0, 0, (ordinal) => values.push(at(ordinal)));
  const words = formatWords(values, dtype, precision);
  const page = { grid, words, next: 0, separator: options.separator ?? " " };
  return formatAxis(page, 0, " ".repeat(indent + 1), lineWidth);
}

/** The elements of an array that are shown: all, or `edges` at both ends of each longer axis. */
interface Grid {
  readonly shape: readonly number[];
  readonly steps: readonly number[];
  readonly edges: number;
}

/** A text in the making; `next` counts the words that are set. */
interface Page {
  readonly grid: Grid;
  readonly words: readonly string[];
  readonly separator: string;
  next: number;
}

function collect(grid: Grid, axis: number, ordinal: number, visit: (ordinal: number) => void): void {
  if (axis === grid.shape.length) {
    visit(ordinal);
    return;
  }
  const extent = grid.shape[axis]!;
  const cut = extent > 2 * grid.edges;
  for (let k = 0; k < extent; k++) {
    if (cut && k === grid.edges) k = extent - grid.edges;
    collect(grid, axis + 1, ordinal + k * grid.steps[axis]!, visit);
  }
}

function formatWords(
  values: readonly (number | bigint | boolean)[],
  dtype: DType,
  precision: number,
): readonly string[] {
  if (isFloat(dtype)) return formatFloats(values as readonly number[], dtype, precision);
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
  const { shape, edges } = page.grid;
  const below = shape.length - axis - 1;
  const extent = shape[axis]!;
  const cut = extent > 2 * edges;
  const shown = cut ? 2 * edges : extent;
  if (below === 0) return `[${formatRow(page, shown, cut, hanging, width)}]`;
  const between = page.separator.trimEnd() + "\n".repeat(below) + hanging;
  const parts: string[] = [];
  for (let k = 0; k < shown; k++) {
    if (cut && k === edges) parts.push("...");
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

function option(name: string, value: number | undefined, otherwise: number, least: number, most: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new TypeError(`print: ${name} is not an integer: got ${String(value)}, expected an integer.`);
  }
  if (value < least || value > most) {
    throw new TensorValueError(
      "SW_TENSOR_OPTION",
      `print: ${name} is out of range: got ${value}, expected ${least} to ${most}.`,
      { given: value, expected: [least, most] },
    );
  }
  return value;
}
