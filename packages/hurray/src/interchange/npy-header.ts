import { quote } from "../bytes/quote.js";
import type { ElementTypeName } from "../elements.js";
import type { HurrayForeignError } from "../errors.js";
import { invalid, type Task, unsupported } from "./errors.js";
import { MAXIMUM_RANK, rankError } from "./shape.js";
import { TYPE_MAPPINGS, TYPE_REFUSALS } from "./types.js";

/** What the header of an npy file says. */
export interface NpyHeader {
  readonly type: ElementTypeName;
  readonly isBigEndian: boolean;
  readonly isColumnMajor: boolean;
  readonly shape: readonly number[];
  /** Where the shape lies in the file. */
  readonly shapeAt: number;
}

type Field = "descr" | "fortran_order" | "shape";

/**
 * Reads the dictionary of a header. It is a literal of Python, of which only what such a header consists of is known here:
 * text without escapes, True and False, and tuples of whole numbers. `base` is where it starts in the file.
 *
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_INVALID` where it is anything else, `SW_HURRAY_FOREIGN_UNSUPPORTED` for a type
 * without a counterpart.
 */
export function parseNpyHeader(task: Task, header: Uint8Array, base: number): NpyHeader {
  const cursor = new LiteralCursor(task, header, base);
  const found: { descr?: Pick<NpyHeader, "type" | "isBigEndian">; fortran_order?: boolean; shape?: number[] } = {};
  let shapeAt = base;
  cursor.take("header", "{");
  while (!cursor.next("}")) {
    const at = cursor.here();
    const field = cursor.text("header") as Field;
    if (Object.hasOwn(found, field)) throw cursor.error(field, "the key is there twice", quote(field), "once", at);
    cursor.take(field, ":");
    if (field === "descr") found.descr = cursor.type();
    else if (field === "fortran_order") found.fortran_order = cursor.truth(field);
    else if (field === "shape") {
      shapeAt = cursor.here() + base;
      found.shape = cursor.shape();
    } else throw cursor.error("header", "a key is unknown", quote(field), "descr, fortran_order or shape", at);
    if (!cursor.skip(",")) break;
  }
  cursor.take("header", "}");
  cursor.end();
  const { descr, fortran_order: isColumnMajor, shape } = found;
  for (const field of ["descr", "fortran_order", "shape"] as const) {
    if (found[field] === undefined) throw cursor.error(field, "the header has no such key", "none", field);
  }
  return { ...descr!, isColumnMajor: isColumnMajor!, shape: shape!, shapeAt };
}

/** Reads a literal of Python from bytes, one expected thing after another. Characters beyond ASCII are in no header that is understood. */
class LiteralCursor {
  private position = 0;
  private readonly task: Task;
  private readonly source: string;
  private readonly base: number;

  constructor(task: Task, bytes: Uint8Array, base: number) {
    this.task = task;
    this.base = base;
    // A character a byte, so that places in one are places in the other.
    this.source = new TextDecoder("latin1").decode(bytes);
  }

  here(): number {
    while (" \t\n\r\f".includes(this.source[this.position] ?? "-")) this.position++;
    return this.position;
  }

  next(character: string): boolean {
    return this.source[this.here()] === character;
  }

  skip(character: string): boolean {
    const isThere = this.next(character);
    if (isThere) this.position++;
    return isThere;
  }

  take(field: string, character: string): void {
    if (!this.skip(character)) {
      throw this.error(field, "something else stands here", this.excerpt(), character);
    }
  }

  text(field: string): string {
    const [whole, , text] = this.match(field, /(['"])([^'"\\\n]*)\1/y, "text in quotes, without escapes");
    this.position += whole.length;
    return text!;
  }

  truth(field: string): boolean {
    const [word] = this.match(field, /True|False/y, "True or False");
    this.position += word.length;
    return word === "True";
  }

  /** Takes a tuple of whole numbers; those that Python 2 wrote may end in L. */
  shape(): number[] {
    const at = this.here();
    const extents: number[] = [];
    let isTuple = false;
    this.take("shape", "(");
    while (!this.next(")")) {
      const digitsAt = this.here();
      const [whole, digits] = this.match("shape", /(0|[1-9][0-9]*)L?(?![\w.])/y, "a whole number from 0 to 2^53 - 1");
      const extent = Number(digits);
      if (!Number.isSafeInteger(extent)) {
        const given = whole.slice(0, 40);
        throw this.error("shape", "the size is too large", given, "a whole number from 0 to 2^53 - 1", digitsAt);
      }
      this.position += whole.length;
      extents.push(extent);
      if (extents.length > MAXIMUM_RANK) {
        throw rankError(this.task, "shape", this.base + at, `more than ${MAXIMUM_RANK}`);
      }
      isTuple = this.skip(",");
      if (!isTuple) break;
    }
    this.take("shape", ")");
    if (extents.length === 1 && !isTuple) {
      // In Python, a number in parentheses is that number.
      throw this.error("shape", "the shape is a number", `(${extents[0]})`, `a tuple: (${extents[0]},)`, at);
    }
    return extents;
  }

  /** Takes a type: a byte order, a kind and a number of bytes. */
  type(): Pick<NpyHeader, "type" | "isBigEndian"> {
    const at = this.here();
    if (this.next("[") || this.next("(")) throw this.refuse("[", this.excerpt(), at);
    const text = this.text("descr");
    const [, order = "", code = "", kind = ""] = /^([<>=|]?)((.).*)$/s.exec(text) ?? [];
    const type = TYPE_MAPPINGS.find(({ npy }) => npy === code)?.type;
    if (type === undefined) {
      const name = TYPE_REFUSALS.find((row) => row.format === "npy" && (row.name === code || row.name === kind))?.name;
      if (name !== undefined) throw this.refuse(name, quote(text), at);
      const expected = `a byte order and one of ${TYPE_MAPPINGS.flatMap(({ npy }) => npy ?? []).join(", ")}`;
      throw this.error("descr", "the type is not known", quote(text), expected, at);
    }
    if (order === "|" && !code.endsWith("1")) {
      throw this.error("descr", "the type has no byte order", quote(text), `"<${code}" or ">${code}"`, at);
    }
    return { type, isBigEndian: order === ">" };
  }

  end(): void {
    const at = this.here();
    if (at < this.source.length) throw this.error("header", "something follows the header", this.excerpt(), "spaces");
  }

  error(field: string, problem: string, given: unknown, expected: string, at = this.here()): HurrayForeignError {
    return invalid(this.task, field, this.base + at, problem, given, expected);
  }

  private refuse(name: string, given: string, at: number): HurrayForeignError {
    const { reason, advice } = TYPE_REFUSALS.find((row) => row.format === "npy" && row.name === name)!;
    const problem = `the type has no counterpart: ${reason}`;
    return unsupported(this.task, "descr", this.base + at, problem, given, "a type of numbers", advice);
  }

  private match(field: string, pattern: RegExp, expected: string): RegExpExecArray {
    pattern.lastIndex = this.here();
    const match = pattern.exec(this.source);
    if (match !== null) return match;
    throw this.error(field, "something else stands here", this.excerpt(), expected);
  }

  private excerpt(): string {
    const at = this.here();
    return at < this.source.length ? quote(this.source.slice(at, at + 20)) : "the end of the header";
  }
}
