import { quote } from "../bytes/quote.js";
import { type ItemFile, memberNames } from "../file/items.js";
import { type HurraySource, readBytes } from "../source/source.js";
import type { SendableItem } from "../stream/parts.js";
import type { TensorStore } from "./store.js";

/** An open file, as a server needs it; a `HurrayFile` is one. @since 0.1.0 */
export interface ServedFile extends ItemFile {
  readonly source: HurraySource;
  has(name: string): boolean;
}

/** Bytes that are read at a time. */
const PIECE = 1024 * 1024;

/** Makes a store of a file's tensors and composites by their names. Data is read as clients take it. @since 0.1.0 */
export function fileStore(file: ServedFile): TensorStore {
  const find = async (name: string, signal: AbortSignal): Promise<SendableItem> => {
    signal.throwIfAborted();
    const { descriptor, starts } = await file.locate(name);
    if (descriptor.layout.kind !== "composite") {
      return {
        descriptor,
        pieces: async function* (buffer) {
          const start = starts[buffer]!;
          const end = start + Number(descriptor.buffers[buffer]!.byteSize);
          for (let at = start; at < end; at += PIECE) {
            yield await readBytes(file.source, `read ${quote(name)}`, at, Math.min(at + PIECE, end));
          }
        },
      };
    }
    const members: SendableItem[] = [];
    for (const member of await memberNames(file, name, { signal })) members.push(await find(member, signal));
    return { descriptor, members };
  };
  return { find: async (key, { signal }) => (file.has(key) ? find(key, signal) : undefined) };
}
