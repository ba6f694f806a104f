import { type FieldRow, readFields, writeFields } from "../../bytes/fields.js";
import { byteLengthOf } from "../../elements.js";
import { FLAGS } from "../flags.js";
import { type EntryOf, type LayoutEntry, refuseRank, refuseSection } from "../layout-entry.js";
import { DYNAMIC } from "../shape.js";
import type { DescriptorLayout } from "../types.js";

/** Bytes of the integers that indices and pointers are. */
const WIDTH = 8n;

type Fields<K> = Omit<Extract<DescriptorLayout, { kind: K }>, "kind">;

/** The payloads, but that of CSF, whose length depends on the rank. */
export const COO: readonly FieldRow[] = [
  ["u64", "nnz"],
  ["flag", "isSorted"],
  [7, "R29"],
];
export const COMPRESSED: readonly FieldRow[] = [
  ["u64", "nnz"],
  [8, "R29"],
];

/** Values with their coordinates (4.6). */
export const coo: EntryOf<"coo"> = {
  layoutClass: "sparse",
  bufferCount: () => 2,
  read: (reader) => ({ ...readFields<Fields<"coo">>(reader, COO), kind: "coo" }),
  write: (writer, layout) => writeFields(writer, COO, layout),
  needs: ({ nnz }, shape, bits) => [byteLengthOf(bits, nnz), nnz * BigInt(shape.length) * WIDTH],
};

/** Rows one after the other, the stored values of each with their columns (4.7). */
export const csr: EntryOf<"csr"> = compressed("csr", 0);

/** Columns one after the other, the stored values of each with their rows (4.7). */
export const csc: EntryOf<"csc"> = compressed("csc", 1);

/** A tree of coordinates, a level a dimension (4.8). */
export const csf: EntryOf<"csf"> = {
  layoutClass: "sparse",
  bufferCount: (rank) => 2 * rank + 1,
  read: (reader, { shape, flags }) => {
    const rank = shape.length;
    if (rank < 3) refuseRank(reader, rank, "R31", "at least 3");
    refuseSection(reader, flags, FLAGS.shard, "R33");
    const nnz = reader.u64("nnz");
    const modeOrder = reader.u32s(rank, "mode_order");
    if (modeOrder.some((mode) => mode >= rank) || new Set(modeOrder).size !== rank) {
      const given = `[${modeOrder.slice(0, 8)}${rank > 8 ? ",…" : ""}]`;
      reader.relax("R32", given, `a permutation of 0 to ${rank - 1}`);
    }
    reader.reserved(8, "R29");
    return { kind: "csf", nnz, modeOrder };
  },
  write: (writer, { nnz, modeOrder }, rank) => {
    writer.u64(nnz, "nnz");
    writer.list("u32", modeOrder, rank, "mode_order");
    writer.zeros(8);
  },
  // How many nodes the levels between the root and the leaves have, the data alone tells (R106).
  needs: ({ nnz }, shape, bits) => {
    const sizes = [byteLengthOf(bits, nnz)];
    shape.forEach((_extent, level) => {
      sizes.push(level === 0 ? 2n * WIDTH : WIDTH);
      sizes.push(level === shape.length - 1 ? nnz * WIDTH : 0n);
    });
    return sizes;
  },
};

function compressed<K extends "csr" | "csc">(kind: K, axis: number): EntryOf<K> {
  const entry: LayoutEntry<{ readonly kind: "csr" | "csc"; readonly nnz: bigint } & DescriptorLayout> = {
    layoutClass: "sparse",
    bufferCount: () => 3,
    read: (reader, { shape }) => {
      const rank = shape.length;
      if (rank !== 2) refuseRank(reader, rank, "R30", "2");
      return { ...readFields<{ nnz: bigint }>(reader, COMPRESSED), kind };
    },
    write: (writer, layout) => writeFields(writer, COMPRESSED, layout),
    needs: ({ nnz }, shape, bits) => {
      const extent = shape[axis]!;
      const pointers = extent === DYNAMIC ? 0n : (extent + 1n) * WIDTH;
      return [byteLengthOf(bits, nnz), nnz * WIDTH, pointers];
    },
  };
  return entry as unknown as EntryOf<K>;
}
