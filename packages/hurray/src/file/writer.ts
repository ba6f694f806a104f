import { HurrayValueError } from "../errors.js";
import { encodeName, FileForm, type FormOptions } from "./form.js";
import { type KvEntry, writeKv } from "./kv.js";

/** A tensor on its way into a file: its descriptor's bytes, and its buffers piece by piece; the head of a composite has none. */
export interface RawTensor {
  readonly name: string;
  readonly descriptor: Uint8Array;
  /** The byte size of each buffer, as the descriptor declares it. */
  readonly byteLengths: readonly number[];
  /** The bytes of a buffer in order; a piece is used up before the next one is asked for. */
  pieces(buffer: number): Iterable<Uint8Array>;
}

/** What can be set about a file. The defaults are what this library writes. */
export interface FileOptions extends FormOptions {
  readonly operation: string;
  readonly metadata?: readonly KvEntry[];
  /** Whether the flag says that there is metadata; files of other writers may leave it clear (A17). */
  readonly metadataFlag?: boolean;
}

/**
 * Gives a whole file, front to back. Names and metadata are checked at once.
 *
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name or a key that the format cannot hold.
 */
export function fileChunks(tensors: readonly RawTensor[], options: FileOptions): Iterable<Uint8Array> {
  const names = new Map(tensors.map(({ name }) => [name, encodeName(name, options.operation)]));
  if (names.size !== tensors.length) {
    const problem = "two tensors have the same name";
    throw new HurrayValueError(options.operation, "name", problem, tensors.length, "different names");
  }
  const kv = options.metadata === undefined ? undefined : writeKv(options.metadata, options.operation);
  return generate(names, tensors, kv, options);
}

/** Tells how many bytes the file has that `fileChunks` gives. */
export function fileLength(tensors: readonly RawTensor[], options: FileOptions): number {
  let length = 0;
  for (const { byteLengths } of tensors) for (const bytes of byteLengths) length += bytes;
  const frame = tensors.map((tensor) => ({ ...tensor, pieces: () => [] }));
  for (const chunk of fileChunks(frame, options)) length += chunk.byteLength;
  return length;
}

function* generate(
  names: ReadonlyMap<string, Uint8Array>,
  tensors: readonly RawTensor[],
  kv: Uint8Array | undefined,
  options: FileOptions,
): Generator<Uint8Array, void, void> {
  const form = new FileForm(options.operation, options);
  yield form.begin(kv !== undefined && options.metadataFlag !== false);
  for (const tensor of tensors) {
    for (const step of form.tensor(names.get(tensor.name)!, tensor.descriptor, tensor.byteLengths)) {
      if (typeof step === "number") yield* tensor.pieces(step);
      else yield step;
    }
  }
  yield* form.end(kv);
}
