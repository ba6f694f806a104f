import type { Pieces } from "./pieces.js";

/** A stream of the host that compresses or expands: `CompressionStream` or `DecompressionStream`. */
interface Codec {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<BufferSource>;
}

/** Compresses pieces. */
export function deflated(format: "deflate" | "deflate-raw", pieces: Pieces): AsyncIterable<Uint8Array> {
  return through(new CompressionStream(format), pieces, (cause) => cause);
}

/**
 * Sends pieces through a codec of the host. What it makes is taken before more goes in, so that a little input which expands
 * to much takes no memory.
 *
 * @throws what `wrong` makes of an error of the codec; what the pieces throw, as it is.
 */
export async function* through(
  codec: Codec,
  pieces: Pieces,
  wrong: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, void> {
  const writer = codec.writable.getWriter();
  const reader = codec.readable.getReader();
  let failure: { readonly error: unknown } | undefined;
  const feed = async (): Promise<void> => {
    try {
      for await (const piece of pieces) {
        // Once the codec has failed, its error is the one that counts; the reader has it.
        if (!(await settled(writer.write(piece as Uint8Array<ArrayBuffer>)))) return;
      }
      await settled(writer.close());
    } catch (error) {
      failure = { error };
      await settled(writer.abort(error));
    }
  };
  const fed = feed();
  try {
    for (;;) {
      const { done, value } = await next(reader, (cause) => (failure === undefined ? wrong(cause) : failure.error));
      if (done) return;
      yield value;
    }
  } finally {
    await settled(reader.cancel());
    await settled(writer.abort());
    await fed;
  }
}

async function next(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  failed: (cause: unknown) => unknown,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (cause) {
    throw failed(cause);
  }
}

/** Waits, and tells whether it went well. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  try {
    await promise;
    return true;
  } catch {
    return false;
  }
}
