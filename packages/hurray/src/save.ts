import { DTYPES, type DType, type Tensor } from "@sw/tensor";
import { plain } from "@sw/tensor/seam";
import { quote } from "./bytes/quote.js";
import { ByteWriter } from "./bytes/writer.js";
import { encodeDescriptor } from "./descriptor/descriptor.js";
import type { LayoutKind } from "./descriptor/types.js";
import { type MetadataInput, typedMetadata } from "./file/metadata.js";
import { DATA_ALIGNMENT, fileChunks, type RawTensor } from "./file/writer.js";
import { planStore, type StorePlan } from "./store.js";

/** Tensors by name. @since 0.1.0 */
export type TensorRecord = { readonly [name: string]: Tensor };

/** How one tensor was saved. @since 0.1.0 */
export interface SavedTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly layout: LayoutKind;
  readonly byteLength: number;
  /** Whether it was packed into a row-major copy first, because of gaps, repeated elements, or a layout without a name. */
  readonly packed: boolean;
}

/** What a file is to hold beside the tensors, and who hears of each tensor saved. @since 0.1.0 */
export interface SaveOptions {
  /** What the file says of itself; numbers become float64, bigints int64. */
  readonly metadata?: MetadataInput;
  /** Told how each tensor was saved. */
  readonly onTensor?: (saved: SavedTensor) => void;
}

/** What was written. @since 0.1.0 */
export interface SaveReport {
  readonly byteLength: number;
  readonly tensors: readonly SavedTensor[];
}

/** Where bytes go, in order. A sink must be done with the bytes when what it returns settles. @since 0.1.0 */
export interface ByteSink {
  write(bytes: Uint8Array): void | Promise<void>;
}

/** Bytes handed to a sink at a time. */
const CHUNK = 1024 * 1024;

/** A save under way: the bytes to come, and what has been saved so far. */
export interface Save {
  readonly chunks: Iterable<Uint8Array>;
  readonly saved: readonly SavedTensor[];
}

/**
 * Writes tensors as a Hurray file in memory.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live, plain tensor.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name or a metadata value that the format cannot hold.
 * @since 0.1.0
 */
export function encodeHurray(tensors: TensorRecord, options: SaveOptions = {}): Uint8Array {
  const { chunks } = startSave("encodeHurray", tensors, options, false);
  // Room for everything at once, so that it is not copied again and again as it grows.
  let room = DATA_ALIGNMENT;
  for (const { size, dtype } of Object.values(tensors)) room += size * DTYPES[dtype].byteLength + 2 * DATA_ALIGNMENT;
  const writer = new ByteWriter("encodeHurray", room);
  for (const chunk of chunks) writer.append(chunk);
  return writer.done().slice();
}

/**
 * Writes tensors as a Hurray file into a sink, in one pass forward, with bounded memory. The
 * tensors may not be written to before the promise settles.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live, plain tensor.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name or a metadata value that the format cannot hold.
 * @throws HurraySourceError `SW_HURRAY_CHANGED` when a tensor is written to meanwhile.
 * @since 0.1.0
 */
export async function writeHurray(
  sink: ByteSink,
  tensors: TensorRecord,
  options: SaveOptions & { readonly signal?: AbortSignal } = {},
): Promise<SaveReport> {
  options.signal?.throwIfAborted();
  return pump(sink, startSave("writeHurray", tensors, options, true), options.signal);
}

/**
 * Checks everything that is given and notes the versions of the tensors; the bytes come as they
 * are asked for. Pieces are copies of their own when the consumer may keep them a while (`staged`).
 */
export function startSave(operation: string, tensors: TensorRecord, options: SaveOptions, staged: boolean): Save {
  checkRecord(operation, "tensors", tensors);
  const entries = Object.entries(tensors);
  const versions = entries.map(([name, tensor]) => {
    plain(tensor, `${operation} ${quote(name)}`);
    return tensor.buffer.version;
  });
  const saved: SavedTensor[] = [];
  function* raw(): Generator<RawTensor, void, void> {
    for (let k = 0; k < entries.length; k++) {
      const [name, tensor] = entries[k]!;
      const own = `${operation} ${quote(name)}`;
      const plan = planStore(tensor, own, versions[k]!);
      try {
        yield {
          name,
          descriptor: encodeDescriptor(plan.descriptor, own),
          byteLengths: [plan.byteLength],
          pieces: () => pieces(plan, staged),
        };
        const { byteLength, packed } = plan;
        const note = { name, dtype: tensor.dtype, layout: plan.descriptor.layout.kind, byteLength, packed };
        saved.push(note);
        options.onTensor?.(note);
      } finally {
        plan.dispose();
      }
    }
  }
  if (options.metadata !== undefined) checkRecord(operation, "metadata", options.metadata);
  const typed = typedMetadata(options.metadata ?? {}, operation);
  // No entries, no section.
  const metadata = typed.length === 0 ? {} : { metadata: typed };
  const names = entries.map(([name]) => name);
  const chunks = fileChunks(names, raw(), { operation, ...metadata, tensorCountHint: BigInt(entries.length) });
  return { chunks, saved };
}

/** Hands the bytes of a save to a sink, one piece at a time. */
export async function pump(sink: ByteSink, save: Save, signal: AbortSignal | undefined): Promise<SaveReport> {
  let byteLength = 0;
  for (const chunk of save.chunks) {
    signal?.throwIfAborted();
    await sink.write(chunk);
    byteLength += chunk.byteLength;
  }
  signal?.throwIfAborted();
  return { byteLength, tensors: save.saved };
}

/** A `Map` has no properties: its content would be lost without a word. */
function checkRecord(operation: string, what: string, value: unknown): void {
  if (typeof value === "object" && value !== null && !(Symbol.iterator in value)) return;
  const given = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  throw new TypeError(
    `${operation}: the ${what} are not given by name: got ${given}, expected an object like { name: value }. Use Object.fromEntries for a Map.`,
  );
}

function* pieces(plan: StorePlan, staged: boolean): Generator<Uint8Array, void, void> {
  for (let start = 0; start < plan.byteLength; start += CHUNK) {
    const window = plan.bytes(start, Math.min(start + CHUNK, plan.byteLength));
    yield staged ? window.slice() : window;
  }
}
