import { type FieldRow, readFields, writeFields } from "../bytes/fields.js";
import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import type { Statistics, StatisticsFloat } from "./types.js";

const FLOATS: readonly StatisticsFloat[] = [
  "sparsityRatio",
  "valueMin",
  "valueMax",
  "valueAbsMax",
  "valueMean",
  "valueStddev",
];

/** Where the floats begin in the section. */
const FLOATS_AT = 16;

/** The fields of the section. */
export const STATISTICS: readonly FieldRow[] = [
  ["u32", "computedMask", "R88", 0, 63],
  [4, "R89"],
  ["u64", "nnz"],
  ...FLOATS.map((name) => ["f64", name] as const),
  ["u8", "nmN"],
  ["u8", "nmM"],
  ["flag", "hasNan"],
  ["flag", "hasInf"],
  [4, "R89"],
];

/** The NaN that JavaScript writes; other bit patterns are kept beside the number. */
const USUAL_NAN = 0x7ff8000000000000n;

/** Reads the statistics section. Its values are advice and are not judged (A12). */
export function readStatistics(reader: ByteReader): Statistics {
  const start = reader.position + FLOATS_AT;
  const statistics = readFields<Statistics>(reader, STATISTICS);
  const nanBits: { [field in StatisticsFloat]?: bigint } = {};
  FLOATS.forEach((field, k) => {
    if (!Number.isNaN(statistics[field])) return;
    const bits = reader.view.getBigUint64(start + 8 * k, true);
    if (bits !== USUAL_NAN) nanBits[field] = bits;
  });
  return Object.keys(nanBits).length === 0 ? statistics : { ...statistics, nanBits };
}

/** Writes the statistics section. */
export function writeStatistics(writer: ByteWriter, statistics: Statistics): void {
  const start = writer.position + FLOATS_AT;
  writeFields(writer, STATISTICS, statistics);
  FLOATS.forEach((field, k) => {
    if (!Number.isNaN(statistics[field])) return;
    writer.view.setBigUint64(start + 8 * k, statistics.nanBits?.[field] ?? USUAL_NAN, true);
  });
}
