import { type HurraySource, readBytes } from "../source/source.js";
import type { Findings } from "./finding.js";

/** A stretch of a file that something uses. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /** What it is, as a note says it. */
  readonly what: string;
}

const PIECE = 1 << 18;

/**
 * Looks at what lies between and over the regions of a file: bytes of padding that are not zero, and regions that
 * overlap, which the format allows (A41). Neither is a violation; both say that the file is not what its writer meant.
 */
export async function surveyRegions(source: HurraySource, regions: Region[], findings: Findings): Promise<void> {
  const order = regions.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start || a.end - b.end);
  let last: Region | undefined;
  for (const region of order) {
    if (last !== undefined && region.start < last.end) {
      findings.note("region", region.start, `${region.what} overlaps ${last.what}, which ends at byte ${last.end}.`);
    } else {
      await surveyPadding(source, last?.end ?? 0, region.start, findings);
    }
    if (last === undefined || region.end > last.end) last = region;
  }
}

/** Says where the first byte of a stretch of padding is that is not zero. */
async function surveyPadding(source: HurraySource, start: number, end: number, findings: Findings): Promise<void> {
  for (let at = start; at < end; at += PIECE) {
    const piece = await readBytes(source, findings.operation, at, Math.min(end, at + PIECE));
    const other = piece.findIndex((byte) => byte !== 0);
    if (other < 0) continue;
    const message = `padding is not zero: got ${piece[other]}, expected 0 from byte ${start} to ${end}.`;
    findings.note("padding", at + other, message);
    return;
  }
}
