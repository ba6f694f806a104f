import { open } from "node:fs/promises";
import type { HurraySource } from "@sw/hurray";
import { httpSource } from "@sw/hurray/http";
import { CliError, EXIT } from "./failure.js";
import type { Shell } from "./shell.js";
import { watchedFetch } from "./watched-fetch.js";

/** A source that is to be closed. */
export interface OpenSource extends HurraySource {
  close(): Promise<void>;
}

/** Tells the address of a file on the web from a path. */
export function isUrl(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/** Opens a file of the disk, or of the web, to be read by position. */
export async function openSource(path: string, shell: Shell): Promise<OpenSource> {
  return isUrl(path) ? openWeb(path, shell) : openDisk(path);
}

async function openWeb(url: string, { io, timeout }: Shell): Promise<OpenSource> {
  // A silence ends what waits for the server then, and not what is asked later, as a server of ours may.
  let silence = new AbortController();
  const onSilence = (): void => {
    const ended = silence;
    silence = new AbortController();
    const message = `${url}: the server is silent: got nothing for ${timeout} s, expected bytes. --timeout waits longer.`;
    ended.abort(new CliError(EXIT.unreadable, message));
  };
  const source = await httpSource(url, {
    // Small files are taken whole from servers that give no parts.
    whole: "allow",
    signal: AbortSignal.any([io.signal, silence.signal]),
    fetch: watchedFetch(timeout * 1000, onSilence),
  });
  silence = new AbortController();
  return {
    byteLength: source.byteLength,
    slice: (start, end) => source.slice(start, end, silence.signal),
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
