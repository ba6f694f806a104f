import { closeSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { allocate } from "../bytes/feed.js";
import { HurraySourceError } from "../errors.js";
import { turnFor } from "../load.js";
import type { HurraySource } from "../source/source.js";

/** Bytes of one read: larger ones gain nothing. */
const READ = 4 * 1024 * 1024;
/** Bytes that are sliced off while the host waits; of more, other work has its turn in between. */
const AT_ONCE = 16 * 1024 * 1024;

/**
 * Reads from an open file by position, while the host waits. A read that is waited for costs 3 µs instead of 80, and may
 * go into memory that moves as soon as other work runs.
 */
export function blockingSource(file: number, byteLength: number): HurraySource {
  let isClosed = false;
  const readNow = (start: number, target: Uint8Array): void => {
    for (let done = 0; done < target.byteLength; ) {
      // The number of a closed file may be another one's by now.
      if (isClosed) throw closed(start);
      const read = readSync(file, target, done, Math.min(READ, target.byteLength - done), start + done);
      if (read === 0) throw short(start, done, target.byteLength);
      done += read;
    }
  };
  const readInto = async (start: number, target: Uint8Array): Promise<void> => {
    for (let at = 0; at < target.byteLength; at += AT_ONCE) {
      const part = target.subarray(at, at + AT_ONCE);
      await turnFor(part.byteLength);
      readNow(start + at, part);
    }
  };
  const slice = (start: number, end: number): Uint8Array | Promise<Uint8Array> => {
    const bytes = allocate(end - start, "openFile");
    if (bytes.byteLength > AT_ONCE) return readInto(start, bytes).then(() => bytes);
    readNow(start, bytes);
    return bytes;
  };
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    closeSync(file);
  };
  return { byteLength, slice, readInto, readNow, close };
}

/** Reads from an open file by position, in the background. */
export function backgroundSource(handle: FileHandle, byteLength: number): HurraySource {
  const readInto = async (start: number, target: Uint8Array): Promise<void> => {
    for (let done = 0; done < target.byteLength; ) {
      // A closed handle has no number any more.
      if (handle.fd < 0) throw closed(start);
      const length = Math.min(READ, target.byteLength - done);
      const { bytesRead } = await handle.read(target, done, length, start + done);
      if (bytesRead === 0) throw short(start, done, target.byteLength);
      done += bytesRead;
    }
  };
  const slice = async (start: number, end: number): Promise<Uint8Array> => {
    const bytes = allocate(end - start, "openFile");
    await readInto(start, bytes);
    return bytes;
  };
  return { byteLength, slice, readInto, close: () => handle.close() };
}

function closed(start: number): HurraySourceError {
  const message = "openFile: the file was closed while it was read: got a closed file, expected an open one.";
  return new HurraySourceError("SW_HURRAY_CLOSED", message, start);
}

function short(start: number, done: number, length: number): HurraySourceError {
  return new HurraySourceError(
    "SW_HURRAY_SOURCE_SHORT",
    `openFile: the file became shorter while it was read: got ${done} bytes at byte ${start}, expected ${length}.`,
    start + done,
  );
}
