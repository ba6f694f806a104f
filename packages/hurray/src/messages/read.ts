import { type ByteInput, openFeed } from "../bytes/feed.js";
import { decodeMessage, MESSAGE_HEADER_LENGTH, type MessageOptions, readMessageHeader } from "./codec.js";
import type { Message } from "./types.js";

/** How messages are read from a stream of bytes. @since 0.1.0 */
export interface ReadMessagesOptions extends MessageOptions {
  readonly signal?: AbortSignal;
}

/** A message, and where it starts and ends in its stream. */
export interface Placed {
  readonly message: Message;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads messages one after the other, each with memory of its own. Nothing is read before it is asked for, the
 * payload of a message is taken only when its header is sound, and an input that is left early is let go.
 *
 * @throws TypeError for what gives no chunks of bytes.
 * @throws HurrayFormatError as `decodeMessage`; messages complete before it have been given.
 * @since 0.1.0
 */
export async function* readMessages(
  input: ByteInput,
  options: ReadMessagesOptions = {},
): AsyncGenerator<Message, void, void> {
  for await (const { message } of placedMessages(input, { operation: "readMessages", ...options })) yield message;
}

/** Reads messages with their places. */
export async function* placedMessages(
  input: ByteInput,
  options: ReadMessagesOptions & { readonly operation: string },
): AsyncGenerator<Placed, void, void> {
  const feed = openFeed(input, options.operation, options.signal);
  try {
    while (!(await feed.atEnd())) {
      const start = (options.base ?? 0) + feed.position;
      const header = await feed.take(MESSAGE_HEADER_LENGTH);
      const { payloadLength } = readMessageHeader(header, { ...options, base: start });
      const bytes = await feed.take(MESSAGE_HEADER_LENGTH + payloadLength, header);
      yield { message: decodeMessage(bytes, { ...options, base: start }), start, end: start + bytes.byteLength };
    }
  } finally {
    await feed.close();
  }
}
