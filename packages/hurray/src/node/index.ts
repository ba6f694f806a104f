import { closeSync, fstatSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Tensor } from "@sw/tensor";
import { current } from "@sw/tensor/seam";
import type { Metadata } from "../file/metadata.js";
import { type Abortable, type HurrayFile, type OpenHurrayOptions, openHurray } from "../file/reader.js";
import { FileWriter, type FileWriterOptions } from "../file-writer.js";
import { type SaveOptions, type SaveReport, startSave, type TensorRecord } from "../save.js";
import type { HurraySource } from "../source/source.js";
import { atomicFile } from "./atomic-file.js";
import { backgroundSource, blockingSource } from "./file-source.js";

export { type AtomicFile, atomicFile } from "./atomic-file.js";
export {
  connectSocket,
  type Listening,
  type ListenOptions,
  listen,
  type SocketAddress,
  socketChannel,
} from "./sockets.js";

export { attachWebSocket, type WebSocketServerLike } from "./websocket-server.js";

/** What a file held. @since 0.1.0 */
export interface ReadResult {
  /** The tensors by name, each in memory of its own. */
  readonly tensors: { readonly [name: string]: Tensor };
  readonly metadata: Metadata;
}

/**
 * Saves tensors as a file, whole or not at all: they go to a temporary file beside it, which takes
 * its place when everything has reached the disk. On failure the temporary file is removed and what
 * was there before is untouched. The tensors may not be written to before the promise settles.
 *
 * @throws TypeError, StaleTensorError, UnsupportedError for what is no live tensor of one part.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name or a metadata value that the format cannot hold.
 * @throws HurraySourceError `SW_HURRAY_CHANGED` when a tensor is written to meanwhile.
 * @since 0.1.0
 */
export async function writeFile(
  path: string,
  tensors: TensorRecord,
  options: SaveOptions & Abortable = {},
): Promise<SaveReport> {
  options.signal?.throwIfAborted();
  const save = startSave("writeFile", tensors, options);
  return save.into(new FileWriter(atomicFile(path), save.options), options.signal);
}

/**
 * Begins a file that tensors are added to one by one, with the memory of one at a time. It is there, in place of what
 * was, once `finish` has settled; given up, by `abort`, an error or the end of `await using`, it never was.
 *
 * @throws HurrayValueError `SW_HURRAY_VALUE` for metadata or an alignment that the format cannot hold.
 * @since 0.1.0
 */
export async function createFile(path: string, options: FileWriterOptions = {}): Promise<FileWriter> {
  const file = atomicFile(path);
  const writer = new FileWriter(file, { operation: "createFile", ...options });
  await file.open();
  return writer;
}

/**
 * Reads all tensors of a file and its metadata. The memory comes from the allocator in force when
 * the call is made; on failure what was read is returned to it.
 *
 * @throws HurrayFormatError, HurrayUnsupportedError, HurrayLimitError, HurraySourceError as `HurrayFile.tensor`.
 * @since 0.1.0
 */
export async function readFile(path: string, options: OpenOptions = {}): Promise<ReadResult> {
  const { memory } = current();
  const file = await openFile(path, options);
  const tensors: [string, Tensor][] = [];
  try {
    for (const name of file.names()) tensors.push([name, await file.tensor(name, { ...options, memory })]);
    return { tensors: Object.fromEntries(tensors), metadata: file.metadata };
  } catch (error) {
    for (const [, tensor] of tensors) tensor.dispose();
    throw error;
  } finally {
    await file.close();
  }
}

/** How a file is opened. @since 0.1.0 */
export interface OpenOptions extends OpenHurrayOptions {
  /**
   * Reads in the background, through memory in between: slower, but the host never waits for the disk. For network
   * disks and archives that take long to answer.
   */
  readonly background?: boolean;
}

/**
 * Opens a file to read tensors from it one by one, straight into their memory, in blocking reads of at most 32 MiB.
 * Close it, or write `await using`.
 *
 * @throws HurrayFormatError when the file breaks a rule.
 * @since 0.1.0
 */
export async function openFile(path: string, options: OpenOptions = {}): Promise<HurrayFile> {
  options.signal?.throwIfAborted();
  const source = options.background ? await openInBackground(path) : openNow(path);
  try {
    return await openHurray(source, options);
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

function openNow(path: string): HurraySource {
  const file = openSync(path, "r");
  try {
    return blockingSource(file, fstatSync(file).size);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

async function openInBackground(path: string): Promise<HurraySource> {
  const handle = await open(path, "r");
  try {
    return backgroundSource(handle, (await handle.stat()).size);
  } catch (error) {
    await handle.close();
    throw error;
  }
}
