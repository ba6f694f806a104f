import { open } from "node:fs/promises";
import type { HurraySource } from "@sw/hurray";
import { httpSource } from "@sw/hurray/http";

/** A source that is to be closed. */
export interface OpenSource extends HurraySource {
  close(): Promise<void>;
}

/** Tells the address of a file on the web from a path. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/** Opens a file of the disk, or of the web, to be read by position. */
export async function openSource(path: string, signal: AbortSignal): Promise<OpenSource> {
  if (!isUrl(path)) return openDisk(path);
  // Small files are taken whole from servers that give no parts.
  const source = await httpSource(path, { whole: "allow", signal });
  return {
    byteLength: source.byteLength,
    slice: (start, end) => source.slice(start, end),
    close: async () => source.close?.(),
  };
}

async function openDisk(path: string): Promise<OpenSource> {
  const handle = await open(path, "r");
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error(`${path}: this is a folder: got a folder, expected a file.`);
    return {
      byteLength: stats.size,
      slice: async (start, end) => {
        const bytes = new Uint8Array(end - start);
        let done = 0;
        while (done < bytes.byteLength) {
          const { bytesRead } = await handle.read(bytes, done, bytes.byteLength - done, start + done);
          if (bytesRead === 0) break;
          done += bytesRead;
        }
        return bytes.subarray(0, done);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Bytes that are read at a time. */
const PIECE = 1024 * 1024;

/** Gives a stretch of a source piece by piece. */
export async function* piecesOf(
  source: OpenSource,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void, void> {
  for (let at = start; at < end; at += PIECE) yield await source.slice(at, Math.min(end, at + PIECE));
}
