import type { ByteReader } from "../../bytes/reader.js";
import type { ByteWriter } from "../../bytes/writer.js";
import type { ElementSpan, EntryOf } from "../layout-entry.js";
import type { TiledForm, TileOrder } from "../types.js";
import { compactSpan, product, strideSpan } from "./dense.js";

/** Levels of tiles within tiles that the format allows, the outermost counted (R23). */
export const DEPTH = 8;

const ROW_MAJOR = 1;
const COLUMN_MAJOR = 2;
const STRIDED = 3;
const TILED = 4;

/** Tiles stored whole, in an order of their own, themselves of tiles where nested (4.3). */
export const tiled: EntryOf<"tiled"> = {
  layoutClass: "dense",
  bufferCount: () => 1,
  read: (reader, { shape }) => ({ kind: "tiled", ...readLevel(reader, shape.length, 1) }),
  write: (writer, layout, rank) => writeLevel(writer, layout, rank, 1),
  span: spanOf,
};

function readLevel(reader: ByteReader, rank: number, depth: number): TiledForm {
  if (depth > DEPTH) reader.failAt(reader.position, "R23", "tile_shape", `level ${depth}`, `at most ${DEPTH} levels`);
  const tile = reader.u64s(rank, "tile_shape");
  const zero = tile.indexOf(0n);
  if (zero >= 0) reader.refuse("R19", 0, "at least 1", undefined, 8 * zero);
  const outer = reader.within("R20", reader.u8("outer_layout"), ROW_MAJOR, STRIDED);
  const inner = reader.within("R21", reader.u8("inner_layout"), ROW_MAJOR, TILED);
  reader.reserved(2, "R22");
  const outerOrder = readOrder(reader, outer, rank, "outer_strides");
  const innerOrder = inner === TILED ? undefined : readOrder(reader, inner, rank, "inner_strides");
  return { tile, outer: outerOrder, inner: innerOrder ?? readLevel(reader, rank, depth + 1) };
}

function readOrder(reader: ByteReader, code: number, rank: number, field: string): TileOrder {
  if (code === STRIDED) return { strides: reader.i64s(rank, field) };
  return code === ROW_MAJOR ? "rowMajor" : "columnMajor";
}

function writeLevel(writer: ByteWriter, form: TiledForm, rank: number, depth: number): void {
  const { tile, outer, inner } = form;
  // One level more than allowed is written, for the reader to refuse: a form may contain itself.
  if (depth > DEPTH + 1) return;
  writer.list("u64", tile, rank, "tile_shape");
  writer.u8(codeOf(outer), "outer_layout");
  writer.u8(codeOf(inner), "inner_layout");
  writer.zeros(2);
  if (typeof outer === "object") writer.list("i64", outer.strides, rank, "outer_strides");
  if (typeof inner !== "object") return;
  if ("strides" in inner) writer.list("i64", inner.strides, rank, "inner_strides");
  else writeLevel(writer, inner, rank, depth + 1);
}

function codeOf(order: TileOrder | TiledForm): number {
  if (typeof order === "string") return order === "rowMajor" ? ROW_MAJOR : COLUMN_MAJOR;
  return "strides" in order ? STRIDED : TILED;
}

/** The whole of the grid and the whole of a tile are reached: edge tiles are stored whole. */
function spanOf({ tile, outer, inner }: TiledForm, extents: readonly bigint[]): ElementSpan {
  const grid = extents.map((extent, k) => (extent + tile[k]! - 1n) / tile[k]!);
  const tiles = orderSpan(outer, grid);
  const within = typeof inner === "object" && "tile" in inner ? spanOf(inner, tile) : orderSpan(inner, tile);
  const size = product(tile);
  return { lowest: tiles.lowest * size + within.lowest, highest: tiles.highest * size + within.highest };
}

function orderSpan(order: TileOrder, extents: readonly bigint[]): ElementSpan {
  return typeof order === "string" ? compactSpan(extents) : strideSpan(extents, order.strides);
}
