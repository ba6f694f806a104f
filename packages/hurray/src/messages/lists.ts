import type { ByteReader } from "../bytes/reader.js";
import { decodeText, encodeText } from "../bytes/text.js";
import type { ByteWriter } from "../bytes/writer.js";
import { isPrivateTag } from "../elements.js";
import { HurrayValueError } from "../errors.js";
import type { LayoutPreference } from "./types.js";

/** Reads text after its length. */
export function readText(reader: ByteReader, field: string): string {
  const text = decodeText(reader.window(reader.u32(`length of ${field}`), field));
  return text ?? reader.refuse("R163", "other bytes", "UTF-8", `${field} is no text`);
}

/** Writes text after its length. */
export function writeText(writer: ByteWriter, text: string, field: string): void {
  writeBytes(writer, encodeText(text, writer.operation, field), field);
}

/** Writes bytes after their length. */
export function writeBytes(writer: ByteWriter, bytes: Uint8Array, field: string): void {
  writer.u32(bytes.byteLength, `length of ${field}`);
  writer.append(bytes);
}

/** Reads a list of bytes after their number. */
export function readList(reader: ByteReader, field: string): number[] {
  return Array.from(reader.window(reader.u16(`number of ${field}`), field));
}

/** Writes a list of bytes after their number. */
export function writeList(writer: ByteWriter, values: readonly number[], field: string): void {
  writer.u16(values.length, `number of ${field}`);
  for (const value of values) writer.u8(value, field);
}

/** Reads layouts after their number; private ones bring bytes that say more of them. */
export function readLayouts(reader: ByteReader, field: string): LayoutPreference[] {
  const layouts: LayoutPreference[] = [];
  for (let count = reader.u16(`number of ${field}`); count > 0; count--) {
    const tag = reader.u8(field);
    if (!isPrivateTag(tag)) layouts.push({ tag });
    else layouts.push({ tag, metadata: reader.window(reader.u16("ext_metadata_length"), field) });
  }
  return layouts;
}

/** Writes layouts after their number. */
export function writeLayouts(writer: ByteWriter, layouts: readonly LayoutPreference[], field: string): void {
  writer.u16(layouts.length, `number of ${field}`);
  for (const { tag, metadata } of layouts) {
    writer.u8(tag, field);
    if (isPrivateTag(tag)) {
      writer.u16(metadata?.byteLength ?? 0, "ext_metadata_length");
      if (metadata !== undefined) writer.append(metadata);
    } else if (metadata !== undefined) {
      const problem = "a layout of the format has no metadata";
      throw new HurrayValueError(writer.operation, field, problem, `tag ${tag}`, "a tag from 0xf0 to 0xfe");
    }
  }
}
