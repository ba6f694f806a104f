import { HurrayFormatError, type Rule } from "../errors.js";
import { wireName } from "./fields.js";

/**
 * A cursor over little-endian bytes that checks every field against the end before
 * reading it. Fields lie at any offset, so it goes through a `DataView`.
 */
export class ByteReader {
  // Set by the constructor, and not defined before: the program is smaller.
  declare readonly bytes: Uint8Array;
  declare readonly view: DataView;
  /** What begins the messages of errors. */
  declare readonly operation: string;
  /** What is added to positions in errors: where the bytes start in the file. */
  declare readonly base: number;
  /** The rule that a field past the end breaks. */
  declare overrun: Rule;
  declare end: number;
  position = 0;
  /** The field read last, and where it begins. */
  field = "";
  start = 0;
  /** Whether broken rules that the format relaxes for inspection are passed over. */
  isPermissive = false;
  /** Whether one was. */
  hasRelaxed = false;

  constructor(bytes: Uint8Array, operation: string, overrun: Rule, base = 0, end: number = bytes.byteLength) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.operation = operation;
    this.overrun = overrun;
    this.base = base;
    this.end = end;
  }

  /** Bytes between the cursor and the end. */
  get remaining(): number {
    return this.end - this.position;
  }

  /** Refuses a field of `length` bytes that does not fit before the end. */
  need(length: number, field: string): void {
    if (length > this.remaining) {
      this.failAt(
        this.position,
        this.overrun,
        field,
        `${this.remaining} bytes`,
        `${length}`,
        `${wireName(field)} runs past the end`,
      );
    }
  }

  u8(field: string): number {
    return this.view.getUint8(this.advance(1, field));
  }

  u16(field: string): number {
    return this.view.getUint16(this.advance(2, field), true);
  }

  u32(field: string): number {
    return this.view.getUint32(this.advance(4, field), true);
  }

  i32(field: string): number {
    return this.view.getInt32(this.advance(4, field), true);
  }

  u64(field: string): bigint {
    return this.view.getBigUint64(this.advance(8, field), true);
  }

  /** Reads an unsigned 64-bit integer as a number: what is beyond 2⁵³ is not exact, and stays beyond it. */
  size(field: string): number {
    const start = this.advance(8, field);
    return this.view.getUint32(start, true) + this.view.getUint32(start + 4, true) * 2 ** 32;
  }

  /** The size read last, or one that lies `skip` bytes from it, as it is in the bytes. */
  exactSize(skip = 0): bigint {
    return this.view.getBigUint64(this.start + skip, true);
  }

  i64(field: string): bigint {
    return this.view.getBigInt64(this.advance(8, field), true);
  }

  f32(field: string): number {
    return this.view.getFloat32(this.advance(4, field), true);
  }

  f64(field: string): number {
    return this.view.getFloat64(this.advance(8, field), true);
  }

  /** Reads `count` unsigned 32-bit integers; the list is made only when all of them are there. */
  u32s(count: number, field: string): number[] {
    const start = this.advance(count * 4, field);
    const values: number[] = [];
    for (let k = 0; k < count; k++) values.push(this.view.getUint32(start + 4 * k, true));
    return values;
  }

  /** Reads `count` unsigned 64-bit integers; the list is made only when all of them are there. */
  u64s(count: number, field: string): bigint[] {
    const start = this.advance(count * 8, field);
    const values: bigint[] = [];
    for (let k = 0; k < count; k++) values.push(this.view.getBigUint64(start + 8 * k, true));
    return values;
  }

  /** Reads `count` signed 64-bit integers; the list is made only when all of them are there. */
  i64s(count: number, field: string): bigint[] {
    return this.u64s(count, field).map((value) => BigInt.asIntN(64, value));
  }

  /** Gives a window of the next bytes, not a copy. */
  window(length: number, field: string): Uint8Array {
    const start = this.advance(length, field);
    return this.bytes.subarray(start, start + length);
  }

  /** Reads bytes that must be zero. */
  reserved(length: number, rule: Rule, field = "reserved bytes"): void {
    const start = this.advance(length, field);
    for (let k = start; k < start + length; k++) {
      const byte = this.bytes[k]!;
      if (byte !== 0) this.failAt(k, rule, field, byte, "0", "reserved bytes are not zero");
    }
  }

  /** Throws for the field read last; what is wrong lies `skip` bytes after its beginning where it is a list. */
  refuse(rule: Rule, given: unknown, expected: string, problem?: string, skip = 0): never {
    return this.failAt(this.start + skip, rule, this.field, given, expected, problem);
  }

  /** Reads the bytes that open something, which lacks them otherwise. */
  magic(rule: Rule, magic: readonly number[], problem: string, field = "magic"): void {
    for (const byte of magic) {
      const given = this.u8(field);
      if (given !== byte) this.refuse(rule, given, `${byte}`, problem);
    }
  }

  /** Gives a value of the field read last, and refuses one that does not lie between two others; without the second, one below the first. */
  within<T extends number | bigint>(rule: Rule, value: T, lowest: T, highest?: T): T {
    if (value >= lowest && (highest === undefined || value <= highest)) return value;
    const range = highest === undefined ? `at least ${lowest}` : `${lowest} to ${highest}`;
    return this.refuse(rule, value, lowest === highest ? `${lowest}` : range);
  }

  /** Gives a value of the field read last, and refuses one that is no power of two from `lowest` to `highest`. */
  powerOfTwo(rule: Rule, value: number, lowest: number, highest: number): number {
    if (value >= lowest && value <= highest && (value & (value - 1)) === 0) return value;
    return this.refuse(rule, value, `a power of two from ${lowest} to ${highest}`);
  }

  /** Throws as `refuse` does, or passes over the rule in permissive mode: for the rules marked P. */
  relax(rule: Rule, given: unknown, expected: string, problem?: string): void {
    if (!this.isPermissive) this.refuse(rule, given, expected, problem);
    this.hasRelaxed = true;
  }

  /** Throws for the field at a position. */
  failAt(
    position: number,
    rule: Rule,
    field: string,
    given: unknown,
    expected: string,
    problem = `${wireName(field)} is not allowed`,
  ): never {
    throw new HurrayFormatError(this.operation, rule, wireName(field), this.base + position, problem, given, expected);
  }

  /** Moves the cursor over a field and gives where it starts. */
  advance(length: number, field: string): number {
    this.need(length, field);
    const start = this.position;
    this.start = start;
    this.field = field;
    this.position = start + length;
    return start;
  }
}
