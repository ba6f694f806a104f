import { abortable } from "../bytes/abortable.js";
import { openFeed } from "../bytes/feed.js";
import { HurrayFormatError, HurrayLimitError } from "../errors.js";
import {
  encodeMessage,
  MAXIMUM_MESSAGE,
  MESSAGE_HEADER_LENGTH,
  type MessageHeader,
  readMessageHeader,
} from "../messages/codec.js";
import { type Placed, takeParts } from "../messages/read.js";
import { checkSide, type Side } from "../messages/sides.js";
import type { Message } from "../messages/types.js";
import { countOption, timeOption } from "../number-option.js";
import { type ReceiveLimits, type ReceiveOptions, receiveLimits } from "../stream/read.js";
import type { Channel } from "./channel.js";
import { errorCodeOf, errorTextOf } from "./error-codes.js";
import { LEAST_MESSAGE } from "./hello.js";
import { createOutbox } from "./outbox.js";
import { type Clock, createPatience, HOST_CLOCK } from "./patience.js";
import { disconnected, timedOut } from "./peer-errors.js";

/** What both ends of a connection may be told. @since 0.1.0 */
export interface ConnectionOptions {
  /** Bytes of a message that are taken at most, which the peer is told; 16 MiB when absent. */
  readonly maximumMessageBytes?: number;
  /** Milliseconds that the peer may be silent while something is expected of it, or take nothing; 30,000 when absent. */
  readonly timeout?: number;
  /** Timers for tests; those of the host when absent. */
  readonly clock?: Clock;
  /** Ends the connection when it is given. */
  readonly signal?: AbortSignal;
}

interface Setup extends ConnectionOptions {
  /** Who the peer is. */
  readonly from: Side;
  /** Milliseconds that the peer may be silent between messages, once it has said hello. */
  readonly idleTimeout: number;
  /** What begins the messages of errors about a stream. */
  readonly operation: (streamId: number) => string;
}

/** A message, or what is wrong with one that concerns its stream alone. */
export type Incoming =
  | ({ readonly streamId: number; readonly refusal?: undefined } & Placed)
  | { readonly streamId: number; readonly refusal: HurrayFormatError };

/**
 * Whether a message brings what is waited for nearer: data without a byte does not, or a peer could keep one waiting
 * for ever.
 */
export function isProgress(message: Message): boolean {
  return message.kind !== "tensorData" || message.data.byteLength > 0;
}

/** One end of a channel, in messages. */
export interface Connection {
  /** Given when the connection is over; the reason is the error of everything that waits. */
  readonly signal: AbortSignal;
  /**
   * Walked once, by one reader; pings are answered on the way. Data comes in parts, each of them good until the next
   * message is asked for.
   */
  messages(): AsyncGenerator<Incoming, void, void>;
  /** Sends a message, or the bytes of one; settles when the peer may be sent more. */
  send(message: Message | Uint8Array): Promise<void>;
  /**
   * Sends a message ahead of others. It is not waited for, since the peer may be waiting as well, for what it sent to
   * be read; only where many answers wait already.
   */
  answer(message: Message): Promise<void>;
  /** Tells the peer that a stream is closed, and why. */
  refuse(streamId: number, error: unknown): Promise<void>;
  /** Ends the connection; everything that waits is rejected with the reason. The peer is told of what it did wrong. */
  end(reason: unknown): Promise<void>;
}

/** Milliseconds without progress, unless told otherwise. */
export const TIMEOUT = 30_000;
/** What may still be done for a peer that is leaving, in milliseconds. */
const FAREWELL = 1_000;

/** Answers that may wait to be written before the peer is heard no further. */
const ANSWERS = 64;

/** Rules after which nothing that the peer sends can be trusted; others concern one stream. */
const FATAL: readonly string[] = ["R155", "R156", "R159", "R160", "R161"];

/** What both ends are told, checked. */
export function connectionLimits(
  operation: string,
  options: ConnectionOptions & Pick<ReceiveOptions, "maximumDescriptorBytes" | "coverSteps">,
): ReceiveLimits & { readonly maximumMessageBytes: number; readonly timeout: number } {
  const { maximumMessageBytes, timeout } = options;
  return {
    ...receiveLimits(operation, options),
    maximumMessageBytes: countOption(
      operation,
      "maximumMessageBytes",
      maximumMessageBytes,
      LEAST_MESSAGE,
      MAXIMUM_MESSAGE,
    ),
    timeout: timeOption(operation, "timeout", timeout, TIMEOUT),
  };
}

/** Opens one end of a channel. */
export function openConnection(channel: Channel, setup: Setup): Connection {
  const { maximumMessageBytes = MAXIMUM_MESSAGE, timeout = TIMEOUT, clock = HOST_CLOCK, operation } = setup;
  const life = new AbortController();
  let lastStream = 1;
  /** Whether the peer owes the rest of a message, or its hello. */
  let isWithin = (): boolean => true;

  /** Waits for something whose outcome is nobody's concern any more, and not for long. */
  const farewell = async (promise: Promise<unknown>): Promise<void> => {
    const controller = new AbortController();
    const patience = createPatience(clock, FAREWELL, () => controller.abort());
    patience.restart();
    await abortable(promise, controller.signal).catch(() => {});
    patience.stop();
  };
  let closing: Promise<void> | undefined;
  const closeChannel = (reason: unknown): Promise<void> => {
    closing ??= farewell(channel.close(reason));
    return closing;
  };
  const fail = (error: unknown): unknown => {
    if (life.signal.aborted) return life.signal.reason;
    life.abort(error);
    hearing.stop();
    writing.stop();
    setup.signal?.removeEventListener("abort", onAbort);
    return error;
  };
  const failAndClose = (error: unknown): void => {
    if (life.signal.aborted) return;
    fail(error);
    void closeChannel(error);
  };
  const onAbort = (): void => failAndClose(setup.signal?.reason);
  setup.signal?.addEventListener("abort", onAbort);

  const late = (waited: number): void => failAndClose(timedOut(operation(0), waited));
  const hearing = createPatience(clock, timeout, late);
  const writing = createPatience(clock, timeout, late);

  const outbox = createOutbox(async (bytes) => {
    writing.restart();
    try {
      await abortable(channel.write(bytes), life.signal);
    } catch (error) {
      failAndClose(disconnected(operation(0), error));
      throw life.signal.reason;
    } finally {
      writing.stop();
    }
  });

  /** What the peer sends, waited for no longer than is agreed. */
  const readable: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => {
      const chunks = channel.readable[Symbol.asyncIterator]();
      return {
        next: async () => {
          hearing.restart(isWithin() ? timeout : setup.idleTimeout);
          try {
            return await chunks.next();
          } catch (error) {
            throw disconnected(operation(0), error);
          } finally {
            hearing.stop();
          }
        },
        return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
      };
    },
  };

  async function* messages(): AsyncGenerator<Incoming, void, void> {
    const feed = openFeed(readable, operation(0), life.signal);
    let greeted = false;
    try {
      while (!(await feed.atEnd())) {
        const start = feed.position;
        isWithin = () => true;
        const header = await feed.take(MESSAGE_HEADER_LENGTH);
        const streamId = streamOf(header);
        if (streamId !== 0) lastStream = streamId;
        const head = headerOf(header, { maximumMessageBytes, base: start, operation: operation(0) });
        const end = start + MESSAGE_HEADER_LENGTH + head.payloadLength;
        isWithin = () => feed.position < end;
        const options = { maximumMessageBytes, base: start, operation: operation(streamId) };
        try {
          if ("refusal" in head) {
            await feed.take(head.payloadLength);
            throw head.refusal;
          }
          for await (const placed of takeParts(feed, header, head, options)) {
            const { message } = placed;
            checkSide(placed, setup.from, greeted, options.operation);
            greeted = true;
            if (message.kind === "ping") await answer({ ...message, kind: "pong" });
            else if (message.kind.startsWith("rdma")) throw unoffered(options.operation, message.kind, start);
            else yield { streamId, ...placed };
          }
        } catch (error) {
          if (!(error instanceof HurrayFormatError) || FATAL.includes(error.rule) || !greeted) throw error;
          yield { streamId, refusal: error };
        }
      }
    } finally {
      await feed.close();
    }
  }

  const answer = async (message: Message): Promise<void> => {
    const written = outbox.send(encodeMessage(message), true);
    if (outbox.answers() >= ANSWERS) return written;
    written.catch(() => {});
  };

  if (setup.signal?.aborted) onAbort();
  return {
    signal: life.signal,
    messages,
    answer,
    send: (message) => outbox.send(message instanceof Uint8Array ? message : encodeMessage(message)),
    refuse: (streamId, error) => answer(errorMessage(streamId, error)),
    end: async (reason) => {
      if (!life.signal.aborted && (reason instanceof HurrayFormatError || reason instanceof HurrayLimitError)) {
        await farewell(outbox.send(encodeMessage(errorMessage(lastStream, reason)), true));
      }
      fail(reason);
      await closeChannel(reason);
    },
  };
}

/** The ERROR message by which a peer is told of an error. */
function errorMessage(streamId: number, error: unknown): Message {
  return { kind: "error", streamId, errorCode: errorCodeOf(error), message: errorTextOf(error) };
}

/** Reads a header. A type without a meaning is passed over with its payload (R158). */
function headerOf(
  header: Uint8Array,
  options: { readonly maximumMessageBytes: number; readonly base: number; readonly operation: string },
): MessageHeader | { readonly payloadLength: number; readonly refusal: HurrayFormatError } {
  try {
    return readMessageHeader(header, options);
  } catch (refusal) {
    if (!(refusal instanceof HurrayFormatError) || refusal.rule !== "R158") throw refusal;
    return { payloadLength: new DataView(header.buffer, header.byteOffset).getUint32(8, true), refusal };
  }
}

/** The stream that a header is of, whatever else is wrong with it; 0 where it is cut short. */
function streamOf(header: Uint8Array): number {
  if (header.byteLength < 8) return 0;
  return new DataView(header.buffer, header.byteOffset).getUint32(4, true);
}

function unoffered(operation: string, kind: string, start: number): HurrayFormatError {
  const problem = "no memory is reached from afar here";
  return new HurrayFormatError(operation, "R158", "message_type", start, problem, kind, "data in messages");
}
