import { ByteReader } from "../bytes/reader.js";
import { HANDLE_LENGTH, readBuffers, readHandle } from "../descriptor/buffers.js";
import { type DescriptorSection, describeBytes } from "../descriptor/describe.js";
import { type DecodeOptions, decodeDescriptor } from "../descriptor/descriptor.js";
import { FLAGS } from "../descriptor/flags.js";
import { readHeader } from "../descriptor/header.js";
import { entryOf, kindOfTag } from "../descriptor/layouts.js";
import { readQuantisation } from "../descriptor/quantisation.js";
import { readExtensionType, readMemberRole, readShard } from "../descriptor/sections.js";
import { readStatistics } from "../descriptor/statistics.js";
import type { BufferHandle, Descriptor } from "../descriptor/types.js";
import type { Finding, Findings } from "./finding.js";

/** What could be made of the bytes of a descriptor. */
export interface Surveyed {
  /** `undefined` where it breaks a rule. */
  readonly descriptor: Descriptor | undefined;
  /** Whether the layout tag says that it is a head, which members follow. */
  readonly isHead: boolean;
  /** The sizes that the buffer table declares; `undefined` where the bytes do not reach so far. */
  readonly byteSizes: readonly bigint[] | undefined;
}

/** Where a section lies in the descriptor. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The sections that can be left out of a descriptor without making another rule broken. */
const LOOSE = [
  ["shard", FLAGS.shard],
  ["statistics", FLAGS.statistics],
  ["composite member", FLAGS.compositeMember],
] as const;

/**
 * Checks a descriptor section by section (decision 0026). Decoding tells whether there is a fault. Where there is one,
 * each section is read on its own by what the decoder reads it with, so that one that breaks a rule hides none of the
 * others, and no code runs past a broken rule. `bytes` are those of the descriptor and no more.
 */
export function surveyDescriptor(
  bytes: Uint8Array,
  findings: Findings,
  options: { readonly base: number; readonly name: string; readonly accept?: DecodeOptions["accept"] },
): Surveyed {
  const { base, name, accept = () => false } = options;
  const { operation } = findings;
  const attempt = <T>(check: () => T): T | undefined => findings.attempt(check, { name });
  const decode = (from: Uint8Array): Descriptor => decodeDescriptor(from, { operation, base, accept });
  const descriptor = attempt(() => decode(bytes));
  if (descriptor !== undefined) {
    const byteSizes = descriptor.buffers.map(({ byteSize }) => byteSize);
    return { descriptor, isHead: descriptor.layout.kind === "composite", byteSizes };
  }
  const stretches = attempt(() => stretchesOf(bytes, operation));
  if (stretches === undefined) return { descriptor, isHead: false, byteSizes: undefined };

  const broken = new Set<DescriptorSection>();
  /** Reads one section, if it is there. */
  const section = <T>(of: DescriptorSection, read: (reader: ByteReader) => T): T | undefined => {
    const stretch = stretches.get(of);
    if (stretch === undefined) return undefined;
    const reader = new ByteReader(bytes, operation, "R6", base, stretch.end);
    reader.position = stretch.start;
    const value = attempt(() => read(reader));
    if (value === undefined) broken.add(of);
    return value;
  };

  /** A reader that is through. */
  const endOf = (all: Uint8Array): ByteReader => {
    const reader = new ByteReader(all, operation, "R6", base);
    reader.position = all.length;
    return reader;
  };

  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const layoutTag = view.getUint8(15);
  const kind = kindOfTag(layoutTag);
  const flags = view.getUint32(10, true);
  section("header", (reader) => {
    reader.position = 10;
    return readHeader(reader);
  });
  const rank = view.getUint32(16, true);
  const shape = section("shape", (reader) => reader.u64s(rank, "shape")) ?? (rank === 0 ? [] : undefined);
  const handles = rawHandles(view, stretches.get("buffers"));
  if (shape !== undefined) {
    const entry = entryOf(kind);
    const tag = layoutTag;
    const readLayout = (reader: ByteReader) => entry.read(reader, { tag, shape, flags, accept });
    // A layout of no bytes has no section, nor has one that the bytes do not reach: that reads beyond them.
    const layout = stretches.has("layout") ? section("layout", readLayout) : attempt(() => readLayout(endOf(bytes)));
    section("buffers", (reader) => readBuffers(reader, kind === "composite"));
    if (broken.has("buffers")) eachHandle(bytes, stretches.get("buffers")!, handles, base, findings, name);
    // Only pages have a say in what a scheme may be; for all others any layout stands in for one that is broken.
    if (handles !== undefined && (layout !== undefined || kind !== "blockPaged")) {
      const draft: Descriptor = {
        versionMinor: bytes[5]!,
        typeTag: view.getUint8(14),
        shape,
        byteOffset: 0n,
        layout: layout ?? { kind: "rowMajor" },
        buffers: handles,
      };
      const handlesAt = stretches.get("buffers")!.start + 1;
      const own = entry.bufferCount(rank) ?? 1;
      section("quantisation", (reader) => readQuantisation(reader, draft, own, handlesAt, accept));
    }
    section("shard", (reader) => readShard(reader, shape));
  }
  section("statistics", readStatistics);
  section("extension type", readExtensionType);
  section("composite member", readMemberRole);
  attempt(() => decode(repaired(bytes, stretches, broken, findings.list)));
  return { descriptor, isHead: kind === "composite", byteSizes: handles?.map(({ byteSize }) => byteSize) };
}

/** Where each section lies that the bytes reach, whatever it says. */
function stretchesOf(bytes: Uint8Array, operation: string): Map<DescriptorSection, Stretch> {
  const stretches = new Map<DescriptorSection, Stretch>();
  for (const { section, byteOffset, byteLength } of describeBytes(bytes, { operation })) {
    const start = stretches.get(section)?.start ?? byteOffset;
    stretches.set(section, { start, end: byteOffset + byteLength });
  }
  return stretches;
}

/** The handles as they are, unjudged; `undefined` where the table is not all there. */
function rawHandles(view: DataView, table: Stretch | undefined): BufferHandle[] | undefined {
  if (table === undefined) return undefined;
  const count = view.getUint8(table.start);
  if (table.start + 1 + count * HANDLE_LENGTH > table.end) return undefined;
  return Array.from({ length: count }, (_, k) => {
    const at = table.start + 1 + k * HANDLE_LENGTH;
    return {
      byteSize: view.getBigUint64(at, true),
      alignment: view.getUint32(at + 8, true),
      deviceTag: view.getUint8(at + 12),
      syncMode: view.getUint8(at + 13),
      memoryClass: view.getUint8(at + 14),
    };
  });
}

/** Judges each handle of a table on its own. */
function eachHandle(
  bytes: Uint8Array,
  table: Stretch,
  handles: readonly BufferHandle[] | undefined,
  base: number,
  findings: Findings,
  name: string,
): void {
  handles?.forEach((_, k) => {
    const reader = new ByteReader(bytes, findings.operation, "R6", base);
    reader.position = table.start + 1 + k * HANDLE_LENGTH;
    findings.attempt(() => readHandle(reader), { name });
  });
}

/**
 * The descriptor without the faults that can be taken out of it: a byte offset where none may be, and optional sections
 * that say nothing of the data. What decoding refuses then was hidden behind them: buffers that are too small.
 */
function repaired(
  bytes: Uint8Array,
  stretches: ReadonlyMap<DescriptorSection, Stretch>,
  broken: ReadonlySet<DescriptorSection>,
  found: readonly Finding[],
): Uint8Array {
  let copy = bytes.slice();
  const offset = stretches.get("byte offset");
  const hasOffset = found.some(({ rule }) => rule === "R18" || rule === "R49");
  if (hasOffset && offset !== undefined) copy.fill(0, offset.start, offset.end);
  for (const [section, bit] of [...LOOSE].reverse()) {
    const stretch = stretches.get(section);
    if (stretch === undefined || !broken.has(section)) continue;
    const rest = copy.subarray(stretch.end);
    const shorter = new Uint8Array(stretch.start + rest.byteLength);
    shorter.set(copy.subarray(0, stretch.start));
    shorter.set(rest, stretch.start);
    const view = new DataView(shorter.buffer);
    view.setUint32(6, shorter.byteLength, true);
    view.setUint32(10, view.getUint32(10, true) & ~bit, true);
    copy = shorter;
  }
  return copy;
}
