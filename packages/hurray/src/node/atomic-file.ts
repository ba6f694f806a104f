import { randomUUID } from "node:crypto";
import { type FileHandle, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ByteSink } from "../file/sinks.js";

/** A file that comes into being whole, at `close`, or not at all. @since 0.1.0 */
export interface AtomicFile extends ByteSink {
  /** Makes the temporary file, where writing would do so. */
  open(): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/**
 * Writes to a temporary file beside the target, which takes its place when everything has reached the disk; given
 * up by `abort`, it is removed, and what was there before is untouched.
 * @since 0.1.0
 */
export function atomicFile(path: string): AtomicFile {
  let opening: Promise<Temporary> | undefined;
  const opened = (): Promise<Temporary> => {
    opening ??= openTemporary(path);
    return opening;
  };
  return {
    open: async () => void (await opened()),
    write: async (bytes) => writeAll((await opened()).handle, bytes),
    close: async () => {
      const { handle, path: temporary, target } = await opened();
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, target);
      await syncFolder(dirname(target));
    },
    abort: async () => {
      // A file that could not be made leaves nothing behind.
      const temporary = await opening?.catch(() => undefined);
      if (temporary === undefined) return;
      await temporary.handle.close().catch(() => {});
      await unlink(temporary.path).catch(() => {});
    },
  };
}

interface Temporary {
  readonly handle: FileHandle;
  readonly path: string;
  readonly target: string;
}

async function openTemporary(path: string): Promise<Temporary> {
  const target = await present(path);
  const temporary = join(dirname(target.path), `.${basename(target.path)}.${randomUUID()}.tmp`);
  try {
    return { handle: await open(temporary, "wx", target.mode), path: temporary, target: target.path };
  } catch (error) {
    // Who asked for a file knows nothing of the other name.
    const { message } = error as NodeJS.ErrnoException;
    throw Object.assign(error as NodeJS.ErrnoException, { path, message: message.replace(temporary, path) });
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) done += (await handle.write(bytes, done)).bytesWritten;
}

/** Where a file really is, and with which permissions it should be there. A link stays a link. */
async function present(path: string): Promise<{ readonly path: string; readonly mode: number }> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    // Said now, not when everything has been written.
    if (stats.isDirectory()) throw systemError("EISDIR", "illegal operation on a directory", path);
    return { path: real, mode: stats.mode & 0o777 };
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    return { path, mode: 0o666 };
  }
}

/** An error as those of the host are. */
function systemError(code: string, what: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what}, open '${path}'`), { code, path, syscall: "open" });
}

/** Makes the new name last. Hosts that cannot sync a folder lose nothing but that promise. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // The file itself is complete; only a crash of the host right now could undo the rename.
  }
}
