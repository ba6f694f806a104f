import { type FieldRow, readFields, writeFields } from "../bytes/fields.js";
import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { DYNAMIC } from "./shape.js";
import type { ExtensionType, Shard } from "./types.js";

/** Reads the shard section; its box must lie inside the parent (R86, R87). */
export function readShard(reader: ByteReader, shape: readonly bigint[]): Shard {
  const rank = shape.length;
  const parentShape = reader.u64s(rank, "parent_shape");
  const offset = reader.u64s(rank, "shard_offset");
  for (let k = 0; k < rank; k++) {
    const extent = shape[k]!;
    const parent = parentShape[k]!;
    if (extent === DYNAMIC || parent === DYNAMIC) {
      const at = reader.start - 8 * (rank - k);
      reader.failAt(at, "R87", "parent_shape", "a dynamic dimension", "known sizes");
    }
    const end = offset[k]! + extent;
    if (end > parent) reader.refuse("R86", `an end at ${end}`, `at most ${parent}`, undefined, 8 * k);
  }
  return { parentShape, offset };
}

/** Writes the shard section. */
export function writeShard(writer: ByteWriter, shard: Shard, rank: number): void {
  writer.list("u64", shard.parentShape, rank, "parent_shape");
  writer.list("u64", shard.offset, rank, "shard_offset");
}

/** The extension type section; only width and packing are judged, the rest means nothing to us (A28). */
export const EXTENSION_TYPE: readonly FieldRow[] = [
  ["u32", "bitWidth", "R90", 1],
  ["u8", "packingFactor"],
  ["flag", "isFloat"],
  ["flag", "isSigned"],
  ["u8", "signBits"],
  ["u8", "exponentBits"],
  ["u8", "mantissaBits"],
  [2, "R93"],
  ["u32", "exponentBias"],
  ["flag", "hasNan"],
  ["flag", "hasInf"],
  [2, "R93"],
];

/** Reads the extension type section. */
export function readExtensionType(reader: ByteReader): ExtensionType {
  const start = reader.position;
  const type = readFields<ExtensionType>(reader, EXTENSION_TYPE);
  const { bitWidth, packingFactor } = type;
  if (bitWidth > 8 && bitWidth % 8 !== 0) {
    reader.failAt(start, "R92", "bit_width", bitWidth, "a multiple of 8");
  }
  if (packingFactor !== (bitWidth >= 8 ? 1 : 8 / bitWidth)) {
    reader.failAt(start + 4, "R91", "packing_factor", packingFactor, "8 / bit_width, at least 1");
  }
  return type;
}

/** Writes the extension type section. */
export function writeExtensionType(writer: ByteWriter, type: ExtensionType): void {
  writeFields(writer, EXTENSION_TYPE, type);
}

/** Reads the composite member section. */
export function readMemberRole(reader: ByteReader): "correction" | "base" {
  const role = reader.within("R94", reader.u8("member_role"), 0, 1);
  reader.reserved(15, "R95");
  return role === 1 ? "base" : "correction";
}

/** Writes the composite member section. */
export function writeMemberRole(writer: ByteWriter, role: "correction" | "base"): void {
  writer.u8(role === "base" ? 1 : 0, "member_role");
  writer.zeros(15);
}
