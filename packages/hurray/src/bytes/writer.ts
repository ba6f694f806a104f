import { HurrayValueError } from "../errors.js";
import { isWithin, refuseValue } from "../number-option.js";
import { wireName } from "./fields.js";

/** Grows as little-endian fields are appended; refuses values that their field cannot hold. */
export class ByteWriter {
  // Set by the constructor, and not defined before: the program is smaller.
  declare bytes: Uint8Array;
  declare view: DataView;
  position = 0;
  /** What begins the messages of errors. */
  declare readonly operation: string;

  constructor(operation: string, capacity = 128) {
    this.operation = operation;
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  u8(value: number, field: string): void {
    this.check(value, 0, 0xff, field);
    const at = this.reserve(1); // may move the bytes
    this.bytes[at] = value;
  }

  u16(value: number, field: string): void {
    this.check(value, 0, 0xffff, field);
    const at = this.reserve(2);
    this.view.setUint16(at, value, true);
  }

  u32(value: number, field: string): void {
    this.check(value, 0, 0xffffffff, field);
    const at = this.reserve(4);
    this.view.setUint32(at, value, true);
  }

  i32(value: number, field: string): void {
    this.check(value, -0x80000000, 0x7fffffff, field);
    const at = this.reserve(4);
    this.view.setInt32(at, value, true);
  }

  u64(value: bigint, field: string): void {
    this.check(value, 0n, 0xffffffffffffffffn, field);
    const at = this.reserve(8);
    this.view.setBigUint64(at, value, true);
  }

  i64(value: bigint, field: string): void {
    this.check(value, -0x8000000000000000n, 0x7fffffffffffffffn, field);
    const at = this.reserve(8);
    this.view.setBigInt64(at, value, true);
  }

  /** Writes integers, one a dimension. */
  list(kind: "u32", values: readonly number[], rank: number, field: string): void;
  list(kind: "u64" | "i64", values: readonly bigint[], rank: number, field: string): void;
  list(kind: "u32" | "u64" | "i64", values: readonly (number | bigint)[], rank: number, field: string): void {
    if (values.length !== rank) {
      const problem = `${field} and shape differ in length`;
      throw new HurrayValueError(this.operation, field, problem, values.length, `${rank} values`);
    }
    for (const value of values) this[kind](value as never, field);
  }

  f32(value: number): void {
    const at = this.reserve(4);
    this.view.setFloat32(at, value, true);
  }

  f64(value: number, _field?: string): void {
    const at = this.reserve(8);
    this.view.setFloat64(at, value, true);
  }

  append(bytes: Uint8Array): void {
    const start = this.reserve(bytes.byteLength);
    this.bytes.set(bytes, start);
  }

  zeros(length: number): void {
    this.reserve(length);
  }

  /** The bytes written so far: a window, not a copy. */
  done(): Uint8Array {
    return this.bytes.subarray(0, this.position);
  }

  /** Makes room for a field and gives where it starts. New room is zero. */
  reserve(length: number): number {
    const start = this.position;
    const end = start + length;
    if (end > this.bytes.byteLength) {
      const grown = new Uint8Array(Math.max(end, this.bytes.byteLength * 2));
      grown.set(this.bytes);
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    this.position = end;
    return start;
  }

  check<T extends number | bigint>(value: T, lowest: T, highest: T, name: string): void {
    if (isWithin(value, lowest, highest)) return;
    refuseValue(this.operation, wireName(name), value, lowest, `an integer from ${lowest} to ${highest}`);
  }
}
