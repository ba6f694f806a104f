import { HurraySourceError } from "../errors.js";

/**
 * Where a file is read from. `slice` gives the bytes from `start` to before `end`; it may give a
 * window of memory that exists, which readers never write to.
 * @since 0.1.0
 */
export interface HurraySource {
  readonly byteLength: number;
  slice(start: number, end: number, signal?: AbortSignal): Uint8Array | Promise<Uint8Array>;
  /** Bytes that are best asked for at a time; 1 MiB when absent. */
  readonly pieceBytes?: number;
  /** Fills `target` until the promise settles. Sources that cannot do it better than `slice` leave it out. */
  readInto?(start: number, target: Uint8Array): Promise<void>;
  /**
   * Fills `target` before it returns: a window of the memory of a tensor, which may move or be another's as soon as
   * other work runs. Where it is there tensors are read by it, 32 MiB at most before other work of the host has its turn.
   */
  readNow?(start: number, target: Uint8Array): void;
  /** Lets go of what the source holds. */
  close?(): Promise<void>;
}

/**
 * Takes bytes from a source and makes sure they are all there.
 *
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` when the source gives fewer or more bytes than asked for.
 */
export async function readBytes(
  source: HurraySource,
  operation: string,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const bytes = await source.slice(start, end, signal);
  if (bytes.byteLength !== end - start) {
    throw new HurraySourceError(
      "SW_HURRAY_SOURCE_SHORT",
      `${operation}: the source breaks its word at byte ${start}: got ${bytes.byteLength} bytes, expected ${end - start}.`,
      start,
    );
  }
  return bytes;
}
