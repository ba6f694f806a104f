import { descriptorLength } from "../descriptor/header.js";
import { HurrayFormatError } from "../errors.js";
import { crc32c } from "../file/crc32c.js";
import {
  checkFileSize,
  FILE_HEADER_LENGTH,
  type FileHeader,
  readFileHeader,
  readTrailer,
  TRAILER_LENGTH,
} from "../file/frame.js";
import type { IndexEntry } from "../file/index-section.js";
import { bufferStarts } from "../file/regions.js";
import { type HurraySource, readBytes } from "../source/source.js";
import { CompositeSurvey } from "./composites.js";
import { surveyData } from "./data.js";
import { surveyDescriptor } from "./descriptor.js";
import { surveyIndex, surveyMetadata } from "./entries.js";
import { type Finding, Findings } from "./finding.js";
import type { CheckedOptions } from "./options.js";
import { type Region, surveyRegions } from "./regions.js";

/** A stretch that the trailer locates; `undefined` where it does not lie in the body of the file. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Checks a file, its frame first, then each tensor in the order of their descriptors. */
export async function* surveyFile(
  source: HurraySource,
  operation: string,
  options: CheckedOptions,
): AsyncGenerator<Finding, void, void> {
  const { maximumSectionBytes, signal } = options;
  const findings = new Findings(operation);
  const size = source.byteLength;
  const bodyEnd = size - TRAILER_LENGTH;
  if (findings.attempt(() => [checkFileSize(operation, size)]) === undefined) return yield* findings.take();
  const first = await readBytes(source, operation, 0, FILE_HEADER_LENGTH);
  const header = findings.attempt(() => readFileHeader(first, operation, size)) ?? rawHeader(first);
  const last = await readBytes(source, operation, bodyEnd, size);
  const trailer = findings.attempt(() => readTrailer(last, operation, size, header));
  if (!header.hasMetadata) noteHalfMetadata(last, bodyEnd, findings);
  const isLost = findings.list.some(({ rule }) => rule === "R126" || rule === "R132");
  yield* findings.take();
  if (isLost) return;

  const regions: Region[] = [
    { start: 0, end: FILE_HEADER_LENGTH, what: "the header" },
    { start: bodyEnd, end: size, what: "the trailer" },
  ];
  const { index, metadata } = rawTrailer(last, bodyEnd);
  if (metadata !== undefined) {
    regions.push({ ...metadata, what: "the metadata" });
    const bytes = await readSection(source, findings, metadata, "metadata", maximumSectionBytes);
    if (bytes !== undefined) surveyMetadata(bytes, metadata.start, findings);
  }
  yield* findings.take();
  if (index === undefined) return;
  regions.push({ ...index, what: "the index" });
  const bytes = await readSection(source, findings, index, "index", maximumSectionBytes);
  if (bytes === undefined) return yield* findings.take();
  const checksum = crc32c(bytes);
  if (trailer !== undefined && header.hasIndexChecksum && checksum !== trailer.indexChecksum) {
    const problem = "the index is damaged";
    const expected = `${trailer.indexChecksum}`;
    findings.refuse(
      new HurrayFormatError(operation, "R136", "index_crc32c", bodyEnd + 28, problem, checksum, expected),
    );
  }
  const context = { operation, base: index.start, bodyEnd, sorted: header.sortedIndex };
  const entries = surveyIndex(bytes, context, findings);
  yield* findings.take();

  entries.sort((a, b) => Number(a.descriptorOffset - b.descriptorOffset));
  const composites = new CompositeSurvey(findings, options.coverSteps);
  for (const entry of entries) {
    signal?.throwIfAborted();
    await surveyTensor(source, findings, composites, header, entry, regions, options);
    yield* findings.take();
    options.onProgress?.(Number(entry.descriptorOffset), size);
  }
  composites.end(index.start);
  await surveyRegions(source, regions, findings);
  yield* findings.take();
  options.onProgress?.(size, size);
}

/** Checks what an entry of the index names: descriptor, buffers, data, and its place in a composite. */
async function surveyTensor(
  source: HurraySource,
  findings: Findings,
  composites: CompositeSurvey,
  header: FileHeader,
  entry: IndexEntry,
  regions: Region[],
  options: CheckedOptions,
): Promise<void> {
  const { operation } = findings;
  const { name } = entry;
  const start = Number(entry.descriptorOffset);
  const left = source.byteLength - TRAILER_LENGTH - start;
  const prefix = await readBytes(source, operation, start, start + Math.min(left, 10));
  const length = findings.attempt(() => descriptorLength(prefix, operation, start), { name });
  let bytes: Uint8Array | undefined;
  if (length !== undefined) {
    if (length !== entry.descriptorLength) {
      const problem = "index and descriptor differ";
      const given = entry.descriptorLength;
      const error = new HurrayFormatError(
        operation,
        "R145",
        "descriptor_length",
        start + 6,
        problem,
        given,
        `${length}`,
      );
      findings.refuse(error, { name });
    }
    const { maximumDescriptorBytes } = options;
    if (length > maximumDescriptorBytes) {
      const message = `not checked: got ${length} bytes, expected at most ${maximumDescriptorBytes}.`;
      findings.note("descriptor", start, message, name);
    } else bytes = await readBytes(source, operation, start, start + Math.min(length, left));
  }
  if (bytes === undefined)
    return composites.next({ descriptor: undefined, isHead: false, byteSizes: undefined }, name, start);
  regions.push({ start, end: start + bytes.byteLength, what: `the descriptor of ${JSON.stringify(name)}` });
  const { accept } = options;
  const surveyed = surveyDescriptor(bytes, findings, { base: start, name, ...(accept && { accept }) });
  composites.next(surveyed, name, start);
  const { descriptor } = surveyed;
  const starts =
    descriptor === undefined || header.dataBufferAlignment === 0
      ? undefined
      : findings.attempt(() => bufferStarts(entry, descriptor, operation, header, source.byteLength), { name });
  if (descriptor === undefined || starts === undefined) {
    // Where its buffers are is not known, but which bytes are its data is: no padding.
    const from = Number(entry.dataOffset);
    const end = from + Number(entry.dataLength);
    const isInside = from >= FILE_HEADER_LENGTH && end <= source.byteLength - TRAILER_LENGTH;
    if (isInside) regions.push({ start: from, end, what: `the data of ${JSON.stringify(name)}` });
    return;
  }
  starts.forEach((from, k) => {
    const end = from + Number(descriptor.buffers[k]!.byteSize);
    regions.push({ start: from, end, what: `buffer ${k} of ${JSON.stringify(name)}` });
  });
  await surveyData(source, descriptor, starts, name, findings, options.maximumDataBytes);
}

async function readSection(
  source: HurraySource,
  findings: Findings,
  { start, end }: Stretch,
  what: string,
  maximumBytes: number,
): Promise<Uint8Array | undefined> {
  if (end - start <= maximumBytes) return readBytes(source, findings.operation, start, end);
  findings.note(what, start, `not checked: got ${end - start} bytes, expected at most ${maximumBytes}.`);
  return undefined;
}

/** Says that a trailer names half of a metadata section, which locates none (A17); where the flag promises one it breaks R147. */
function noteHalfMetadata(trailer: Uint8Array, start: number, findings: Findings): void {
  const view = new DataView(trailer.buffer, trailer.byteOffset, trailer.byteLength);
  const offset = view.getBigUint64(16, true);
  const length = view.getUint32(24, true);
  if ((offset === 0n) === (length === 0)) return;
  const message = `half of a metadata section is named: got offset ${offset}, length ${length}, expected both 0 or neither.`;
  findings.note("kv_offset", start + 16, message);
}

/** What the header says where it breaks a rule; of an alignment that is not allowed 0 is left. */
function rawHeader(bytes: Uint8Array): FileHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint32(12, true);
  const alignment = view.getUint32(16, true);
  const isAllowed = alignment >= 4096 && alignment <= 2097152 && (alignment & (alignment - 1)) === 0;
  return {
    versionMinor: bytes[9]!,
    hasMetadata: (flags & 1) !== 0,
    sortedIndex: (flags & 2) !== 0,
    hasIndexChecksum: (flags & 4) !== 0,
    dataBufferAlignment: isAllowed ? alignment : 0,
    firstDescriptorOffset: view.getBigUint64(20, true),
    tensorCountHint: view.getBigUint64(28, true),
  };
}

/** What the trailer locates, whether or not it breaks a rule. */
function rawTrailer(
  bytes: Uint8Array,
  bodyEnd: number,
): { readonly index: Stretch | undefined; readonly metadata: Stretch | undefined } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stretch = (offset: bigint, length: bigint): Stretch | undefined =>
    offset >= 64n && offset + length <= BigInt(bodyEnd)
      ? { start: Number(offset), end: Number(offset + length) }
      : undefined;
  const kvLength = view.getUint32(24, true);
  return {
    index: stretch(view.getBigUint64(0, true), view.getBigUint64(8, true)),
    metadata: kvLength === 0 ? undefined : stretch(view.getBigUint64(16, true), BigInt(kvLength)),
  };
}
