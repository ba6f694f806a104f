import { HurrayFormatError, type Rule } from "../errors.js";

/**
 * A cursor over little-endian bytes that checks every field against the end before
 * reading it. Fields lie at any offset, so it goes through a `DataView`.
 */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** What begins the messages of errors. */
  readonly operation: string;
  /** What is added to positions in errors: where the bytes start in the file. */
  readonly base: number;
  /** The rule that a field past the end breaks. */
  readonly overrun: Rule;
  readonly end: number;
  position = 0;

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
      this.fail(this.overrun, field, `${field} runs past the end`, `${this.remaining} bytes`, `${length}`);
    }
  }

  u8(field: string): number {
    this.need(1, field);
    return this.view.getUint8(this.position++);
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

  i64(field: string): bigint {
    return this.view.getBigInt64(this.advance(8, field), true);
  }

  f32(field: string): number {
    return this.view.getFloat32(this.advance(4, field), true);
  }

  f64(field: string): number {
    return this.view.getFloat64(this.advance(8, field), true);
  }

  /** Reads `count` unsigned 64-bit integers; the list is made only when all of them are there. */
  u64s(count: number, field: string): bigint[] {
    this.need(count * 8, field);
    const values: bigint[] = [];
    for (let k = 0; k < count; k++) values.push(this.u64(field));
    return values;
  }

  /** Reads `count` signed 64-bit integers; the list is made only when all of them are there. */
  i64s(count: number, field: string): bigint[] {
    this.need(count * 8, field);
    const values: bigint[] = [];
    for (let k = 0; k < count; k++) values.push(this.i64(field));
    return values;
  }

  /** Gives a window of the next bytes, not a copy. */
  window(length: number, field: string): Uint8Array {
    const start = this.advance(length, field);
    return this.bytes.subarray(start, start + length);
  }

  /** Reads bytes that must be zero. */
  reserved(length: number, rule: Rule, field: string): void {
    const start = this.advance(length, field);
    for (let k = start; k < start + length; k++) {
      const byte = this.bytes[k]!;
      if (byte !== 0) this.failAt(k, rule, field, "reserved bytes are not zero", byte, "0");
    }
  }

  /** Throws for the field that ends at the cursor, `width` bytes back. */
  failBack(width: number, rule: Rule, field: string, problem: string, given: unknown, expected: string): never {
    return this.failAt(this.position - width, rule, field, problem, given, expected);
  }

  /** Throws for the field at the cursor. */
  fail(rule: Rule, field: string, problem: string, given: unknown, expected: string): never {
    return this.failAt(this.position, rule, field, problem, given, expected);
  }

  /** Throws for the field at a position. */
  failAt(position: number, rule: Rule, field: string, problem: string, given: unknown, expected: string): never {
    throw new HurrayFormatError(this.operation, rule, field, this.base + position, problem, given, expected);
  }

  /** Moves the cursor over a field and gives where it starts. */
  advance(length: number, field: string): number {
    this.need(length, field);
    const start = this.position;
    this.position += length;
    return start;
  }
}
