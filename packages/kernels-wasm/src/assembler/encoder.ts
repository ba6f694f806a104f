/**
 * Collects the bytes of a module: LEB128 integers, little-endian floats, names, sections.
 *
 * @since 0.1.0
 */
export class ByteWriter {
  readonly bytes: number[] = [];

  /** Appends one byte. */
  byte(value: number): this {
    this.bytes.push(value & 0xff);
    return this;
  }

  /** Appends bytes as they are. */
  append(bytes: Iterable<number>): this {
    for (const byte of bytes) this.bytes.push(byte);
    return this;
  }

  /** Appends an unsigned LEB128 integer below 2³². */
  unsigned(value: number): this {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.bytes.push(rest);
    return this;
  }

  /** Appends a signed LEB128 integer of 32 bits; a number from 2³¹ up counts as the negative with its bits. */
  signed(value: number): this {
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      // Done once what is left is only copies of the sign bit (0x40) just written.
      if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
        this.bytes.push(low);
        return this;
      }
      this.bytes.push(low | 0x80);
    }
  }

  /** Appends a signed LEB128 integer of 64 bits; of others the lowest 64 count. */
  signed64(value: bigint): this {
    let rest = BigInt.asIntN(64, value);
    for (; rest < -0x40n || rest >= 0x40n; rest >>= 7n) this.bytes.push(Number(rest & 0x7fn) | 0x80);
    this.bytes.push(Number(rest & 0x7fn));
    return this;
  }

  /** Appends a float32. */
  float32(value: number): this {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, value, true);
    return this.append(new Uint8Array(view.buffer));
  }

  /** Appends a float64. */
  float64(value: number): this {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value, true);
    return this.append(new Uint8Array(view.buffer));
  }

  /** Appends a name: its length in bytes, then UTF-8. */
  name(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.unsigned(bytes.length).append(bytes);
  }

  /** Appends a vector: the count, then each item as `write` puts it. */
  vector<T>(items: readonly T[], write: (writer: ByteWriter, item: T) => void): this {
    this.unsigned(items.length);
    for (const item of items) write(this, item);
    return this;
  }

  /** Appends what `write` puts, with its length in bytes before it. */
  sized(write: (writer: ByteWriter) => void): this {
    const inner = new ByteWriter();
    write(inner);
    return this.unsigned(inner.bytes.length).append(inner.bytes);
  }
}
