/** Where bytes go, in order, one piece at a time. A sink must be done with the bytes when what `write` returns settles. @since 0.1.0 */
export interface ByteSink {
  write(bytes: Uint8Array): void | Promise<void>;
  /** Told that everything has been written; what it waits for is waited for. */
  close?(): void | Promise<void>;
  /** Told that nothing more will come, and that what came is no file. */
  abort?(reason: unknown): void | Promise<void>;
}

/** A sink as writers use it: it is told whether the bytes are nobody else's, so that it may keep them. */
export interface Outlet {
  write(bytes: Uint8Array, isOwn: boolean): void | Promise<void>;
  close(): void | Promise<void>;
  abort(reason: unknown): void | Promise<void>;
}

/**
 * Takes a sink or a Web stream.
 *
 * @throws TypeError for what is neither, or a stream that somebody else writes to.
 */
export function outletOf(sink: ByteSink | WritableStream<Uint8Array>, operation: string): Outlet {
  if (typeof sink === "object" && sink !== null) {
    if ("getWriter" in sink) return streamOutlet(sink);
    if (typeof sink.write === "function") {
      return {
        write: (bytes) => sink.write(bytes),
        close: () => sink.close?.(),
        abort: (reason) => sink.abort?.(reason),
      };
    }
  }
  const given = sink === null ? "null" : typeof sink;
  throw new TypeError(
    `${operation}: not something that takes bytes: got ${given}, expected { write(bytes) } or a WritableStream.`,
  );
}

/** Whoever reads the stream may hold its chunks for long, or take their memory away: it is given copies. */
function streamOutlet(stream: WritableStream<Uint8Array>): Outlet {
  const writer = stream.getWriter();
  return {
    write: async (bytes, isOwn) => {
      await writer.ready;
      // What becomes of the chunk is told by `ready` of the next one, or by `close`.
      writer.write(isOwn ? bytes : bytes.slice()).catch(() => {});
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  };
}
