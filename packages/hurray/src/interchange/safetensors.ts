import { decodeText } from "../bytes/text.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayLookupError } from "../errors.js";
import { countOption } from "../number-option.js";
import { type HurrayInput, sourceOf } from "../source/input.js";
import { type HurraySource, readBytes } from "../source/source.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";
import { type CollectOptions, checkBytes, collect } from "./collect.js";
import { invalid, type Task, unsupported } from "./errors.js";
import { fromForeign } from "./pieces.js";
import { rangePieces } from "./ranges.js";
import { checkHeader, type Gap } from "./safetensors-check.js";
import { HEADER_START, parseHeader, type SafetensorsHeader } from "./safetensors-header.js";
import { countOf, denseDescriptor } from "./shape.js";
import { TYPE_MAPPINGS, TYPE_REFUSALS } from "./types.js";

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
  const field = "maximumHeaderBytes";
  const maximum = countOption(task.operation, field, options[field], 0, MAXIMUM_HEADER);
  const length = await readHeaderLength(task, source, maximum);
  const dataStart = HEADER_START + length;
  const text = decodeText(await readBytes(source, task.operation, HEADER_START, dataStart, options.signal));
  if (text === undefined) throw invalid(task, "header", HEADER_START, "the header is no text", "bytes", "UTF-8");
  options.signal?.throwIfAborted();
  const header = parseHeader(task, text);
  const gaps = checkHeader(task, header, source.byteLength - dataStart, options.allowGaps === true);
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

function openEntries(
  source: HurraySource,
  dataStart: number,
  { entries, metadata, byteOffset }: SafetensorsHeader,
  gaps: readonly Gap[],
): SafetensorsFile {
  const names = (): string[] => [...entries.keys()];
  /** Finds a tensor, and what its type is here. */
  const find = (name: string) => {
    const task: Task = { operation: "read", format: "safetensors", tensorName: name };
    const entry = entries.get(name);
    if (entry === undefined) throw new HurrayLookupError("read", name, names().slice(0, 8), entries.size);
    const { dtype, shape } = entry;
    const type = TYPE_MAPPINGS.find(({ safetensors }) => safetensors === dtype)?.type;
    if (type === undefined) {
      const { reason, advice } = TYPE_REFUSALS.find((row) => row.format === "safetensors" && row.name === dtype)!;
      throw unsupported(
        task,
        "dtype",
        byteOffset(entry.dtypeAt),
        `the type has no counterpart: ${reason}`,
        dtype,
        "another",
        advice,
      );
    }
    // The shape was counted when the file was opened.
    const descriptor = denseDescriptor(type, shape, false, countOf(shape)!);
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
      return { descriptor, buffers: [await readBytes(source, "read", start, end, options.signal)] };
    },
    close: async () => source.close?.(),
  };
}
