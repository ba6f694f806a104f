import { type HurraySource, readBytes } from "../source/source.js";

/** Bytes that are asked for at first, as a header may be all that is wanted, and then, where the source has no wish. */
const FIRST = 65536;
const AT_ONCE = 1024 * 1024;

/** Reads a range of a source, piece by piece. @throws HurraySourceError when the source gives other bytes than asked for. */
export async function* rangePieces(
  source: HurraySource,
  operation: string,
  start: number,
  end: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  for (let from = start, size = FIRST; from < end; from += size, size = source.pieceBytes ?? AT_ONCE) {
    signal?.throwIfAborted();
    yield await readBytes(source, operation, from, Math.min(end, from + size), signal);
  }
}
