import { quote } from "./bytes/quote.js";
/** A rule of the format's reject checklist, e.g. `"R17"`. @since 0.1.0 */
export type Rule = `R${number}`;

/** The codes of the errors that `@sw/hurray` throws; a code never changes its meaning within a major version. @since 0.1.0 */
export type HurrayErrorCode =
  | "SW_HURRAY_ALIGNMENT"
  | "SW_HURRAY_BUFFER_SIZE"
  | "SW_HURRAY_CHANGED"
  | "SW_HURRAY_CHECKSUM"
  | "SW_HURRAY_CLOSED"
  | "SW_HURRAY_COMPOSITE_INVALID"
  | "SW_HURRAY_DATA_INVALID"
  | "SW_HURRAY_DESCRIPTOR_INVALID"
  | "SW_HURRAY_DEVICE_UNSUPPORTED"
  | "SW_HURRAY_DISCONNECTED"
  | "SW_HURRAY_DYNAMIC_UNSUPPORTED"
  | "SW_HURRAY_FILE_INVALID"
  | "SW_HURRAY_FOREIGN_INVALID"
  | "SW_HURRAY_FOREIGN_UNSUPPORTED"
  | "SW_HURRAY_HTTP"
  | "SW_HURRAY_LAYOUT_UNSUPPORTED"
  | "SW_HURRAY_LIMIT"
  | "SW_HURRAY_METADATA_INVALID"
  | "SW_HURRAY_NAME_UNKNOWN"
  | "SW_HURRAY_PEER"
  | "SW_HURRAY_QUANTISED_UNSUPPORTED"
  | "SW_HURRAY_RANGES_IGNORED"
  | "SW_HURRAY_SOURCE_SHORT"
  | "SW_HURRAY_STREAM_INVALID"
  | "SW_HURRAY_TIMEOUT"
  | "SW_HURRAY_TRUNCATED"
  | "SW_HURRAY_TYPE_UNSUPPORTED"
  | "SW_HURRAY_VALUE"
  | "SW_HURRAY_VERSION";

// Fields are declared and not defined here: the constructors set them, and the program is smaller.

/** Bytes that break a rule of the format. @since 0.1.0 */
export class HurrayFormatError extends Error {
  declare readonly code: HurrayErrorCode;
  /** The rule that was broken, by its number in the reject checklist. */
  declare readonly rule: Rule;
  /** Where the offending field lies, from the start of the bytes or the file. */
  declare readonly byteOffset: number;
  /** The field, as the format names it. */
  declare readonly field: string;
  /** The value found. */
  declare readonly given: unknown;
  /** What the rule asks for. */
  declare readonly expected: string;
  constructor(
    operation: string,
    rule: Rule,
    field: string,
    byteOffset: number,
    problem: string,
    given: unknown,
    expected: string,
  ) {
    super(`${operation}: ${problem}: got ${String(given)}, expected ${expected} (${rule}, byte ${byteOffset}).`);
    this.name = "HurrayFormatError";
    this.code = codeOf(rule);
    this.rule = rule;
    this.field = field;
    this.byteOffset = byteOffset;
    this.given = given;
    this.expected = expected;
  }
}

/** Something well formed that this version does not read, or that no tensor can be made of. @since 0.1.0 */
export class HurrayUnsupportedError extends Error {
  declare readonly code: HurrayErrorCode;
  /** The layout tag, where the layout is what is not supported. */
  declare readonly layoutTag: number | undefined;
  /** The element type tag, where the type is what is not supported. */
  declare readonly typeTag: number | undefined;
  constructor(
    code: HurrayErrorCode,
    message: string,
    tags: { readonly layoutTag?: number; readonly typeTag?: number } = {},
  ) {
    super(message);
    this.name = "HurrayUnsupportedError";
    this.code = code;
    this.layoutTag = tags.layoutTag;
    this.typeTag = tags.typeTag;
  }
}

/** Something that the format can describe, but that is too large for what was asked. @since 0.1.0 */
export class HurrayLimitError extends RangeError {
  readonly code: HurrayErrorCode = "SW_HURRAY_LIMIT";
  /** The limit that was passed, in words. */
  declare readonly limit: string;
  declare readonly given: bigint;
  constructor(
    operation: string,
    limit: string,
    given: bigint,
    expected: string,
    advice = "Its descriptor can still be read.",
  ) {
    super(`${operation}: the limit on ${limit} is passed: got ${given}, expected ${expected}. ${advice}`);
    this.name = "HurrayLimitError";
    this.limit = limit;
    this.given = given;
  }
}

/** A name that the file does not have. @since 0.1.0 */
export class HurrayLookupError extends RangeError {
  readonly code: HurrayErrorCode = "SW_HURRAY_NAME_UNKNOWN";
  /** The name asked for. */
  declare readonly lookupName: string;
  /** Up to eight names that exist. */
  declare readonly names: readonly string[];
  constructor(operation: string, name: string, names: readonly string[], count: number) {
    const list = names.map(quote).join(", ") || "no tensors";
    const more = count > names.length ? `, … (${count} in all)` : "";
    super(`${operation}: no tensor of this name: got ${quote(name)}, expected one of ${list}${more}.`);
    this.name = "HurrayLookupError";
    this.lookupName = name;
    this.names = names;
  }
}

/** Bytes that cannot be shared because they are not aligned for their element type. @since 0.1.0 */
export class HurrayAlignmentError extends RangeError {
  readonly code: HurrayErrorCode = "SW_HURRAY_ALIGNMENT";
  /** Where the elements start in their ArrayBuffer. */
  declare readonly byteOffset: number;
  /** What `byteOffset` must be a multiple of. */
  declare readonly alignment: number;
  constructor(operation: string, byteOffset: number, alignment: number) {
    super(
      `${operation}: unaligned bytes cannot be shared: got byte ${byteOffset}, expected a multiple of ${alignment}. Allow a copy.`,
    );
    this.name = "HurrayAlignmentError";
    this.byteOffset = byteOffset;
    this.alignment = alignment;
  }
}

/** The other formats that are read or written. @since 0.1.0 */
export type ForeignFormat = "npy" | "npz" | "onnx" | "safetensors";

/** Where something is in another format. @since 0.1.0 */
export interface ForeignPlace {
  readonly format: ForeignFormat;
  /** The field, as that format names it. */
  readonly field: string;
  /** Where the field lies, from the start of the bytes; `undefined` where something was to be written. */
  readonly byteOffset: number | undefined;
  /** The tensor, where it has a name that is known. */
  readonly tensorName: string | undefined;
}

/** Bytes of another format that break its rules, or something that has no counterpart on the other side. @since 0.1.0 */
export class HurrayForeignError extends Error {
  declare readonly code: "SW_HURRAY_FOREIGN_INVALID" | "SW_HURRAY_FOREIGN_UNSUPPORTED";
  declare readonly format: ForeignFormat;
  declare readonly field: string;
  declare readonly byteOffset: number | undefined;
  declare readonly tensorName: string | undefined;
  /** The value found. */
  declare readonly given: unknown;
  /** What would have been right. */
  declare readonly expected: string;
  constructor(
    code: "SW_HURRAY_FOREIGN_INVALID" | "SW_HURRAY_FOREIGN_UNSUPPORTED",
    operation: string,
    place: ForeignPlace,
    problem: string,
    given: unknown,
    expected: string,
    { advice = "", cause }: { readonly advice?: string; readonly cause?: unknown } = {},
  ) {
    const { format, field, byteOffset, tensorName } = place;
    const of = tensorName === undefined ? "" : ` of ${quote(tensorName)}`;
    const at = byteOffset === undefined ? "" : `, byte ${byteOffset}`;
    super(
      `${operation}: ${problem}: got ${String(given)}, expected ${expected} (${format}: ${field}${of}${at}).${advice === "" ? "" : ` ${advice}`}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "HurrayForeignError";
    this.code = code;
    this.format = format;
    this.field = field;
    this.byteOffset = byteOffset;
    this.tensorName = tensorName;
    this.given = given;
    this.expected = expected;
  }
}

/** A value that cannot be written: out of the range of its field, or not text. @since 0.1.0 */
export class HurrayValueError extends RangeError {
  readonly code: HurrayErrorCode = "SW_HURRAY_VALUE";
  declare readonly field: string;
  declare readonly given: unknown;
  constructor(operation: string, field: string, problem: string, given: unknown, expected: string) {
    super(`${operation}: ${problem}: got ${String(given)}, expected ${expected}.`);
    this.name = "HurrayValueError";
    this.field = field;
    this.given = given;
  }
}

/** A server that gave something else than the bytes asked for. @since 0.1.0 */
export class HurrayHttpError extends Error {
  declare readonly code: HurrayErrorCode;
  declare readonly url: string;
  /** The status of the answer; 0 where none came. */
  declare readonly status: number;
  constructor(code: "SW_HURRAY_HTTP" | "SW_HURRAY_RANGES_IGNORED", url: string, status: number, message: string) {
    super(message);
    this.name = "HurrayHttpError";
    this.code = code;
    this.url = url;
    this.status = status;
  }
}

/**
 * A source that gave fewer bytes than it promised, was closed, or is another file by now; a tensor written to while it
 * was saved; a writer that has ended.
 * @since 0.1.0
 */
export class HurraySourceError extends Error {
  declare readonly code: HurrayErrorCode;
  declare readonly byteOffset: number;
  constructor(
    code: "SW_HURRAY_SOURCE_SHORT" | "SW_HURRAY_CHANGED" | "SW_HURRAY_CLOSED",
    message: string,
    byteOffset: number,
  ) {
    super(message);
    this.name = "HurraySourceError";
    this.code = code;
    this.byteOffset = byteOffset;
  }
}

/** A peer that answered with an error, did not answer in time, or is gone. @since 0.1.0 */
export class HurrayPeerError extends Error {
  declare readonly code: HurrayErrorCode;
  /** The code of the peer's ERROR message, if that is what came. */
  declare readonly errorCode: number | undefined;
  /** What the peer said beside the code. */
  declare readonly peerMessage: string | undefined;
  /** The stream that it is about; `undefined` where it is the whole connection. */
  declare readonly streamId: number | undefined;
  constructor(
    code: "SW_HURRAY_PEER" | "SW_HURRAY_TIMEOUT" | "SW_HURRAY_DISCONNECTED",
    message: string,
    about: {
      readonly errorCode?: number;
      readonly peerMessage?: string;
      readonly streamId?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, "cause" in about ? { cause: about.cause } : {});
    this.name = "HurrayPeerError";
    this.code = code;
    this.errorCode = about.errorCode;
    this.peerMessage = about.peerMessage;
    this.streamId = about.streamId;
  }
}

/** The codes of rules that differ from those around them. */
const CODES: readonly (readonly [code: HurrayErrorCode, ...rules: number[]])[] = [
  ["SW_HURRAY_TRUNCATED", 1, 6, 125, 132, 155],
  ["SW_HURRAY_VERSION", 3, 4, 69, 70, 127, 161],
  ["SW_HURRAY_BUFFER_SIZE", 17, 65, 85, 99],
  ["SW_HURRAY_CHECKSUM", 136, 137],
];

/** The code of each stretch of the checklist, by the last rule of the stretch. */
const STRETCHES: readonly (readonly [code: HurrayErrorCode, last: number])[] = [
  ["SW_HURRAY_DESCRIPTOR_INVALID", 95],
  ["SW_HURRAY_DATA_INVALID", 110],
  ["SW_HURRAY_COMPOSITE_INVALID", 124],
  ["SW_HURRAY_FILE_INVALID", 145],
  ["SW_HURRAY_METADATA_INVALID", 154],
  ["SW_HURRAY_STREAM_INVALID", 167],
];

/** Groups the rules into the codes that programs tell apart. */
function codeOf(rule: Rule): HurrayErrorCode {
  const number = Number(rule.slice(1));
  const own = CODES.find((row) => row.includes(number)) ?? STRETCHES.find(([, last]) => number <= last);
  return own![0];
}
