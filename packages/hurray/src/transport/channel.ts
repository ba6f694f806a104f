/**
 * A reliable, ordered stream of bytes in both directions: a socket, a WebSocket, a pipe, a `MessagePort`. Chunks
 * may be cut anywhere.
 * @since 0.1.0
 */
export interface Channel {
  /** What the peer sends, up to the end. It is walked once; what is not asked for is held back. */
  readonly readable: AsyncIterable<Uint8Array>;
  /** Sends bytes; settles when more may be sent. The bytes are the channel's from then on. One call at a time. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends both directions, after what was written. Closing twice is nothing. */
  close(reason?: unknown): Promise<void>;
}
