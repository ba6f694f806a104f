import { type FieldKind, type FieldRow, wireName } from "../bytes/fields.js";
import { ByteReader } from "../bytes/reader.js";
import { FLAGS } from "./flags.js";
import { readLength } from "./header.js";
import { PAGES, SEQUENCES } from "./layouts/paged.js";
import { COMPRESSED, COO } from "./layouts/sparse.js";
import { kindOfTag } from "./layouts.js";
import { noteOf, type Values } from "./notes.js";
import { type Scheme, schemeOf } from "./schemes.js";
import { EXTENSION_TYPE } from "./sections.js";
import { STATISTICS } from "./statistics.js";

/** The parts of a descriptor, in the order of their bytes. @since 0.1.0 */
export type DescriptorSection =
  | "header"
  | "shape"
  | "byte offset"
  | "layout"
  | "buffers"
  | "quantisation"
  | "shard"
  | "statistics"
  | "extension type"
  | "composite member"
  | "later sections";

/** One field of a descriptor, as its bytes have it. @since 0.1.0 */
export interface DescribedField {
  /** From the start of the descriptor, plus `base`. */
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly section: DescriptorSection;
  /** As the format names it, with the place where it is one of many: `byte_size[1]`. */
  readonly field: string;
  /** The number; of reserved bytes, text and data the bytes themselves. */
  readonly value: number | bigint | Uint8Array;
  /** What the value means, where the number does not say it. */
  readonly note?: string;
}

/** How a field is stored, beside what the tables of the codec have. */
type Kind = FieldKind | "u16" | "i32" | "i64" | "f32";
type Row = FieldRow | readonly [kind: Kind, name: string];

const WIDTHS: { readonly [K in Kind]: number } = {
  u8: 1,
  flag: 1,
  u16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  u64: 8,
  i64: 8,
  f64: 8,
};

const HEADER: readonly FieldRow[] = [
  ["u8", "versionMajor"],
  ["u8", "versionMinor"],
  ["u32", "descriptorLength"],
  ["u32", "flags"],
  ["u8", "typeTag"],
  ["u8", "layoutTag"],
  ["u32", "rank"],
];
const HILBERT: readonly FieldRow[] = [
  ["u32", "hilbertOrder"],
  ["u32", "hilbertRank"],
];
const PRIVATE: readonly FieldRow[] = [
  ["u64", "extensionLayoutId"],
  ["u32", "extensionDataLength"],
];
const COMPOSITE: readonly FieldRow[] = [
  ["u8", "compositionRule"],
  ["u8", "combineOp"],
  [2, "R46"],
  ["u32", "memberCount"],
];
const TILE_ORDERS: readonly FieldRow[] = [
  ["u8", "outerLayout"],
  ["u8", "innerLayout"],
  [2, "R22"],
];
const HANDLE: readonly FieldRow[] = [
  ["u64", "byteSize"],
  ["u32", "alignment"],
  ["u8", "deviceTag"],
  ["u8", "syncMode"],
  ["u8", "memoryClass"],
  [1, "R63"],
];
const ANY_SCHEME: readonly Row[] = [
  ["u8", "schemeTag"],
  ["u8", "schemeVersion"],
  ["u16", "schemeFlags"],
];
const PER_TENSOR: readonly Row[] = [
  ["f32", "scale"],
  ["i32", "zeroPoint"],
  [4, "R72"],
];
const AXIS: FieldRow = ["u32", "axis"];
const BLOCK_SIZE: FieldRow = ["u32", "blockSize"];
const SCALES: FieldRow = ["u32", "scaleBufferIndex"];
const ZERO_POINTS: readonly FieldRow[] = [
  ["u32", "zeroPointBufferIndex"],
  ["u8", "scaleTypeTag"],
  [3, "R72"],
];

/** What follows the four bytes that all schemes have in common. */
function schemeFields(scheme: Scheme | undefined): readonly Row[] {
  switch (scheme) {
    case undefined:
      return [];
    case "perTensor":
      return PER_TENSOR;
    case "perChannel":
      return [AXIS, SCALES, ...ZERO_POINTS];
    case "perBlock":
      return [AXIS, BLOCK_SIZE, SCALES, ...ZERO_POINTS];
    case "nf4":
    case "mxfp":
      return [AXIS, BLOCK_SIZE, SCALES];
  }
}

const MEMBER: readonly FieldRow[] = [
  ["u8", "memberRole"],
  [15, "R95"],
];

/** A code of a tile order that says that strides follow, and the one that says that another level does. */
const STRIDED = 3;
const TILED = 4;

/**
 * Lists the fields of the descriptor that the bytes begin with: where each lies, its value, and what it means. Every
 * byte of the descriptor belongs to one field. Nothing is judged but the first ten bytes, so that a descriptor that
 * breaks rules can be looked at; what a section is too short for is one field `unread`. For programs that show
 * descriptors; `decodeDescriptor` reads them.
 *
 * @throws HurrayFormatError R1 to R5 when the bytes do not begin a descriptor, or end before it does.
 * @example
 * ```ts
 * import { store } from "@sw/hurray";
 * import { describeBytes, encodeDescriptor } from "@sw/hurray/descriptor";
 * import { tensor } from "@sw/tensor";
 *
 * const bytes = encodeDescriptor(store(tensor([1, 2, 3])).descriptor);
 * const { byteOffset, field, value, note } = describeBytes(bytes)[5]!;
 * console.log(byteOffset, field, value, note); // 14 type_tag 3 float32
 * ```
 * @since 0.1.0
 */
export function describeBytes(
  bytes: Uint8Array,
  options: { readonly operation?: string; readonly base?: number } = {},
): DescribedField[] {
  const { operation = "describeBytes", base = 0 } = options;
  const reader = new ByteReader(bytes, operation, "R1", base);
  const length = readLength(reader);
  if (length > bytes.byteLength) reader.refuse("R1", length, `at most ${bytes.byteLength}`);
  const walk = new Walk(reader, length);
  walk.within(length, "later sections", () => walk.all());
  return walk.fields;
}

/** What a field that does not fit throws, inside. */
const TOO_SHORT = {};

class Walk {
  readonly fields: DescribedField[] = [];
  readonly reader: ByteReader;
  section: DescriptorSection = "header";
  end: number;
  position = 0;

  constructor(reader: ByteReader, end: number) {
    this.reader = reader;
    this.end = end;
  }

  /** Walks through a stretch; what its fields leave is a field of the name `rest`. */
  within(end: number, rest: string, walk: () => void): void {
    const before = this.end;
    this.end = end;
    try {
      walk();
      this.bytes(rest, end - this.position);
    } catch (error) {
      if (error !== TOO_SHORT) throw error;
      this.bytes("unread", end - this.position);
    }
    this.end = before;
  }

  all(): void {
    this.bytes("magic", 4);
    const { flags, layoutTag, rank } = this.rows(HEADER) as { flags: number; layoutTag: number; rank: number };
    this.section = "shape";
    this.list("u64", rank, "shape");
    this.section = "byte offset";
    this.rows([["u64", "byteOffset"]]);
    this.section = "layout";
    this.layout(layoutTag, rank);
    this.section = "buffers";
    const count = Number(this.rows([["u8", "bufferCount"]])["bufferCount"]);
    for (let k = 0; k < count; k++) this.rows(HANDLE, `[${k}]`);
    if (flags & FLAGS.quantisation) this.quantisation();
    if (flags & FLAGS.shard) {
      this.section = "shard";
      this.list("u64", rank, "parent_shape");
      this.list("u64", rank, "shard_offset");
    }
    const optional: readonly [bit: number, section: DescriptorSection, rows: readonly FieldRow[]][] = [
      [FLAGS.statistics, "statistics", STATISTICS],
      [FLAGS.extensionType, "extension type", EXTENSION_TYPE],
      [FLAGS.compositeMember, "composite member", MEMBER],
    ];
    for (const [bit, section, rows] of optional) {
      this.section = section;
      if (flags & bit) this.rows(rows);
    }
    this.section = "later sections";
  }

  layout(tag: number, rank: number): void {
    const kind = kindOfTag(tag);
    // Row-major and column-major have no payload, and that of an unknown layout has no known length (A31).
    if (kind === "unknown") throw TOO_SHORT;
    if (kind === "strided") this.list("i64", rank, "strides");
    if (kind === "tiled") this.tiles(rank);
    if (kind === "morton") this.list("u32", rank, "morton_bits");
    if (kind === "hilbert") this.rows(HILBERT);
    if (kind === "coo") this.rows(COO);
    if (kind === "csr" || kind === "csc") this.rows(COMPRESSED);
    if (kind === "csf") {
      this.rows([["u64", "nnz"]]);
      this.list("u32", rank, "mode_order");
      this.bytes("reserved", 8);
    }
    if (kind === "blockPaged") this.rows([...PAGES, ...SEQUENCES]);
    if (kind === "composite") this.rows(COMPOSITE);
    if (kind === "private") this.bytes("extension_data", Number(this.rows(PRIVATE)["extensionDataLength"]));
  }

  tiles(rank: number): void {
    for (let level = 0, inner = TILED; inner === TILED; level++) {
      const place = level === 0 ? "" : `(level ${level + 1})`;
      this.list("u64", rank, `tile_shape${place}`);
      const orders = this.rows(TILE_ORDERS, place);
      inner = Number(orders["innerLayout"]);
      if (orders["outerLayout"] === STRIDED) this.list("i64", rank, `outer_strides${place}`);
      if (inner === STRIDED) this.list("i64", rank, `inner_strides${place}`);
    }
  }

  quantisation(): void {
    this.section = "quantisation";
    const length = Number(this.rows([["u32", "quantizationLength"]])["quantizationLength"]);
    if (length > this.end - this.position) throw TOO_SHORT;
    const read = (): void => {
      this.rows(schemeFields(schemeOf(Number(this.rows(ANY_SCHEME)["schemeTag"]))));
    };
    this.within(this.position + length, "padding", read);
  }

  /** Reads fields one after the other; `place` is added to their names. */
  rows(rows: readonly Row[], place = ""): Values {
    const values: Values = {};
    for (const [kind, name] of rows) {
      if (typeof kind === "number") this.bytes("reserved", kind);
      else values[name] = this.number(kind, wireName(name), place, values);
    }
    return values;
  }

  list(kind: "u32" | "u64" | "i64", count: number, name: string): void {
    for (let k = 0; k < count; k++) this.number(kind, name, `[${k}]`, {});
  }

  number(kind: Kind, name: string, place: string, before: Values): number | bigint {
    const byteLength = WIDTHS[kind];
    this.reader.position = this.position;
    if (byteLength > this.end - this.position) throw TOO_SHORT;
    const value = this.reader[kind === "flag" ? "u8" : kind](name);
    this.add(name + place, byteLength, value, noteOf(name, value, before));
    return value;
  }

  bytes(field: string, byteLength: number): void {
    if (byteLength > this.end - this.position) throw TOO_SHORT;
    if (byteLength === 0) return;
    const value = this.reader.bytes.slice(this.position, this.position + byteLength);
    this.add(field, byteLength, value, field === "magic" ? "HRRY" : undefined);
  }

  add(field: string, byteLength: number, value: DescribedField["value"], note: string | undefined): void {
    const byteOffset = this.reader.base + this.position;
    this.fields.push({ byteOffset, byteLength, section: this.section, field, value, ...(note && { note }) });
    this.position += byteLength;
  }
}
