import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { HurrayValueError } from "../errors.js";
import { DYNAMIC } from "./shape.js";
import type { ExtensionType, Shard } from "./types.js";

/** Reads the shard section; its box must lie inside the parent (R86, R87). */
export function readShard(reader: ByteReader, shape: readonly bigint[]): Shard {
  const rank = shape.length;
  reader.need(rank * 16, "shard section");
  const parentShape = reader.u64s(rank, "parent_shape");
  const start = reader.position;
  const offset = reader.u64s(rank, "shard_offset");
  for (let k = 0; k < rank; k++) {
    const extent = shape[k]!;
    const parent = parentShape[k]!;
    if (extent === DYNAMIC || parent === DYNAMIC) {
      reader.failAt(
        start - 8 * (rank - k),
        "R87",
        "parent_shape",
        "a shard has a dynamic dimension",
        `dimension ${k}`,
        "known sizes",
      );
    }
    const end = offset[k]! + extent;
    if (end > parent) {
      reader.failAt(
        start + 8 * k,
        "R86",
        "shard_offset",
        `the shard leaves its parent in dimension ${k}`,
        end,
        `at most ${parent}`,
      );
    }
  }
  return { parentShape, offset };
}

/** Writes the shard section. */
export function writeShard(writer: ByteWriter, shard: Shard, rank: number): void {
  for (const [field, values] of [
    ["parent_shape", shard.parentShape],
    ["shard_offset", shard.offset],
  ] as const) {
    if (values.length !== rank) {
      throw new HurrayValueError(
        writer.operation,
        field,
        `${field} has another rank than the tensor`,
        values.length,
        `${rank}`,
      );
    }
    for (const value of values) writer.u64(value, field);
  }
}

/** Reads the extension type section; only width and packing are judged, the rest means nothing to us (A28). */
export function readExtensionType(reader: ByteReader): ExtensionType {
  reader.need(20, "extension type section");
  const bitWidth = reader.u32("bit_width");
  if (bitWidth === 0) reader.failBack(4, "R90", "bit_width", "the element has no bits", bitWidth, "at least 1");
  if (bitWidth > 8 && bitWidth % 8 !== 0) {
    reader.failBack(4, "R92", "bit_width", "the element has no whole number of bytes", bitWidth, "a multiple of 8");
  }
  const packingFactor = reader.u8("packing_factor");
  const perByte = bitWidth >= 8 ? 1 : 8 / bitWidth;
  if (packingFactor !== perByte) {
    const expected = Number.isInteger(perByte) ? `${perByte}` : "a width of 1, 2, 4 or whole bytes";
    reader.failBack(
      1,
      "R91",
      "packing_factor",
      `the packing does not fit a width of ${bitWidth}`,
      packingFactor,
      expected,
    );
  }
  const isFloat = reader.u8("is_float") !== 0;
  const isSigned = reader.u8("is_signed") !== 0;
  const signBits = reader.u8("sign_bits");
  const exponentBits = reader.u8("exponent_bits");
  const mantissaBits = reader.u8("mantissa_bits");
  reader.reserved(2, "R93", "reserved bytes of the extension type");
  const exponentBias = reader.u32("exponent_bias");
  const hasNan = reader.u8("has_nan") !== 0;
  const hasInf = reader.u8("has_inf") !== 0;
  reader.reserved(2, "R93", "reserved bytes of the extension type");
  return {
    bitWidth,
    packingFactor,
    isFloat,
    isSigned,
    signBits,
    exponentBits,
    mantissaBits,
    exponentBias,
    hasNan,
    hasInf,
  };
}

/** Writes the extension type section. */
export function writeExtensionType(writer: ByteWriter, type: ExtensionType): void {
  writer.u32(type.bitWidth, "bit_width");
  writer.u8(type.packingFactor, "packing_factor");
  writer.u8(type.isFloat ? 1 : 0, "is_float");
  writer.u8(type.isSigned ? 1 : 0, "is_signed");
  writer.u8(type.signBits, "sign_bits");
  writer.u8(type.exponentBits, "exponent_bits");
  writer.u8(type.mantissaBits, "mantissa_bits");
  writer.zeros(2);
  writer.u32(type.exponentBias, "exponent_bias");
  writer.u8(type.hasNan ? 1 : 0, "has_nan");
  writer.u8(type.hasInf ? 1 : 0, "has_inf");
  writer.zeros(2);
}

/** Reads the composite member section. */
export function readMemberRole(reader: ByteReader): "correction" | "base" {
  reader.need(16, "composite member section");
  const role = reader.u8("member_role");
  if (role > 1) reader.failBack(1, "R94", "member_role", "the role of the member is unknown", role, "0 or 1");
  reader.reserved(15, "R95", "reserved bytes of the composite member");
  return role === 1 ? "base" : "correction";
}

/** Writes the composite member section. */
export function writeMemberRole(writer: ByteWriter, role: "correction" | "base"): void {
  writer.u8(role === "base" ? 1 : 0, "member_role");
  writer.zeros(15);
}
