import { type FieldRow, readFields, writeFields } from "../../bytes/fields.js";
import { byteLengthOf } from "../../elements.js";
import { FLAGS } from "../flags.js";
import { type EntryOf, refuseRank, refuseSection } from "../layout-entry.js";
import { DYNAMIC } from "../shape.js";
import type { DescriptorLayout } from "../types.js";

/** Stands for "no layer" in the layer index. */
const NO_LAYER = 0xffffffff;

/** The payload as far as the axis, whose rule is relaxed, and the rest of it. */
export const PAGES: readonly FieldRow[] = [
  ["u32", "pageSize", "R36", 1],
  ["u64", "numPages"],
  ["u32", "pagedAxis"],
];
export const SEQUENCES: readonly FieldRow[] = [
  ["u32", "numSeqs"],
  ["u8", "kvRole", "R37", 0, 2],
  ["u32", "layerIndex"],
  ["u8", "blockTableIndexType", "R38", 0, 1],
  [6, "R39"],
];

type Pages = Pick<Paged, "pageSize" | "numPages" | "pagedAxis">;
type Sequences = Pick<Paged, "numSeqs" | "kvRole"> & {
  readonly layerIndex: number;
  readonly blockTableIndexType: number;
};
type Paged = Extract<DescriptorLayout, { kind: "blockPaged" }>;

/** Tokens of many sequences in pages of one pool, found through a table of pages (4.9). */
export const blockPaged: EntryOf<"blockPaged"> = {
  layoutClass: "indirect",
  bufferCount: () => 3,
  read: (reader, { shape, flags }) => {
    const rank = shape.length;
    if (rank !== 3) refuseRank(reader, rank, "R34", "3");
    refuseSection(reader, flags, FLAGS.shard, "R40");
    const pages = readFields<Pages>(reader, PAGES);
    if (pages.pagedAxis !== 0) reader.relax("R35", pages.pagedAxis, "0");
    const { layerIndex, blockTableIndexType, ...sequences } = readFields<Sequences>(reader, SEQUENCES);
    return {
      kind: "blockPaged",
      ...pages,
      ...sequences,
      layerIndex: layerIndex === NO_LAYER ? undefined : layerIndex,
      indexBits: blockTableIndexType === 0 ? 32 : 64,
    };
  },
  write: (writer, layout) => {
    const { layerIndex = NO_LAYER, indexBits } = layout;
    writeFields(writer, PAGES, layout);
    writeFields(writer, SEQUENCES, { ...layout, layerIndex, blockTableIndexType: indexBits === 64 ? 1 : 0 });
  },
  // The length of the block table stands in the sequence pointers, which are data (R108).
  needs: ({ pageSize, numPages, numSeqs, indexBits }, [, heads, width], bits) => {
    const known = heads !== DYNAMIC && width !== DYNAMIC;
    const pool = known ? numPages * BigInt(pageSize) * heads! * width! : 0n;
    return [byteLengthOf(bits, pool), 0n, (BigInt(numSeqs) + 1n) * BigInt(indexBits / 8)];
  },
};
