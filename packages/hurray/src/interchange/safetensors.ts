import { quote } from "../bytes/quote.js";
import { decodeText } from "../bytes/text.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayLookupError } from "../errors.js";
import { type HurrayInput, sourceOf } from "../source/input.js";
import { type HurraySource, readBytes } from "../source/source.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";
import { type CollectOptions, checkBytes, collect } from "./collect.js";
import { invalid, type Task, unsupported } from "./errors.js";
import { fromForeign } from "./pieces.js";
import { rangePieces } from "./ranges.js";
import { HEADER_START, parseHeader, type SafetensorsHeader, type TensorEntry } from "./safetensors-header.js";
import { countOf, denseDescriptor } from "./shape.js";
import { safetensorsBits, TYPE_MAPPINGS, TYPE_REFUSALS } from "./types.js";

/** The largest header that the format has. */
const MAXIMUM_HEADER = 100_000_000;

/** What opening a safetensors file is told. @since 0.1.0 */
export interface SafetensorsOptions {
  /** Bytes that the header may take; the 100,000,000 of the format when absent. */
  readonly maximumHeaderBytes?: number;
  /** Whether bytes that no tensor covers are accepted, and reported as `gaps`; the format has none. */
  readonly allowGaps?: boolean;
  readonly signal?: AbortSignal;
}

/** Bytes from `start` to before `end`. */
interface Gap {
  readonly start: number;
  readonly end: number;
}

/** An open safetensors file. Tensors are read when they are asked for; asking for one touches no other. @since 0.1.0 */
export interface SafetensorsFile {
  readonly metadata: ReadonlyMap<string, string>;
  /** Bytes of the file that no tensor covers, from `start` to before `end`. */
  readonly gaps: readonly Gap[];
  /** The names of the tensors, in the order of the header. */
  names(): string[];
  /**
   * Gives what describes a tensor.
   *
   * @throws HurrayLookupError `SW_HURRAY_NAME_UNKNOWN`; HurrayForeignError `SW_HURRAY_FOREIGN_UNSUPPORTED` for a type without
   * a counterpart.
   */
  descriptor(name: string): Descriptor;
  /** Gives a tensor that is read piece by piece, once its bytes are asked for. @throws as `descriptor`. */
  tensor(name: string, options?: { readonly signal?: AbortSignal }): StreamedTensor;
  /**
   * Reads a tensor. The bytes may be a window of the source's memory, at any offset.
   *
   * @throws as `descriptor`; HurrayLimitError `SW_HURRAY_LIMIT` beyond `maximumBytes`; HurraySourceError.
   */
  stored(name: string, options?: CollectOptions): Promise<StoredTensor>;
  /** Lets go of the source. */
  close(): Promise<void>;
}

/**
 * Opens a safetensors file: reads its header, checks all of it against the file, and reads no tensor.
 *
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_INVALID` for a header that is not one, or that does not fit the file;
 * `SW_HURRAY_FOREIGN_UNSUPPORTED` for a type of no known meaning.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` when the source gives fewer bytes than it promised.
 * @example
 * ```ts
 * import { openSafetensors, safetensorsBytes } from "@sw/hurray/interchange";
 * import { load, store } from "@sw/hurray";
 * import { arange } from "@sw/tensor";
 *
 * const pieces: Uint8Array[] = [];
 * for await (const piece of safetensorsBytes([["w", store(arange(4))]], { metadata: { seed: "7" } })) pieces.push(piece);
 * const file = await openSafetensors(await new Blob(pieces as BlobPart[]).arrayBuffer());
 * console.log(file.names(), file.metadata.get("seed")); // [ 'w' ] 7
 * console.log(load(await file.stored("w")).tensor.data()); // Float32Array(4) [ 0, 1, 2, 3 ]
 * ```
 * @since 0.1.0
 */
export async function openSafetensors(input: HurrayInput, options: SafetensorsOptions = {}): Promise<SafetensorsFile> {
  const task: Task = { operation: "openSafetensors", format: "safetensors" };
  const source = sourceOf(input, task.operation);
  options.signal?.throwIfAborted();
  const length = await readHeaderLength(task, source, options.maximumHeaderBytes ?? MAXIMUM_HEADER);
  const dataStart = HEADER_START + length;
  const text = decodeText(await readBytes(source, task.operation, HEADER_START, dataStart));
  if (text === undefined) throw invalid(task, "header", HEADER_START, "the header is no text", "bytes", "UTF-8");
  options.signal?.throwIfAborted();
  const header = parseHeader(task, text);
  const dataLength = source.byteLength - dataStart;
  for (const entry of header.entries) checkEntry({ ...task, tensorName: entry.name }, entry, header, dataLength);
  const gaps = gapsOf(task, header, dataLength, options.allowGaps === true);
  return openEntries(source, dataStart, header, gaps);
}

/** Reads how long the header is, and makes sure that the file has it. */
async function readHeaderLength(task: Task, source: HurraySource, maximum: number): Promise<number> {
  const { byteLength } = source;
  if (byteLength < HEADER_START) {
    throw invalid(task, "header_length", 0, "the file is too short", `${byteLength} bytes`, `at least ${HEADER_START}`);
  }
  const prefix = await readBytes(source, task.operation, 0, HEADER_START);
  const length = new DataView(prefix.buffer, prefix.byteOffset).getBigUint64(0, true);
  const room = byteLength - HEADER_START;
  if (length > BigInt(room)) {
    const problem = "the header is longer than the file";
    throw invalid(task, "header_length", 0, problem, `${length} bytes`, `at most ${room}`);
  }
  if (length > BigInt(maximum)) {
    const problem = "the header is longer than is accepted";
    throw invalid(task, "header_length", 0, problem, `${length} bytes`, `at most ${maximum}`);
  }
  return Number(length);
}

/** Checks the fields of a tensor against each other and against the bytes of data that there are. */
function checkEntry(
  task: Task,
  { dtype, shape, start, end, at }: TensorEntry,
  { byteOffset }: SafetensorsHeader,
  dataLength: number,
): void {
  /** What says that the range is wrong. */
  const wrongRange = (problem: string, given: number, expected: string) =>
    invalid(task, "data_offsets", byteOffset(at.data_offsets), problem, given, expected);
  const bits = safetensorsBits(dtype);
  if (bits === undefined) {
    const expected = `one of ${TYPE_MAPPINGS.flatMap(({ safetensors }) => safetensors ?? []).join(", ")}`;
    const advice = "It may be of a later version: save it as F32.";
    throw unsupported(task, "dtype", byteOffset(at.dtype), "the type is not known", quote(dtype), expected, advice);
  }
  if (end < start) throw wrongRange("the end is before the begin", end, `at least ${start}`);
  if (end > dataLength) throw wrongRange("the range goes past the end of the data", end, `at most ${dataLength}`);
  const needed = BigInt(countOf(task, "shape", () => byteOffset(at.shape), shape)) * BigInt(bits);
  if (needed % 8n !== 0n) {
    const given = `[${shape}] of ${dtype}`;
    throw invalid(
      task,
      "shape",
      byteOffset(at.shape),
      "the elements fill no whole byte",
      given,
      "a multiple of 8 bits",
    );
  }
  if (BigInt(end - start) === needed / 8n) return;
  throw wrongRange("the range has another length", end - start, `${needed / 8n} for shape [${shape}] of ${dtype}`);
}

/** Finds bytes that no tensor covers, and refuses them unless they are allowed; tensors that overlap are always refused. */
function gapsOf(task: Task, { entries, byteOffset }: SafetensorsHeader, dataLength: number, allow: boolean): Gap[] {
  const gaps: Gap[] = [];
  let covered = 0;
  let last: TensorEntry | undefined;
  const wrongRange = (
    entry: TensorEntry | undefined,
    problem: string,
    given: unknown,
    expected: string,
    advice = "",
  ) => {
    const at = entry === undefined ? HEADER_START : byteOffset(entry.at.data_offsets);
    return invalid({ ...task, tensorName: entry?.name }, "data_offsets", at, problem, given, expected, { advice });
  };
  const reach = (start: number, entry: TensorEntry | undefined): void => {
    if (start === covered) return;
    if (start < covered) {
      throw wrongRange(entry, `the range overlaps that of ${quote(last!.name)}`, start, `at least ${covered}`);
    }
    gaps.push({ start: covered, end: start });
    if (allow) return;
    const given = `bytes ${covered} to ${start} of the data`;
    throw wrongRange(
      entry,
      "no tensor covers some bytes",
      given,
      "none",
      "Set allowGaps to read the file all the same.",
    );
  };
  for (const entry of [...entries].sort((a, b) => a.start - b.start || a.end - b.end)) {
    reach(entry.start, entry);
    covered = entry.end;
    last = entry;
  }
  reach(dataLength, last);
  return gaps;
}

function openEntries(
  source: HurraySource,
  dataStart: number,
  { entries: list, metadata, byteOffset }: SafetensorsHeader,
  gaps: readonly Gap[],
): SafetensorsFile {
  const entries = new Map(list.map((entry) => [entry.name, entry]));
  const names = (): string[] => [...entries.keys()];
  /** Finds a tensor, and what its type is here. */
  const find = (name: string) => {
    const task: Task = { operation: "read", format: "safetensors", tensorName: name };
    const entry = entries.get(name);
    if (entry === undefined) throw new HurrayLookupError("read", name, names().slice(0, 8), entries.size);
    const { dtype, shape, at } = entry;
    const type = TYPE_MAPPINGS.find(({ safetensors }) => safetensors === dtype)?.type;
    if (type === undefined) {
      const { reason, advice } = TYPE_REFUSALS.find((row) => row.format === "safetensors" && row.name === dtype)!;
      throw unsupported(
        task,
        "dtype",
        byteOffset(at.dtype),
        `the type has no counterpart: ${reason}`,
        dtype,
        "another",
        advice,
      );
    }
    const count = countOf(task, "shape", () => byteOffset(at.shape), shape);
    const descriptor = denseDescriptor(type, shape, false, count);
    return { type, descriptor, start: dataStart + entry.start, end: dataStart + entry.end };
  };
  const tensor: SafetensorsFile["tensor"] = (name, { signal } = {}) => {
    const { type, descriptor, start, end } = find(name);
    return { descriptor, pieces: () => fromForeign(type, rangePieces(source, "read", start, end, signal)) };
  };
  return {
    metadata,
    gaps: gaps.map(({ start, end }) => ({ start: dataStart + start, end: dataStart + end })),
    names,
    descriptor: (name) => find(name).descriptor,
    tensor,
    stored: async (name, options = {}) => {
      const { type, descriptor, start, end } = find(name);
      if (type === "bool") return collect("read", tensor(name), options);
      options.signal?.throwIfAborted();
      checkBytes("read", BigInt(end - start), options);
      return { descriptor, buffers: [await readBytes(source, "read", start, end)] };
    },
    close: async () => source.close?.(),
  };
}
