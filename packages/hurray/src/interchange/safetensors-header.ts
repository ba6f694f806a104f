import { quote } from "../bytes/quote.js";
import type { HurrayForeignError } from "../errors.js";
import { invalid, type Task } from "./errors.js";
import { MAXIMUM_RANK, rankError } from "./shape.js";
import { TYPE_MAPPINGS } from "./types.js";

/** Where the header starts: its length comes first. */
export const HEADER_START = 8;

/** What a header says of a tensor; the range is relative to the first byte after the header. */
export interface TensorEntry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
  /** Where its fields lie in the text of the header, for what is found out later. */
  readonly dtypeAt: number;
  readonly shapeAt: number;
  readonly rangeAt: number;
}

export interface SafetensorsHeader {
  readonly entries: ReadonlyMap<string, TensorEntry>;
  readonly metadata: ReadonlyMap<string, string>;
  /** Where a place in the text lies in the file. */
  byteOffset(at: number): number;
}

/**
 * Reads a header: JSON of one shape only, so that its parser is a list of what may come next. Numbers are whole and exact,
 * keys unique, and no field is unknown.
 *
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_INVALID` where it is anything else.
 */
export function parseHeader(task: Task, text: string): SafetensorsHeader {
  const json = new JsonCursor(task, text);
  const entries = new Map<string, TensorEntry>();
  const metadata = new Map<string, string>();
  let hasMetadata = false;
  if (text[0] !== "{") throw json.error("header", "the header does not begin with {", json.excerpt(0), "{", 0);
  json.object("header", (name, at) => {
    if (entries.has(name) || (hasMetadata && name === METADATA)) {
      throw json.error("name", "two entries have the same name", quote(name), "different names", at);
    }
    if (name !== METADATA) {
      json.tensorName = name;
      entries.set(name, parseEntry(json, name));
      json.tensorName = undefined;
      return;
    }
    hasMetadata = true;
    json.object(METADATA, (key, keyAt) => {
      if (metadata.has(key)) {
        throw json.error(METADATA, "two entries have the same key", quote(key), "different keys", keyAt);
      }
      metadata.set(key, json.string(METADATA, "text: metadata has no other values"));
    });
  });
  json.end();
  return { entries, metadata, byteOffset: (at) => json.byteOffset(at) };
}

/** The name under which a header has its metadata, and which no tensor can have. */
export const METADATA = "__metadata__";

const BOTH_ENDS = "2: begin and end";

function parseEntry(json: JsonCursor, name: string): TensorEntry {
  let dtype = "";
  let shape: number[] = [];
  let range: number[] = [];
  // Nothing lies at place 0 but the brace of the header.
  let dtypeAt = 0;
  let shapeAt = 0;
  let rangeAt = 0;
  const once = (field: string, place: number, at: number): number => {
    if (place > 0) throw json.error(field, "the field is there twice", quote(field), "once", at);
    return json.here();
  };
  json.object("tensor", (field, at) => {
    if (field === "dtype") {
      dtypeAt = once(field, dtypeAt, at);
      dtype = json.string(field, "text");
    } else if (field === "shape") {
      shapeAt = once(field, shapeAt, at);
      shape = json.integers(field, MAXIMUM_RANK);
    } else if (field === "data_offsets") {
      rangeAt = once(field, rangeAt, at);
      range = json.integers(field, 2);
    } else throw json.error("tensor", "a field is unknown", quote(field), "dtype, shape or data_offsets", at);
  });
  const missing = dtypeAt === 0 ? "dtype" : shapeAt === 0 ? "shape" : rangeAt === 0 ? "data_offsets" : undefined;
  if (missing !== undefined) throw json.error(missing, "the tensor has no such field", "none", missing);
  const [start, end] = range;
  if (start === undefined || end === undefined) {
    throw json.error("data_offsets", "the range has another number of ends", range.length, BOTH_ENDS, rangeAt);
  }
  return { name, dtype: known(dtype), shape, start, end, dtypeAt, shapeAt, rangeAt };
}

/** The same text once for all tensors: a header may have a hundred thousand of them. */
function known(dtype: string): string {
  return TYPE_MAPPINGS.find(({ safetensors }) => safetensors === dtype)?.safetensors ?? dtype;
}

/** Reads JSON from text, one expected thing after another. */
class JsonCursor {
  /** The tensor that errors are about. */
  tensorName: string | undefined;
  private position = 0;
  private readonly task: Task;
  private readonly text: string;

  constructor(task: Task, text: string) {
    this.task = task;
    this.text = text;
  }

  /** Where in the text the next thing starts. */
  here(): number {
    while (" \t\n\r".includes(this.text[this.position] ?? "-")) this.position++;
    return this.position;
  }

  object(field: string, entry: (key: string, at: number) => void): void {
    this.list(field, "{", "}", () => {
      const at = this.here();
      const key = this.string(field, "a name in quotes");
      this.take(field, ":");
      entry(key, at);
    });
  }

  /** Takes a list of counts: a shape, or the two ends of a range. */
  integers(field: "shape" | "data_offsets", maximum: number): number[] {
    const at = this.here();
    const numbers: number[] = [];
    this.list(field, "[", "]", () => {
      numbers.push(this.integer(field));
      if (numbers.length <= maximum) return;
      const given = `more than ${maximum}`;
      if (field === "shape") throw rankError(this.named(), field, this.byteOffset(at), given);
      throw this.error(field, "the range has another number of ends", given, BOTH_ENDS, at);
    });
    // A copy has no room to grow, of which a list that grew keeps more than it has.
    return numbers.slice();
  }

  /** Takes a string. */
  string(field: string, expected: string): string {
    const at = this.here();
    if (this.text[at] !== '"') throw this.error(field, "something else stands here", this.excerpt(), expected);
    let end = at + 1;
    let isPlain = true;
    for (; this.text[end] !== '"'; end++) {
      const code = this.text.charCodeAt(end);
      // Past the end of the text there is no code, which no comparison holds for.
      if (!(code >= 0x20)) throw this.error(field, "a string does not end on its line", this.excerpt(), '"');
      if (code !== 0x5c) continue;
      isPlain = false;
      end++;
    }
    this.position = end + 1;
    if (isPlain) return this.text.slice(at + 1, end);
    const string = unescaped(this.text.slice(at, end + 1));
    if (string !== undefined) return string;
    throw this.error(field, "an escape means no character", this.excerpt(at), "JSON text of whole characters", at);
  }

  /** Ends the text: only padding may follow. */
  end(): void {
    const at = this.here();
    if (at < this.text.length) throw this.error("header", "something follows the header", this.excerpt(), "spaces");
  }

  /** What stands at a place, cut short. */
  excerpt(at: number = this.here()): string {
    return at < this.text.length ? quote(this.text.slice(at, at + 20)) : "the end of the header";
  }

  error(field: string, problem: string, given: unknown, expected: string, at = this.here()): HurrayForeignError {
    return invalid(this.named(), field, this.byteOffset(at), problem, given, expected);
  }

  /** Where a place in the text lies in the file: characters have 1 to 4 bytes. */
  byteOffset(at: number): number {
    return HEADER_START + new TextEncoder().encode(this.text.slice(0, at)).byteLength;
  }

  private named(): Task {
    return { ...this.task, tensorName: this.tensorName };
  }

  private integer(field: string): number {
    const at = this.here();
    let end = at;
    while ("+-.0123456789eE".includes(this.text[end] ?? "x")) end++;
    const digits = this.text.slice(at, end);
    const number = Number(digits);
    if (/^(0|[1-9]\d*)$/.test(digits) && Number.isSafeInteger(number)) {
      this.position = end;
      return number;
    }
    const given = digits === "" ? this.excerpt() : digits.slice(0, 40);
    throw this.error(field, "this is no count", given, "a whole number from 0 to 2^53 - 1");
  }

  private list(field: string, open: string, close: string, item: () => void): void {
    this.take(field, open);
    let more = this.text[this.here()] !== close;
    while (more) {
      item();
      more = this.text[this.here()] === ",";
      if (more) this.position++;
    }
    this.take(field, close);
  }

  private take(field: string, character: string): void {
    if (this.text[this.here()] !== character) {
      throw this.error(field, "something else stands here", this.excerpt(), character);
    }
    this.position++;
  }
}

/** Reads a string with escapes; `undefined` for escapes that JSON has not, and for halves of surrogate pairs. */
function unescaped(quoted: string): string | undefined {
  try {
    const string: string = JSON.parse(quoted);
    return /\p{Surrogate}/u.test(string) ? undefined : string;
  } catch {
    return undefined;
  }
}
