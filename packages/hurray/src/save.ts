import type { Tensor } from "@sw/tensor";
import { live } from "@sw/tensor/seam";
import { quote } from "./bytes/quote.js";
import { encodeDescriptor } from "./descriptor/descriptor.js";
import { encodeName } from "./file/form.js";
import type { MetadataInput } from "./file/metadata.js";
import type { ByteSink } from "./file/sinks.js";
import { fileChunks, fileLength, type RawTensor } from "./file/writer.js";
import {
  checkRecord,
  FileWriter,
  type FileWriterOptions,
  metadataEntries,
  type SavedTensor,
  savedTensor,
} from "./file-writer.js";
import { planStore, type StorePlan } from "./store.js";

/** Tensors by name. @since 0.1.0 */
export type TensorRecord = { readonly [name: string]: Tensor };

/** What a file is to hold beside the tensors, how it is laid out, and who hears of each tensor saved. @since 0.1.0 */
export interface SaveOptions
  extends Pick<FileWriterOptions, "dataBufferAlignment" | "sortedIndex" | "onProgress" | "onTensor"> {
  /** What the file says of itself; numbers become float64, bigints int64. */
  readonly metadata?: MetadataInput;
}

/** What was written. @since 0.1.0 */
export interface SaveReport {
  readonly byteLength: number;
  readonly tensors: readonly SavedTensor[];
}

/** A save that has been checked, ready to be written. */
export interface Save {
  readonly options: FileWriterOptions;
  /** Adds all tensors, as they are at the time of the call, and finishes the file. */
  into(writer: FileWriter, signal: AbortSignal | undefined): Promise<SaveReport>;
}

/**
 * Writes tensors as a Hurray file in memory, which is allocated once.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live tensor of one part.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name or a metadata value that the format cannot hold.
 * @since 0.1.0
 */
export function encodeHurray(tensors: TensorRecord, options: SaveOptions = {}): Uint8Array {
  const operation = "encodeHurray";
  const entries = checkedEntries(operation, tensors);
  const metadata = metadataEntries(options.metadata ?? {}, operation);
  const { metadata: _, ...form } = options;
  const plans: StorePlan[] = [];
  try {
    const raw = entries.map(([name, tensor]): RawTensor => {
      const own = `${operation} ${quote(name)}`;
      const plan = planStore(tensor, own);
      plans.push(plan);
      const { byteLength } = plan;
      const descriptor = encodeDescriptor(plan.descriptor, own);
      return { name, descriptor, byteLengths: [byteLength], pieces: () => [plan.bytes(0, byteLength)] };
    });
    // No entries, no section.
    const section = metadata.length === 0 ? {} : { metadata };
    const chosen = { ...form, ...section, operation, tensorCountHint: BigInt(raw.length) };
    const file = new Uint8Array(fileLength(raw, chosen));
    let at = 0;
    for (const chunk of fileChunks(raw, chosen)) {
      file.set(chunk, at);
      at += chunk.byteLength;
    }
    for (const [k, [name, tensor]] of entries.entries()) options.onTensor?.(savedTensor(name, tensor, plans[k]!));
    return file;
  } finally {
    for (const plan of plans) plan.dispose();
  }
}

/**
 * Writes tensors as a Hurray file into a sink or a Web stream, in one pass forward, with bounded memory. The
 * tensors may not be written to before the promise settles.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live tensor of one part.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name or a metadata value that the format cannot hold.
 * @throws HurraySourceError `SW_HURRAY_CHANGED` when a tensor is written to meanwhile.
 * @since 0.1.0
 */
export async function writeHurray(
  sink: ByteSink | WritableStream<Uint8Array>,
  tensors: TensorRecord,
  options: SaveOptions & { readonly signal?: AbortSignal } = {},
): Promise<SaveReport> {
  options.signal?.throwIfAborted();
  const save = startSave("writeHurray", tensors, options);
  return save.into(new FileWriter(sink, save.options), options.signal);
}

/** Checks everything that is given, before anything is opened to be written. */
export function startSave(operation: string, tensors: TensorRecord, options: SaveOptions): Save {
  const entries = checkedEntries(operation, tensors);
  const { metadata = {}, ...form } = options;
  const typed = metadataEntries(metadata, operation);
  const saved: SavedTensor[] = [];
  const section = typed.length === 0 ? {} : { metadata: typed };
  return {
    options: {
      ...form,
      ...section,
      operation,
      tensorCountHint: BigInt(entries.length),
      onTensor: (tensor) => {
        saved.push(tensor);
        options.onTensor?.(tensor);
      },
    },
    into: async (writer, signal) => {
      const abortable = signal === undefined ? {} : { signal };
      try {
        // All at once: the writer notes the versions of the tensors now, and takes them in turn.
        await Promise.all(entries.map(([name, tensor]) => writer.add(name, tensor, abortable)));
        signal?.throwIfAborted();
        const { byteLength } = await writer.finish();
        return { byteLength, tensors: saved };
      } catch (error) {
        await writer.abort(error).catch(() => {});
        throw error;
      }
    },
  };
}

function checkedEntries(operation: string, tensors: TensorRecord): [string, Tensor][] {
  checkRecord(operation, "tensors", tensors);
  const entries = Object.entries(tensors);
  for (const [name, tensor] of entries) {
    encodeName(name, operation);
    live(tensor, `${operation} ${quote(name)}`);
  }
  return entries;
}
