import { abortable } from "../bytes/abortable.js";
import { quote } from "../bytes/quote.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayFormatError, HurrayLimitError, HurrayLookupError, HurrayUnsupportedError } from "../errors.js";
import { type Assembly, createAssembly } from "../messages/assembly.js";
import { createIntake, sizesOf } from "../messages/intake.js";
import type { Placed } from "../messages/read.js";
import type { Hello, Message } from "../messages/types.js";
import { partsOf, type SendOptions } from "../stream/parts.js";
import type { ReceiveOptions } from "../stream/read.js";
import type { Channel } from "./channel.js";
import { type ConnectionOptions, type Incoming, openConnection, timedOut } from "./connection.js";
import { ERROR_CODES, Refusal } from "./error-codes.js";
import { createGate } from "./gate.js";
import { CAN_TRANSCODE, CPU, checkHello, helloOf, LAYOUT_TAGS } from "./hello.js";
import { createPatience, HOST_CLOCK, type Patience } from "./patience.js";
import { asSent, select } from "./select.js";
import { sendParts, totalOf } from "./send.js";
import type { TensorStore } from "./store.js";

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

type Request = Extract<Message, { kind: "tensorRequest" }>;

/** What goes on on one stream. */
interface Work {
  /** Takes a message that belongs to it; absent where none does. */
  readonly take?: (placed: Placed) => void;
  /** Ends it; the client is told unless it knows. */
  stop(reason: unknown, isTold?: boolean): void;
}

const REQUESTS = 64;
const MAXIMUM_BYTES = 2 ** 31 - 1;
const MAXIMUM_TRANSCODE = 256 * 1024 * 1024;
const IDLE_TIMEOUT = 300_000;
const ALLOW_TRANSCODE = 1;
/** Puts whose rest is passed over because they were refused. */
const REFUSED_PUTS = 1024;

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
export async function serve(channel: Channel, store: TensorStore, options: ServeOptions = {}): Promise<void> {
  const { timeout = 30_000, clock = HOST_CLOCK, idleTimeout = IDLE_TIMEOUT } = options;
  const { maximumRequests = REQUESTS, maximumBytes = MAXIMUM_BYTES } = options;
  const { maximumTranscodeBytes = MAXIMUM_TRANSCODE } = options;
  const connection = openConnection(channel, { ...options, from: "client", idleTimeout, operation: () => "serve" });
  const gate = createGate(1);
  const works = new Map<number, Work>();
  const running = new Set<Promise<void>>();
  const refusedPuts = new Set<number>();
  let client: Hello | undefined;
  let held = 0;

  /** What a client is told of an error of the store. */
  const refusalOf = (error: unknown, key: string): unknown => {
    if (error instanceof Refusal) return error;
    if (error instanceof HurrayLookupError) return new Refusal(ERROR_CODES.unknownTensor, `there is no ${quote(key)}`);
    options.onError?.(error, key);
    const text = error instanceof HurrayUnsupportedError ? error.message : `${quote(key)} cannot be had`;
    return new Refusal(ERROR_CODES.failed, text, error);
  };

  /** Does what a stream is for, for as long as the client wants it and it goes on. */
  const start = (
    streamId: number,
    key: string,
    task: (signal: AbortSignal, patience: Patience) => Promise<void>,
  ): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    let isTold = false;
    const patience = createPatience(clock, timeout, (waited) =>
      controller.abort(new Refusal(ERROR_CODES.failed, "it takes too long", timedOut("serve", waited, streamId))),
    );
    const work: Work = {
      stop: (reason, told = false) => {
        isTold = told;
        controller.abort(reason);
      },
    };
    works.set(streamId, work);
    patience.restart();
    const run = async (): Promise<void> => {
      try {
        await abortable(task(signal, patience), signal);
      } catch (error) {
        if (isTold || connection.signal.aborted) return;
        const reason = error instanceof HurrayFormatError && signal.aborted ? error : refusalOf(error, key);
        await connection.refuse(streamId, reason).catch(() => {});
      } finally {
        patience.stop();
        if (works.get(streamId) === work) works.delete(streamId);
      }
    };
    const promise = run().finally(() => running.delete(promise));
    running.add(promise);
    return promise;
  };

  const answer = (request: Request): void => {
    const { streamId, tensorKey: key, preferredLayouts, preferredDevice, minAlignment, requestFlags } = request;
    const { maxMessageSize, layouts: accepted, memoryClasses = [] } = client!;
    const mayTranscode = (requestFlags & ALLOW_TRANSCODE) !== 0;
    void start(streamId, key, async (signal, patience) => {
      if (preferredDevice !== CPU) {
        throw new Refusal(ERROR_CODES.deviceUnavailable, `device ${preferredDevice} is not reached from here`);
      }
      const found = await store.find(key, { signal });
      signal.throwIfAborted();
      patience.restart();
      if (found === undefined) throw new Refusal(ERROR_CODES.unknownTensor, `there is no ${quote(key)}`);
      const { item, release } = await select(found, {
        preferred: preferredLayouts,
        accepted,
        maximumBytes: mayTranscode ? maximumTranscodeBytes : 0,
        gate,
        signal,
      });
      try {
        const parts = partsOf(asSent(item, minAlignment, memoryClasses), `serve ${quote(key)}`, options);
        if (parts.some(({ encoded }) => encoded.byteLength + 16 > maxMessageSize)) {
          throw new Refusal(ERROR_CODES.messageTooLarge, "its descriptor is larger than the client takes");
        }
        const open = (part: (typeof parts)[number]): Message => ({
          kind: "tensorDescriptor",
          streamId,
          descriptor: part.encoded,
          totalDataBytes: totalOf(part),
          shardIndex: 0,
          totalShards: 1,
        });
        await sendParts(parts, streamId, maxMessageSize, open, async (bytes) => {
          await connection.send(bytes);
          signal.throwIfAborted();
          patience.restart();
        });
      } finally {
        release();
      }
    });
  };

  /** Closes a stream on which a client puts something that is not taken; what it still sends there is passed over. */
  const refusePut = async (streamId: number, error: unknown): Promise<void> => {
    refusedPuts.add(streamId);
    if (refusedPuts.size > REFUSED_PUTS) {
      const advice = "The client does not heed what it is told.";
      throw new HurrayLimitError("serve", "refused puts", BigInt(refusedPuts.size), `${REFUSED_PUTS}`, advice);
    }
    await connection.refuse(streamId, error);
  };

  /** Takes what a client puts on a stream. */
  const receive = (streamId: number): Work => {
    let mine = 0;
    const let_go = (): void => {
      held -= mine;
      mine = 0;
    };
    const assemble = (descriptor: Descriptor): Assembly => {
      if (store.put === undefined) throw new Refusal(ERROR_CODES.failed, "nothing can be put here");
      const device = descriptor.buffers[0]?.deviceTag ?? CPU;
      if (device !== CPU) {
        throw new Refusal(ERROR_CODES.deviceUnavailable, `device ${device} is not reached from here`);
      }
      const sizes = sizesOf(descriptor);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      mine += total;
      held += total;
      if (held > maximumBytes)
        throw new Refusal(ERROR_CODES.limit, `more than ${maximumBytes} bytes are put at a time`);
      return createAssembly(sizes, "serve");
    };
    const intake = createIntake({ ...options, operation: "serve", assemble });
    const work: Work = {
      take: (placed) => {
        patience.restart();
        const item = intake.take(placed);
        if (item === undefined) return;
        const key = intake.tensorKey!;
        patience.stop();
        void start(streamId, key, async (signal) => {
          await store.put!(key, item, { signal });
          await connection.send({ kind: "tensorPutAck", streamId });
        }).finally(let_go);
      },
      stop: (reason, isTold = false) => {
        patience.stop();
        let_go();
        works.delete(streamId);
        if (!isTold) refusePut(streamId, reason).catch((error) => connection.end(error));
      },
    };
    const patience = createPatience(clock, timeout, (waited) =>
      work.stop(new Refusal(ERROR_CODES.failed, "it takes too long", timedOut("serve", waited, streamId))),
    );
    works.set(streamId, work);
    return work;
  };

  const take = async (incoming: Incoming): Promise<void> => {
    const { streamId, refusal } = incoming;
    const work = works.get(streamId);
    if (refusal !== undefined) {
      if (work !== undefined) work.stop(refusal);
      else if (!refusedPuts.has(streamId)) await connection.refuse(streamId, refusal);
      return;
    }
    const { message, start: at } = incoming;
    const refuse = (problem: string, expected: string): HurrayFormatError =>
      new HurrayFormatError("serve", "R164", "message_type", at, problem, message.kind, expected);
    switch (message.kind) {
      case "clientHello":
        if (client !== undefined) {
          if (work !== undefined) work.stop(refuse("hello is said once", "anything else"));
          else await connection.refuse(streamId, refuse("hello is said once", "anything else"));
          return;
        }
        checkHello(message, at, "serve");
        client = message;
        await connection.answer({
          kind: "serverHello",
          streamId,
          ...helloOf(LAYOUT_TAGS, maximumTranscodeBytes > 0 ? CAN_TRANSCODE : 0n, options.maximumMessageBytes),
        });
        return;
      case "tensorRequest":
        if (work !== undefined) return work.stop(refuse("the stream is in use", "a stream of its own"));
        refusedPuts.delete(streamId);
        if (works.size < maximumRequests) return answer(message);
        return connection.refuse(streamId, new Refusal(ERROR_CODES.limit, `${maximumRequests} requests are under way`));
      case "error":
        return work?.stop(new Refusal(ERROR_CODES.cancelled, "cancelled"), true);
      case "tensorPut":
      case "tensorData":
      case "tensorDataEnd":
        break;
      default:
        // A pong to nothing that was asked.
        return;
    }
    if (refusedPuts.has(streamId)) return;
    if (work !== undefined && work.take === undefined) return work.stop(refuse("the stream is in use", "its answer"));
    if (work === undefined && message.kind !== "tensorPut") {
      return connection.refuse(streamId, refuse("data comes before its descriptor", "a descriptor"));
    }
    if (work === undefined && works.size >= maximumRequests) {
      return refusePut(streamId, new Refusal(ERROR_CODES.limit, `${maximumRequests} requests are under way`));
    }
    const put = work ?? receive(streamId);
    try {
      put.take!(incoming);
    } catch (error) {
      put.stop(error);
    }
  };

  connection.signal.addEventListener("abort", () => {
    for (const work of works.values()) work.stop(connection.signal.reason, true);
  });
  try {
    for await (const incoming of connection.messages()) await take(incoming);
    // A client that has said everything may still be listening.
    for (const work of [...works.values()]) if (work.take !== undefined) work.stop(undefined, true);
    await Promise.all(running);
  } catch (error) {
    await connection.end(error);
    throw error;
  }
  await connection.end(undefined);
}
