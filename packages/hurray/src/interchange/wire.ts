import type { HurrayForeignError } from "../errors.js";
import { invalid, type Task } from "./errors.js";

/** How a field of a protobuf message is stored. */
export type WireType = 0 | 1 | 2 | 5;
export const VARINT = 0;
export const FIXED_64 = 1;
export const BYTES = 2;
export const FIXED_32 = 5;

/** Reads a protobuf message from bytes. Numbers of 64 bits are read as halves, as they have to be exact. */
export class WireReader {
  /** Halves of the number that was read last. */
  low = 0;
  high = 0;
  position: number;
  private readonly task: Task;
  private readonly bytes: Uint8Array;
  private readonly end: number;

  constructor(task: Task, bytes: Uint8Array, start = 0, end: number = bytes.byteLength) {
    this.task = task;
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  get atEnd(): boolean {
    return this.position >= this.end;
  }

  /** Takes a number of 1 to 10 bytes. */
  varint(field: string): void {
    const start = this.position;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.atEnd) throw this.error(field, start, "the bytes end within a number", "the end", "another byte");
      const byte = this.bytes[this.position++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (shift === 63 && byte > 1) break;
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw this.error(field, start, "the number is too long", "more than 64 bits", "at most 64 bits");
  }

  /** Takes a number of 4 or 8 bytes. */
  fixed(field: string, length: 4 | 8): void {
    const at = this.skip(field, length);
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset);
    this.low = view.getUint32(at, true);
    this.high = length === 8 ? view.getUint32(at + 4, true) : 0;
  }

  /** Takes a number that JavaScript holds exactly. */
  count(field: string): number {
    const start = this.position;
    this.varint(field);
    const value = this.high * 2 ** 32 + this.low;
    if (Number.isSafeInteger(value)) return value;
    const given = (BigInt(this.high) << 32n) | BigInt(this.low);
    throw this.error(field, start, "this is no count", BigInt.asIntN(64, given), "a whole number from 0 to 2^53 - 1");
  }

  /** Goes over as many bytes as are said to follow, and gives where they lie. */
  skip(field: string, length: number): number {
    const start = this.position;
    if (length > this.end - start) {
      const expected = `at most ${this.end - start} bytes`;
      throw this.error(field, start, "the field is longer than what is left", length, expected);
    }
    this.position += length;
    return start;
  }

  error(field: string, at: number, problem: string, given: unknown, expected: string): HurrayForeignError {
    return invalid(this.task, field, at, problem, given, expected);
  }
}

/**
 * Walks over the fields of a message: their numbers, how they are stored, and where their values lie. A value of bytes is given
 * without its length.
 */
export function forEachField(
  task: Task,
  bytes: Uint8Array,
  visit: (field: number, wire: WireType, start: number, end: number) => void,
): void {
  const reader = new WireReader(task, bytes);
  while (!reader.atEnd) {
    const at = reader.position;
    const key = reader.count("field");
    const field = Math.floor(key / 8);
    const wire = key % 8;
    if (field === 0 || field > 0x1fffffff)
      throw reader.error("field", at, "no field has this number", field, "1 to 2^29 - 1");
    let start = reader.position;
    if (wire === VARINT) reader.varint("field");
    else if (wire === FIXED_64) reader.skip("field", 8);
    else if (wire === FIXED_32) reader.skip("field", 4);
    else if (wire === BYTES) start = reader.skip("field", reader.count("field"));
    else throw reader.error("field", at, "the field is stored in no known way", wire, "0, 1, 2 or 5");
    visit(field, wire as WireType, start, reader.position);
  }
}
