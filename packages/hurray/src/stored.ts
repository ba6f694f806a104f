import type { Descriptor } from "./descriptor/types.js";

/** A tensor as the format has it: what describes it, and its bytes. @since 0.1.0 */
export interface StoredTensor {
  readonly descriptor: Descriptor;
  /** One for each entry of the descriptor's buffer table. */
  readonly buffers: readonly Uint8Array[];
}

/** A composite: a head, whose layout has the kind `"composite"`, and the members that it binds. @since 0.1.0 */
export interface StoredComposite {
  readonly descriptor: Descriptor;
  /** In the order in which they are stored; a member may be a composite itself. */
  readonly members: readonly StoredItem[];
}

/** Anything that streams and files hold. @since 0.1.0 */
export type StoredItem = StoredTensor | StoredComposite;

/**
 * A tensor whose buffers come piece by piece, so that it need not fit in memory: what readers of other formats give,
 * and what writers take beside items in memory.
 * @since 0.1.0
 */
export interface StreamedTensor {
  readonly descriptor: Descriptor;
  /** The bytes of a buffer, in order. A piece may be used again for the next one; a buffer may be asked for only once. */
  pieces(buffer: number): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}
