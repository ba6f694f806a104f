import { type FieldRow, readFields, writeFields } from "../../bytes/fields.js";
import { byteLengthOf } from "../../elements.js";
import { FLAGS } from "../flags.js";
import { type EntryOf, refuseRank, refuseSection } from "../layout-entry.js";
import { DYNAMIC } from "../shape.js";
import type { DescriptorLayout } from "../types.js";

/** Stands for "no layer" in the layer index. */
const NO_LAYER = 0xffffffff;

/** The payload. */
const FIELDS: readonly FieldRow[] = [
  ["u32", "pageSize", "R36", 1],
  ["u64", "numPages"],
  ["u32", "pagedAxis"],
  ["u32", "numSeqs"],
  ["u8", "kvRole", "R37", 0, 2],
  ["u32", "layerIndex"],
  ["u8", "blockTableIndexType", "R38", 0, 1],
  [6, "R39"],
];

interface Fields extends Pick<Paged, "pageSize" | "numPages" | "pagedAxis" | "numSeqs" | "kvRole"> {
  readonly layerIndex: number;
  readonly blockTableIndexType: number;
}

type Paged = Extract<DescriptorLayout, { kind: "blockPaged" }>;

/** Tokens of many sequences in pages of one pool, found through a table of pages (4.9). */
export const blockPaged: EntryOf<"blockPaged"> = {
  layoutClass: "indirect",
  bufferCount: () => 3,
  read: (reader, { shape, flags }) => {
    const rank = shape.length;
    if (rank !== 3) refuseRank(reader, rank, "R34", "3");
    refuseSection(reader, flags, FLAGS.shard, "R40");
    const { layerIndex, blockTableIndexType, ...fields } = readFields<Fields>(reader, FIELDS);
    if (fields.pagedAxis !== 0) {
      reader.relaxAt(reader.position - 20, "R35", "paged_axis", "another axis is paged", fields.pagedAxis, "0");
    }
    return {
      kind: "blockPaged",
      ...fields,
      layerIndex: layerIndex === NO_LAYER ? undefined : layerIndex,
      indexBits: blockTableIndexType === 0 ? 32 : 64,
    };
  },
  write: (writer, { indexBits, layerIndex = NO_LAYER, ...fields }) =>
    writeFields(writer, FIELDS, { ...fields, layerIndex, blockTableIndexType: indexBits === 64 ? 1 : 0 }),
  // The length of the block table stands in the sequence pointers, which are data (R108).
  needs: ({ pageSize, numPages, numSeqs, indexBits }, [, heads, width], bits) => {
    const known = heads !== DYNAMIC && width !== DYNAMIC;
    const pool = known ? numPages * BigInt(pageSize) * heads! * width! : 0n;
    return [byteLengthOf(bits, pool), 0n, (BigInt(numSeqs) + 1n) * BigInt(indexBits / 8)];
  },
};
