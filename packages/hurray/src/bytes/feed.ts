import { HurrayLimitError } from "../errors.js";
import { abortable } from "./abortable.js";

/**
 * Where bytes come from one chunk after another. A chunk is used up before the next one is asked for, so its
 * memory may be used again then. Bytes that are all there go in as a list of one: `[bytes]`.
 * @since 0.1.0
 */
export type ByteInput = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Takes exact numbers of bytes from chunks of any lengths. One call at a time. */
export interface ByteFeed {
  /** Bytes taken so far. */
  readonly position: number;
  /** Waits until there is a byte, or the end. */
  atEnd(): Promise<boolean>;
  /**
   * Takes bytes into memory of their own: `length` of them, the bytes in `begun` being the first; fewer where the
   * input ends. The memory grows as bytes arrive, so that a length that is a lie costs nothing.
   */
  take(length: number, begun?: Uint8Array): Promise<Uint8Array>;
  /** Takes up to `maximum` bytes as they came, good until the next call; none at the end of the input. */
  window(maximum: number): Promise<Uint8Array>;
  /** Passes over zeros, however many, and gives their number. */
  skipZeros(): Promise<number>;
  /** Lets go of the input, whose rest is not wanted. */
  close(): Promise<void>;
}

/** Memory made at once, before a byte of it has arrived. */
const AT_ONCE = 65536;

const END: { readonly done: true } = { done: true };

/**
 * Opens an input; nothing is read before it is asked for.
 *
 * @throws TypeError for what gives no chunks of bytes.
 */
export function openFeed(input: ByteInput, operation: string, signal?: AbortSignal): ByteFeed {
  const chunks = chunksOf(input, operation);
  let chunk: Uint8Array = new Uint8Array();
  let position = 0;
  let ended = false;

  /** Makes sure that the chunk at hand has a byte. */
  const arrive = async (): Promise<boolean> => {
    while (chunk.byteLength === 0 && !ended) {
      signal?.throwIfAborted();
      const result = await abortable(chunks.next(), signal);
      if (result.done === true) ended = true;
      else chunk = checkChunk(result.value, operation);
    }
    return chunk.byteLength > 0;
  };

  return {
    get position() {
      return position;
    },
    atEnd: async () => !(await arrive()),
    take: async (length, begun = new Uint8Array()) => {
      let filled = begun.byteLength;
      let bytes = begun;
      while (filled < length && (await arrive())) {
        if (filled === bytes.byteLength) {
          const room = Math.min(length, Math.max(AT_ONCE, 4 * filled, filled + chunk.byteLength));
          const grown = allocate(room, operation);
          grown.set(bytes);
          bytes = grown;
        }
        const part = chunk.subarray(0, bytes.byteLength - filled);
        bytes.set(part, filled);
        chunk = chunk.subarray(part.byteLength);
        filled += part.byteLength;
        position += part.byteLength;
      }
      return bytes.byteLength === filled ? bytes : bytes.slice(0, filled);
    },
    window: async (maximum) => {
      await arrive();
      const part = chunk.subarray(0, maximum);
      chunk = chunk.subarray(part.byteLength);
      position += part.byteLength;
      return part;
    },
    skipZeros: async () => {
      const start = position;
      while (await arrive()) {
        const other = chunk.findIndex((byte) => byte !== 0);
        const zeros = other < 0 ? chunk.byteLength : other;
        chunk = chunk.subarray(zeros);
        position += zeros;
        if (other >= 0) break;
      }
      return position - start;
    },
    close: async () => {
      if (ended) return;
      ended = true;
      // How the input ends is nobody's concern any more; one that does not answer would be waited for in vain.
      const closing = chunks.close().catch(() => {});
      if (signal?.aborted !== true) await closing;
    },
  };
}

interface Chunks {
  next(): Promise<{ readonly done: true } | { readonly done?: false; readonly value: Uint8Array }>;
  close(): Promise<unknown>;
}

function chunksOf(input: ByteInput, operation: string): Chunks {
  if (typeof input === "object" && input !== null && !ArrayBuffer.isView(input)) {
    if ("getReader" in input) {
      let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
      return {
        next: async () => {
          reader ??= input.getReader();
          const result = await reader.read();
          return result.done ? END : { value: result.value };
        },
        close: () => (reader ?? input).cancel(),
      };
    }
    let iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array> | undefined;
    const open = (): AsyncIterator<Uint8Array> | Iterator<Uint8Array> =>
      Symbol.asyncIterator in input ? input[Symbol.asyncIterator]() : input[Symbol.iterator]();
    if (Symbol.asyncIterator in input || Symbol.iterator in input) {
      return {
        next: async () => {
          iterator ??= open();
          const result = await iterator.next();
          return result.done === true ? END : { value: result.value };
        },
        close: async () => iterator?.return?.(),
      };
    }
  }
  const given = ArrayBuffer.isView(input) ? "a view of bytes" : input === null ? "null" : typeof input;
  throw new TypeError(
    `${operation}: not something that gives chunks of bytes: got ${given}, expected a ReadableStream, or an iterable of Uint8Array. Put bytes in a list: [bytes].`,
  );
}

function checkChunk(chunk: unknown, operation: string): Uint8Array {
  if (Object.prototype.toString.call(chunk) === "[object Uint8Array]") return chunk as Uint8Array;
  throw new TypeError(
    `${operation}: the input gave something else than bytes: got ${chunk === null ? "null" : typeof chunk}, expected a Uint8Array.`,
  );
}

/** @throws HurrayLimitError `SW_HURRAY_LIMIT` for more than the host gives at once. */
export function allocate(length: number, operation: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch {
    throw new HurrayLimitError(operation, "the memory of one buffer", BigInt(length), "what this host allows", "");
  }
}
