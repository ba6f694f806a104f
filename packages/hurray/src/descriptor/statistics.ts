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

/** The NaN that JavaScript writes; other bit patterns are kept beside the number. */
const USUAL_NAN = 0x7ff8000000000000n;

/** Reads the statistics section. Its values are advice and are not judged (A12). */
export function readStatistics(reader: ByteReader): Statistics {
  reader.need(72, "statistics section");
  const computedMask = reader.u32("computed_mask");
  if (computedMask >>> 6 !== 0) {
    reader.refuse("R88", computedMask, "bits 0 to 5 only");
  }
  reader.reserved(4, "R89");
  const nnz = reader.u64("nnz");
  const floats = {} as { [field in StatisticsFloat]: number };
  const nanBits: { [field in StatisticsFloat]?: bigint } = {};
  let unusual = false;
  for (const field of FLOATS) {
    const bits = reader.view.getBigUint64(reader.position, true);
    const value = reader.f64(field);
    floats[field] = value;
    if (Number.isNaN(value) && bits !== USUAL_NAN) {
      nanBits[field] = bits;
      unusual = true;
    }
  }
  const nmN = reader.u8("nm_n");
  const nmM = reader.u8("nm_m");
  const hasNan = reader.u8("has_nan") !== 0;
  const hasInf = reader.u8("has_inf") !== 0;
  reader.reserved(4, "R89");
  return { computedMask, nnz, ...floats, nmN, nmM, hasNan, hasInf, ...(unusual ? { nanBits } : {}) };
}

/** Writes the statistics section. */
export function writeStatistics(writer: ByteWriter, statistics: Statistics): void {
  writer.u32(statistics.computedMask, "computed_mask");
  writer.zeros(4);
  writer.u64(statistics.nnz, "nnz");
  for (const field of FLOATS) {
    const value = statistics[field];
    if (Number.isNaN(value)) writer.u64(statistics.nanBits?.[field] ?? USUAL_NAN, field);
    else writer.f64(value);
  }
  writer.u8(statistics.nmN, "nm_n");
  writer.u8(statistics.nmM, "nm_m");
  writer.u8(statistics.hasNan ? 1 : 0, "has_nan");
  writer.u8(statistics.hasInf ? 1 : 0, "has_inf");
  writer.zeros(4);
}
