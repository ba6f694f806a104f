import type { Layout } from "./layout.js";
import type { IntTree } from "./tree.js";

/** The code of every situation in which a layout operation refuses a value. @since 0.1.0 */
export type LayoutErrorCode =
  | "SW_LAYOUT_ARRANGEMENT"
  | "SW_LAYOUT_AXIS"
  | "SW_LAYOUT_BITS"
  | "SW_LAYOUT_BOX"
  | "SW_LAYOUT_BROADCAST"
  | "SW_LAYOUT_CODOMAIN"
  | "SW_LAYOUT_COMMAND"
  | "SW_LAYOUT_COMPLEMENT"
  | "SW_LAYOUT_COORDINATE"
  | "SW_LAYOUT_COUNT"
  | "SW_LAYOUT_DEPTH"
  | "SW_LAYOUT_EMPTY"
  | "SW_LAYOUT_EMPTY_MODE"
  | "SW_LAYOUT_EXPAND"
  | "SW_LAYOUT_EXTENT"
  | "SW_LAYOUT_INADMISSIBLE"
  | "SW_LAYOUT_INCONGRUENT"
  | "SW_LAYOUT_INDIVISIBLE"
  | "SW_LAYOUT_NESTED_AXIS"
  | "SW_LAYOUT_NOT_INJECTIVE"
  | "SW_LAYOUT_NO_VIEW"
  | "SW_LAYOUT_ORDER"
  | "SW_LAYOUT_PARSE"
  | "SW_LAYOUT_PICTURE"
  | "SW_LAYOUT_RECAST"
  | "SW_LAYOUT_RESHAPE"
  | "SW_LAYOUT_SEARCH_LIMIT"
  | "SW_LAYOUT_SHAPES_DIFFER"
  | "SW_LAYOUT_SIGN"
  | "SW_LAYOUT_SLICE"
  | "SW_LAYOUT_SQUEEZE"
  | "SW_LAYOUT_SWIZZLE"
  | "SW_LAYOUT_TILE"
  | "SW_LAYOUT_TILER"
  | "SW_LAYOUT_UNSAFE_INTEGER";

/** The condition of exact composition that a pair of layouts breaks (LA-64). @since 0.1.0 */
export type CompositionReason = "stride" | "domain" | "carry" | "shape" | "digits";

/** The condition of an exact complement that a layout and a cotarget break (LA-72). @since 0.1.0 */
export type ComplementReason = "overlap" | "divisibility" | "cotarget";

/** The values of a {@link LayoutError}; a situation sets those that its message names. @since 0.1.0 */
export interface LayoutErrorFields {
  readonly layout?: Layout;
  readonly other?: Layout;
  readonly shape?: readonly IntTree[];
  readonly otherShape?: readonly IntTree[];
  readonly stride?: readonly IntTree[];
  readonly axis?: number;
  readonly value?: number;
  readonly position?: number;
  readonly reason?: CompositionReason | ComplementReason;
}

/**
 * A value that a layout operation cannot take: an extent, stride, coordinate, axis or pair of layouts.
 *
 * A wrong *type* of argument is a `TypeError` instead. Nothing was changed when it is thrown.
 * @since 0.1.0
 */
export class LayoutError extends RangeError {
  override readonly name = "LayoutError";
  /** The situation, stable between versions. */
  readonly code: LayoutErrorCode;
  /** The operation that the caller asked for: the function, or the `operation` that was passed to it in its place. */
  readonly operation: string;
  /** The layout the operation was given; the outer one of two. */
  readonly layout: Layout | undefined;
  /** The second layout, where there are two. */
  readonly other: Layout | undefined;
  /** The shape given, or the shape of the layout concerned. */
  readonly shape: readonly IntTree[] | undefined;
  /** The shape it was to agree with. */
  readonly otherShape: readonly IntTree[] | undefined;
  /** The stride given. */
  readonly stride: readonly IntTree[] | undefined;
  /** The axis concerned. */
  readonly axis: number | undefined;
  /** The offending number: an extent, coordinate, bound, limit or unsafe result. */
  readonly value: number | undefined;
  /** Where in the text given, counted in UTF-16 units from 0. */
  readonly position: number | undefined;
  /** The condition of an exact composition or complement that was broken. */
  readonly reason: CompositionReason | ComplementReason | undefined;

  constructor(code: LayoutErrorCode, operation: string, problem: string, fields: LayoutErrorFields = {}) {
    super(`${operation}: ${problem}`);
    this.code = code;
    this.operation = operation;
    this.layout = fields.layout;
    this.other = fields.other;
    this.shape = fields.shape;
    this.otherShape = fields.otherShape;
    this.stride = fields.stride;
    this.axis = fields.axis;
    this.value = fields.value;
    this.position = fields.position;
    this.reason = fields.reason;
  }
}

/**
 * Describes any value in a few words, for the `got` part of a message: a plain object by its keys, another one by its
 * class, never by what it holds.
 * @since 0.1.0
 */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(cut(value));
  if (typeof value === "bigint") return cut(`${value}n`);
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  const name: unknown = value.constructor?.name;
  if (typeof name === "string" && name && name !== "Object") return `an object of class ${cut(name)}`;
  return cut(`{ ${Object.keys(value).join(", ")} }`).replace("  ", "");
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Builds the TypeError of an argument that is not an integer. */
export function notAnInteger(operation: string, what: string, got: unknown): TypeError {
  return new TypeError(`${operation}: ${what} is not an integer: got ${describe(got)}, expected an integer.`);
}

/** Reads a number that must be an integer within ±(2^53 - 1); -0 becomes 0. */
export function safeInteger(operation: string, what: string, got: unknown): number {
  if (typeof got !== "number" || !Number.isInteger(got)) throw notAnInteger(operation, what, got);
  if (!Number.isSafeInteger(got)) throw unsafe(operation, what, got);
  return got + 0;
}

/** Builds the error of a number beyond ±(2^53 - 1). */
export function unsafe(operation: string, what: string, value: number, fields: LayoutErrorFields = {}): LayoutError {
  return new LayoutError(
    "SW_LAYOUT_UNSAFE_INTEGER",
    operation,
    `${what} is not a safe integer: got ${value}, expected at most 9007199254740991 in magnitude.`,
    { ...fields, value },
  );
}
