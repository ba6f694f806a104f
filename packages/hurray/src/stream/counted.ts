import { abortable } from "../bytes/abortable.js";
import { HurrayValueError } from "../errors.js";

/** A buffer that comes in pieces, and what is said of it. */
interface CountedBuffer {
  readonly operation: string;
  /** Whose buffer it is, for messages; "" where nothing tells. */
  readonly owner: string;
  readonly buffer: number;
  readonly byteLength: number;
  /** Given when nobody waits for the pieces any more. */
  readonly signals?: readonly (AbortSignal | undefined)[];
}

/**
 * Gives the pieces of a buffer, as many bytes as its descriptor says.
 *
 * @throws TypeError for what gives no pieces of bytes.
 * @throws HurrayValueError `SW_HURRAY_VALUE` before a piece with more bytes, and after fewer.
 */
export async function* countedPieces(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { operation, owner, buffer, byteLength, signals = [] }: CountedBuffer,
): AsyncGenerator<Uint8Array, void, void> {
  const what = `buffer ${buffer}${owner}`;
  const typeOf = (value: unknown): string => (value === null ? "null" : typeof value);
  if (typeof pieces !== "object" || pieces === null || !(Symbol.iterator in pieces || Symbol.asyncIterator in pieces)) {
    throw new TypeError(`${operation}: ${what} gave no pieces: got ${typeOf(pieces)}, expected an iterable of bytes.`);
  }
  let taken = 0;
  const refuse = (): never => {
    const problem = `the pieces of ${what} are not what its descriptor says`;
    throw new HurrayValueError(operation, "pieces", problem, `${taken} bytes`, `${byteLength}`);
  };
  for await (const piece of until(pieces, signals)) {
    if (Object.prototype.toString.call(piece) !== "[object Uint8Array]") {
      throw new TypeError(`${operation}: ${what} gave no bytes: got ${typeOf(piece)}, expected a Uint8Array.`);
    }
    taken += piece.byteLength;
    if (taken > byteLength) refuse();
    yield piece;
  }
  if (taken < byteLength) refuse();
}

/** The pieces, until one of the signals is given: a source that gives nothing more holds nobody up. */
async function* until(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signals: readonly (AbortSignal | undefined)[],
): AsyncGenerator<Uint8Array, void, void> {
  const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  let isDone = false;
  try {
    for (;;) {
      for (const signal of signals) signal?.throwIfAborted();
      const next = signals.reduce((waiting, signal) => abortable(waiting, signal), Promise.resolve(iterator.next()));
      const result = await next;
      isDone = result.done === true;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    // Not waited for: it may be what hangs.
    if (!isDone) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
