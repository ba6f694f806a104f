import { HurrayFormatError } from "../errors.js";
import type { Hello } from "../messages/types.js";
import { countOption, timeOption } from "../number-option.js";
import type { SendOptions } from "../stream/parts.js";
import type { ReceiveLimits, ReceiveOptions } from "../stream/read.js";
import { createAnswerer } from "./answer.js";
import type { Channel } from "./channel.js";
import { type ConnectionOptions, connectionLimits, type Incoming, openConnection } from "./connection.js";
import { ERROR_CODES, Refusal } from "./error-codes.js";
import { CAN_TRANSCODE, checkHello, checkOptions, helloOf, LAYOUT_TAGS, preferencesOf } from "./hello.js";
import { HOST_CLOCK } from "./patience.js";
import { createPuts } from "./puts.js";
import type { TensorStore } from "./store.js";
import { createTasks } from "./tasks.js";

/** How a connection is served. @since 0.1.0 */
export interface ServeOptions
  extends ConnectionOptions,
    SendOptions,
    Pick<ReceiveOptions, "accept" | "maximumDescriptorBytes" | "coverSteps"> {
  /** Requests and puts at the same time; further ones are refused by error 0xF0. 64 when absent. */
  readonly maximumRequests?: number;
  /** Bytes that items being put may take together; 2³¹ − 1 when absent. Memory is only made for bytes that have arrived. */
  readonly maximumBytes?: number;
  /** Bytes that a tensor may take in another layout than it is stored in; 256 MiB when absent, 0 to transcode nothing. One is made at a time. */
  readonly maximumTranscodeBytes?: number;
  /** Milliseconds that a client may be silent that waits for nothing; 300,000 when absent. */
  readonly idleTimeout?: number;
  /** Told why an item could not be given or taken, which the client does not learn; in `listen`, also how connections ended in error. */
  readonly onError?: (error: unknown, key?: string) => void;
}

const REQUESTS = 64;
const MAXIMUM_BYTES = 2 ** 31 - 1;
const MAXIMUM_TRANSCODE = 256 * 1024 * 1024;
const IDLE_TIMEOUT = 300_000;

/** The options that are numbers. */
type ServeLimits = Required<
  Pick<
    ServeOptions,
    "maximumMessageBytes" | "timeout" | "idleTimeout" | "maximumRequests" | "maximumBytes" | "maximumTranscodeBytes"
  >
> &
  ReceiveLimits;

/**
 * What a server is told in numbers, checked.
 *
 * @throws TypeError, HurrayValueError `SW_HURRAY_VALUE`.
 */
export function serveLimits(operation: string, options: ServeOptions): ServeLimits {
  const { maximumRequests, maximumBytes, maximumTranscodeBytes, idleTimeout } = options;
  return {
    ...connectionLimits(operation, options),
    maximumRequests: countOption(operation, "maximumRequests", maximumRequests, 1, REQUESTS),
    maximumBytes: countOption(operation, "maximumBytes", maximumBytes, 0, MAXIMUM_BYTES),
    maximumTranscodeBytes: countOption(operation, "maximumTranscodeBytes", maximumTranscodeBytes, 0, MAXIMUM_TRANSCODE),
    idleTimeout: timeOption(operation, "idleTimeout", idleTimeout, IDLE_TIMEOUT),
  };
}

/**
 * Serves tensors to one client, until it leaves: settles then, when what it asked for has been sent. Requests are
 * answered at the same time, in turns; what the client does not take holds back what is sent, and what is read.
 *
 * @throws HurrayFormatError when the client breaks a rule after which it cannot be followed; it has been told, and the
 * channel is closed.
 * @throws HurrayPeerError `SW_HURRAY_TIMEOUT`, `SW_HURRAY_DISCONNECTED`.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when it goes on and on where it was refused.
 * @since 0.1.0
 */
export async function serve(channel: Channel, store: TensorStore, given: ServeOptions = {}): Promise<void> {
  checkOptions("serve", given);
  const options = { ...given, ...serveLimits("serve", given) };
  const { clock = HOST_CLOCK, timeout, idleTimeout, maximumRequests, maximumBytes, maximumTranscodeBytes } = options;
  const connection = openConnection(channel, { ...options, from: "client", idleTimeout, operation: () => "serve" });
  const tasks = createTasks(connection, { ...options, timeout, clock });
  const puts = createPuts(connection, store, tasks, { ...options, timeout, clock, maximumBytes });
  const answer = createAnswerer(connection, store, { ...options, maximumTranscodeBytes });
  const { works } = tasks;
  const tooMany = new Refusal(ERROR_CODES.limit, `${maximumRequests} requests are under way`);
  let client: Hello | undefined;

  const take = async (incoming: Incoming): Promise<void> => {
    const { streamId } = incoming;
    const work = works.get(streamId);
    /** Closes the stream, whatever it is for. */
    const refuse = async (error: unknown): Promise<void> => {
      if (work !== undefined) work.stop(error);
      else if (!puts.refused.has(streamId)) await connection.refuse(streamId, error);
    };
    if (incoming.refusal !== undefined) return refuse(incoming.refusal);
    const { message, start } = incoming;
    const disorder = (problem: string, expected: string): HurrayFormatError =>
      new HurrayFormatError("serve", "R164", "message_type", start, problem, message.kind, expected);
    switch (message.kind) {
      case "clientHello": {
        if (client !== undefined) return refuse(disorder("hello is said once", "anything else"));
        checkHello(message, start, "serve");
        client = message;
        const capabilities = maximumTranscodeBytes > 0 ? CAN_TRANSCODE : 0n;
        const hello = helloOf(preferencesOf("serve", LAYOUT_TAGS), capabilities, options.maximumMessageBytes);
        return connection.answer({ kind: "serverHello", streamId, ...hello });
      }
      case "tensorRequest": {
        if (work !== undefined) return refuse(disorder("the stream is in use", "a stream of its own"));
        puts.refused.delete(streamId);
        if (works.size >= maximumRequests) return refuse(tooMany);
        const asked = client!;
        void tasks.start(streamId, message.tensorKey, (signal, patience) => answer(asked, message, signal, patience));
        return;
      }
      case "tensorPut":
      case "tensorData":
      case "tensorDataEnd": {
        if (puts.refused.has(streamId)) return;
        if (work !== undefined && work.take === undefined)
          return refuse(disorder("the stream is in use", "its answer"));
        // What is wrong with data has been said of its first part.
        if (work === undefined && incoming.isRest) return;
        if (work === undefined && message.kind !== "tensorPut") {
          return refuse(disorder("data comes before its descriptor", "a descriptor"));
        }
        if (work === undefined && works.size >= maximumRequests) return puts.refuse(streamId, tooMany);
        const put = work ?? puts.receive(streamId);
        try {
          put.take?.(incoming);
        } catch (error) {
          put.stop(error);
        }
        return;
      }
      case "error":
        work?.stop(undefined, true);
        return;
      default:
      // A pong to nothing that was asked.
    }
  };

  connection.signal.addEventListener("abort", () => {
    for (const work of [...works.values()]) work.stop(connection.signal.reason, true);
  });
  try {
    for await (const incoming of connection.messages()) await take(incoming);
    // A client that has said everything may still be listening; what it did not put whole, it puts no more.
    for (const work of [...works.values()]) if (work.take !== undefined) work.stop(undefined, true);
    await tasks.settle();
  } catch (error) {
    await connection.end(error);
    throw error;
  }
  await connection.end(undefined);
}
