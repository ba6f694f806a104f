import { type ByteFeed, type ByteInput, openFeed } from "../bytes/feed.js";
import { HurrayFormatError } from "../errors.js";
import {
  DATA_HEADER_LENGTH,
  decodeMessage,
  MESSAGE_HEADER_LENGTH,
  type MessageHeader,
  type MessageOptions,
  readMessageHeader,
} from "./codec.js";
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
  /** Whether it is a later part of data whose first part has been given. */
  readonly isRest?: boolean;
}

/** Takes a message whose header is there from where it is sent; `base` is where it starts. */
type Taker = (
  feed: ByteFeed,
  header: Uint8Array,
  head: MessageHeader,
  options: MessageOptions & { readonly operation: string; readonly base: number },
) => AsyncGenerator<Placed, void, void>;

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
  const named = { operation: "readMessages", ...options };
  for await (const { message } of placedMessages(input, named, takeWhole)) yield message;
}

/** Reads messages with their places, and data as it arrives. */
export async function* placedMessages(
  input: ByteInput,
  options: ReadMessagesOptions & { readonly operation: string },
  take: Taker = takeParts,
): AsyncGenerator<Placed, void, void> {
  const feed = openFeed(input, options.operation, options.signal);
  try {
    while (!(await feed.atEnd())) {
      const start = (options.base ?? 0) + feed.position;
      const header = await feed.take(MESSAGE_HEADER_LENGTH);
      const placed = { ...options, base: start };
      yield* take(feed, header, readMessageHeader(header, placed), placed);
    }
  } finally {
    await feed.close();
  }
}

/** Takes a message with memory of its own. */
async function* takeWhole(...[feed, header, { payloadLength }, options]: Parameters<Taker>): ReturnType<Taker> {
  const bytes = await feed.take(MESSAGE_HEADER_LENGTH + payloadLength, header);
  yield { message: decodeMessage(bytes, options), start: options.base, end: feed.position };
}

/**
 * Takes a message; data in parts, each of them good until the next one is asked for, so that it is copied but once, to
 * where it stays.
 */
export async function* takeParts(...[feed, header, head, options]: Parameters<Taker>): ReturnType<Taker> {
  const { kind, streamId, payloadLength } = head;
  if (kind !== "tensorData" || payloadLength < DATA_HEADER_LENGTH - MESSAGE_HEADER_LENGTH) {
    yield* takeWhole(feed, header, head, options);
    return;
  }
  const begun = await feed.take(DATA_HEADER_LENGTH, header);
  const { operation, base: start } = options;
  const refuse = (): never => {
    const given = `${feed.position - start - MESSAGE_HEADER_LENGTH} bytes`;
    const at = start + MESSAGE_HEADER_LENGTH;
    throw new HurrayFormatError(
      operation,
      "R155",
      "payload",
      at,
      "payload runs past the end",
      given,
      `${payloadLength}`,
    );
  };
  if (begun.byteLength < DATA_HEADER_LENGTH) refuse();
  const view = new DataView(begun.buffer, begun.byteOffset);
  let byteOffsetInBuffer = view.getBigUint64(MESSAGE_HEADER_LENGTH, true);
  const end = start + MESSAGE_HEADER_LENGTH + payloadLength;
  let isRest = false;
  do {
    const left = end - feed.position;
    const data = await feed.window(left);
    if (data.byteLength === 0 && left > 0) refuse();
    yield { message: { kind, streamId, byteOffsetInBuffer, data }, start, end: feed.position, isRest };
    byteOffsetInBuffer += BigInt(data.byteLength);
    isRest = true;
  } while (feed.position < end);
}
