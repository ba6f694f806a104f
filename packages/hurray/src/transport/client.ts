import { quote } from "../bytes/quote.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayFormatError, HurrayLimitError, HurrayUnsupportedError } from "../errors.js";
import { type Assembly, createAssembly } from "../messages/assembly.js";
import { createIntake, sizesOf } from "../messages/intake.js";
import type { Hello } from "../messages/types.js";
import { countOption, refuseValue } from "../number-option.js";
import type { StoredItem } from "../stored.js";
import { partsOf, type SendableItem, type SendOptions } from "../stream/parts.js";
import type { ReceiveOptions } from "../stream/read.js";
import type { Channel } from "./channel.js";
import { type ConnectionOptions, connectionLimits } from "./connection.js";
import { openExchanges } from "./exchanges.js";
import { createGate } from "./gate.js";
import { CPU, checkHello, checkOptions, helloOf, LAYOUT_TAGS, type LayoutChoice, preferencesOf } from "./hello.js";
import { disconnected } from "./peer-errors.js";
import { sendParts, totalOf } from "./send.js";

/** How a client is connected. @since 0.1.0 */
export interface ConnectOptions
  extends ConnectionOptions,
    Pick<ReceiveOptions, "accept" | "maximumDescriptorBytes" | "coverSteps"> {
  /** The layouts that the client takes, the one liked best first; all of the format when absent. */
  readonly layouts?: readonly LayoutChoice[];
  /** Requests at the same time; further ones wait. 16 when absent. */
  readonly maximumRequests?: number;
}

/** How a tensor is asked for. @since 0.1.0 */
export interface GetOptions {
  /** The layouts that it should have, the one liked best first; as it is stored when absent. */
  readonly layouts?: readonly LayoutChoice[];
  /** Whether the server may change the layout for that. */
  readonly transcode?: boolean;
  /** A power of two, which the descriptor's alignments are multiples of then; 64 when absent. */
  readonly minAlignment?: number;
  /** Bytes of all buffers together; 2³¹ − 1 when absent. Memory is only made for bytes that have arrived. */
  readonly maximumBytes?: number;
  readonly signal?: AbortSignal;
}

/** How an item is put. @since 0.1.0 */
export interface PutOptions extends SendOptions {
  readonly signal?: AbortSignal;
}

/** A connection to a server. Any number of requests may be under way at a time. @since 0.1.0 */
export interface HurrayClient {
  /** What the server has said of itself. */
  readonly server: Hello;
  /**
   * Asks for an item by its key, and receives it whole.
   *
   * @throws HurrayPeerError `SW_HURRAY_PEER` when the server refuses (`errorCode` 2: it has no such tensor),
   * `SW_HURRAY_TIMEOUT` when it is silent, `SW_HURRAY_DISCONNECTED` when the connection ends.
   * @throws HurrayFormatError when what comes breaks a rule; the connection goes on.
   * @throws HurrayLimitError `SW_HURRAY_LIMIT` beyond `maximumBytes`, and for a key larger than the server's messages.
   * @throws HurrayUnsupportedError `SW_HURRAY_DEVICE_UNSUPPORTED` for memory of another device.
   */
  get(key: string, options?: GetOptions): Promise<StoredItem>;
  /**
   * Sends an item, to be known by a key; settles when the server has taken it.
   *
   * @throws HurrayPeerError as `get`.
   * @throws HurrayFormatError, HurrayValueError, HurrayUnsupportedError as `itemBytes`, for what is not sent.
   * @throws HurrayLimitError `SW_HURRAY_LIMIT` for a key or descriptor larger than the server's messages.
   */
  put(key: string, item: SendableItem, options?: PutOptions): Promise<void>;
  /** Makes sure that the server answers. */
  ping(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Ends the connection; what is under way is rejected. Closing twice is nothing. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const MAXIMUM_BYTES = 2 ** 31 - 1;
const MAXIMUM_ALIGNMENT = 2 ** 31;
const REQUESTS = 16;
const ALLOW_TRANSCODE = 1;
/** Bytes that requests and puts have beside keys, descriptors and layouts, at most. */
const BESIDE_KEY = 16;

/**
 * Connects to a server: says hello, and waits for its answer.
 *
 * @throws HurrayPeerError `SW_HURRAY_PEER`, `SW_HURRAY_TIMEOUT`, `SW_HURRAY_DISCONNECTED`; the channel is closed then.
 * @throws HurrayFormatError when the server breaks a rule of the protocol.
 * @throws TypeError, HurrayValueError `SW_HURRAY_VALUE` for options that are not allowed.
 * @since 0.1.0
 */
export async function connect(channel: Channel, given: ConnectOptions = {}): Promise<HurrayClient> {
  checkOptions("connect", given);
  const limits = { ...given, ...connectionLimits("connect", given) };
  const maximumRequests = countOption("connect", "maximumRequests", limits.maximumRequests, 1, REQUESTS);
  const offered = preferencesOf("connect", limits.layouts ?? LAYOUT_TAGS);
  const { connection, exchange, checkOpen } = openExchanges(channel, limits);
  const gate = createGate(maximumRequests);
  let server: Hello;
  try {
    server = await exchange({
      operation: "connect",
      signal: undefined,
      begin: (streamId, send) =>
        send({
          kind: "clientHello",
          streamId,
          ...helloOf(offered, 0n, limits.maximumMessageBytes),
        }),
      take: ({ message, start }) => {
        if (message.kind !== "serverHello") return undefined;
        checkHello(message, start, "connect");
        const { kind: _kind, streamId: _streamId, ...hello } = message;
        return hello;
      },
    });
  } catch (error) {
    await connection.end(error);
    throw error;
  }

  /** Refuses what the server would hang up at: a key, and bytes beside it, that its messages do not hold. */
  const checkFits = (operation: string, key: string, beside: number): void => {
    const length = BESIDE_KEY + new TextEncoder().encode(key).byteLength + beside;
    if (length <= server.maxMessageSize) return;
    const expected = `at most ${server.maxMessageSize}, which the server takes`;
    throw new HurrayLimitError(operation, "the bytes of a message", BigInt(length), expected, "Use a shorter key.");
  };

  const get = async (key: string, options: GetOptions = {}): Promise<StoredItem> => {
    checkKey("get", key);
    const operation = `get ${quote(key)}`;
    checkOptions(operation, options);
    const { signal, ...wish } = options;
    const maximumBytes = countOption(operation, "maximumBytes", wish.maximumBytes, 0, MAXIMUM_BYTES);
    const minAlignment = countOption(operation, "minAlignment", wish.minAlignment, 1, 64);
    if (!Number.isInteger(Math.log2(minAlignment)) || minAlignment > MAXIMUM_ALIGNMENT) {
      refuseValue(operation, "minAlignment", minAlignment, 0, `a power of two up to ${MAXIMUM_ALIGNMENT}`);
    }
    const preferredLayouts = preferencesOf(operation, wish.layouts ?? []);
    checkOpen(operation, signal);
    checkFits(operation, key, 3 * preferredLayouts.length);
    const leave = await gate.enter(signal);
    try {
      checkOpen(operation, signal);
      const intake = createIntake({ ...limits, operation, assemble: assembler(operation, maximumBytes) });
      return await exchange({
        operation,
        signal,
        begin: (streamId, send) =>
          send({
            kind: "tensorRequest",
            streamId,
            tensorKey: key,
            preferredLayouts,
            preferredDevice: CPU,
            minAlignment,
            requestFlags: wish.transcode ? ALLOW_TRANSCODE : 0,
          }),
        take: (placed) => {
          const { message, start } = placed;
          if (message.kind === "tensorDescriptor" && (message.shardIndex !== 0 || message.totalShards !== 1)) {
            const given = `shard ${message.shardIndex} of ${message.totalShards}`;
            const problem = "the server sends shards that nobody asked for";
            throw new HurrayFormatError(operation, "R166", "total_shards", start, problem, given, "0 of 1");
          }
          return intake.take(placed);
        },
      });
    } finally {
      leave();
    }
  };

  const put = async (key: string, item: SendableItem, options: PutOptions = {}): Promise<void> => {
    checkKey("put", key);
    const operation = `put ${quote(key)}`;
    checkOptions(operation, options);
    const { signal, ...rules } = options;
    checkOpen(operation, signal);
    const parts = partsOf(item, operation, rules);
    checkFits(operation, key, Math.max(...parts.map(({ encoded }) => encoded.byteLength)));
    const leave = await gate.enter(signal);
    try {
      checkOpen(operation, signal);
      await exchange({
        operation,
        signal,
        begin: (streamId, send) =>
          sendParts(
            parts,
            streamId,
            server.maxMessageSize,
            (part) => ({
              kind: "tensorPut",
              streamId,
              tensorKey: key,
              descriptor: part.encoded,
              totalDataBytes: totalOf(part),
            }),
            send,
          ),
        take: ({ message, start }) => {
          if (message.kind === "tensorPutAck") return true;
          const problem = "the server answers something else";
          const expected = "tensorPutAck or error";
          throw new HurrayFormatError(operation, "R164", "message_type", start, problem, message.kind, expected);
        },
      });
    } finally {
      leave();
    }
  };

  const close = async (): Promise<void> => {
    if (!connection.signal.aborted) await connection.end(disconnected("close"));
  };
  return {
    server,
    get,
    put,
    ping: async (options = {}) => {
      checkOptions("ping", options);
      const { signal } = options;
      checkOpen("ping", signal);
      await exchange({
        operation: "ping",
        signal,
        begin: (streamId, send) => send({ kind: "ping", streamId }),
        take: ({ message }) => message.kind === "pong" || undefined,
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function checkKey(operation: string, key: unknown): void {
  if (typeof key === "string") return;
  const given = key === null ? "null" : typeof key;
  throw new TypeError(`${operation}: the key is no text: got ${given}, expected the name of a tensor.`);
}

/** Takes buffers into memory, so many bytes of them at most, of the CPU. */
function assembler(operation: string, maximumBytes: number): (descriptor: Descriptor) => Assembly {
  let total = 0;
  return (descriptor) => {
    const sizes = sizesOf(descriptor);
    for (const size of sizes) total += size;
    if (total > maximumBytes) {
      const advice = "Allow more, if there is memory for it.";
      throw new HurrayLimitError(operation, "the bytes of one item", BigInt(total), `at most ${maximumBytes}`, advice);
    }
    const device = descriptor.buffers[0]?.deviceTag ?? CPU;
    if (device !== CPU) {
      throw new HurrayUnsupportedError(
        "SW_HURRAY_DEVICE_UNSUPPORTED",
        `${operation}: the server gives memory that is not reached from here: got device ${device}, expected ${CPU}, the CPU.`,
      );
    }
    return createAssembly(sizes, operation);
  };
}
