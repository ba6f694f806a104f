import { HurrayLimitError } from "../errors.js";

/** Memory made at once, before bytes for all of it have arrived. */
const AT_ONCE = 65536;

/** What the place of a buffer in its memory is a multiple of, so that elements of every type can be read in place. */
const PLACE = 16;

/** Puts the buffers of a tensor together from pieces of their concatenation, in order. */
export interface Assembly {
  /** Takes the next bytes, no more in all than the buffers hold. A piece that is a whole buffer becomes it where it is well placed. */
  append(data: Uint8Array): void;
  /** The buffers, once all bytes are there. */
  buffers(): readonly Uint8Array[];
}

/** Begins buffers of these sizes. Memory grows with the bytes that arrive, so that sizes that are lies cost nothing. */
export function createAssembly(sizes: readonly number[], operation: string): Assembly {
  const buffers: Uint8Array[] = [];
  let current = new Uint8Array(0);
  let filled = 0;
  /** Moves on to the next buffer when one is full, over empty ones too. */
  const settle = (): void => {
    while (buffers.length < sizes.length && filled === sizes[buffers.length]) {
      buffers.push(current.byteLength === filled ? current : current.subarray(0, filled));
      current = new Uint8Array(0);
      filled = 0;
    }
  };
  settle();
  return {
    append: (data) => {
      for (let at = 0; at < data.byteLength; ) {
        const size = sizes[buffers.length]!;
        const piece = data.subarray(at, at + size - filled);
        if (filled === 0 && piece.byteLength === size && piece.byteOffset % PLACE === 0)
          current = piece as Uint8Array<ArrayBuffer>;
        else {
          const needed = filled + piece.byteLength;
          if (needed > current.byteLength) {
            const grown = allocate(Math.min(size, Math.max(needed, AT_ONCE, 2 * filled)), operation);
            grown.set(current.subarray(0, filled));
            current = grown;
          }
          current.set(piece, filled);
        }
        filled += piece.byteLength;
        at += piece.byteLength;
        settle();
      }
    },
    buffers: () => buffers,
  };
}

function allocate(length: number, operation: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch {
    throw new HurrayLimitError(operation, "the memory of one buffer", BigInt(length), "what this host allows", "");
  }
}
