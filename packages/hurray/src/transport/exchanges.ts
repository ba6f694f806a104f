import { abortable } from "../bytes/abortable.js";
import { HurrayFormatError, HurrayPeerError } from "../errors.js";
import type { Placed } from "../messages/read.js";
import type { Channel } from "./channel.js";
import {
  type Connection,
  type ConnectionOptions,
  type Incoming,
  isProgress,
  openConnection,
  TIMEOUT,
} from "./connection.js";
import { ERROR_CODES, Refusal } from "./error-codes.js";
import { createPatience, HOST_CLOCK } from "./patience.js";
import { disconnected, refused, timedOut } from "./peer-errors.js";

/** How a client asks for something, on a stream of its own. */
export interface Plan<T> {
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
  /** Sends what begins it, by a `send` that the end of the exchange cuts off. */
  begin(streamId: number, send: Connection["send"]): Promise<void>;
  /** Takes a message; gives what is waited for once it is there. */
  take(placed: Placed): T | undefined;
}

/** The side of a connection that asks. */
export interface Exchanges {
  readonly connection: Connection;
  /** Asks for something. Rejected by errors of the peer and of what it sends, by time, by the signal, and by the end. */
  exchange<T>(plan: Plan<T>): Promise<T>;
  /** Refuses what is asked for after the end, or after its signal. */
  checkOpen(operation: string, signal: AbortSignal | undefined): void;
}

/** What waits for messages of one stream. */
interface Exchange {
  readonly operation: string;
  take(placed: Placed): void;
  fail(error: unknown, isTold?: boolean): void;
}

/** Opens a connection to a server, and follows it to its end. */
export function openExchanges(channel: Channel, options: ConnectionOptions): Exchanges {
  const { timeout = TIMEOUT, clock = HOST_CLOCK } = options;
  const exchanges = new Map<number, Exchange>();
  let lastId = 0;
  const connection = openConnection(channel, {
    ...options,
    from: "server",
    idleTimeout: Number.POSITIVE_INFINITY,
    operation: (streamId) => exchanges.get(streamId)?.operation ?? "connect",
  });

  const checkOpen: Exchanges["checkOpen"] = (operation, signal) => {
    signal?.throwIfAborted();
    if (connection.signal.aborted) throw over(operation, connection.signal.reason);
  };

  const exchange = async <T>({ operation, signal, begin, take }: Plan<T>): Promise<T> => {
    checkOpen(operation, signal);
    return new Promise((resolve, reject) => {
      const streamId = ++lastId;
      const sending = new AbortController();
      const patience = createPatience(clock, timeout, (waited) => self.fail(timedOut(operation, waited, streamId)));
      const settle = (): void => {
        patience.stop();
        signal?.removeEventListener("abort", onAbort);
        exchanges.delete(streamId);
        sending.abort();
      };
      const fail = (error: unknown, told: unknown): void => {
        if (!exchanges.has(streamId)) return;
        settle();
        reject(error);
        if (told !== undefined) connection.refuse(streamId, told).catch(() => {});
      };
      const onAbort = (): void => fail(signal?.reason, new Refusal(ERROR_CODES.cancelled, "cancelled"));
      const self: Exchange = {
        operation,
        fail: (error, isTold = false) => fail(error, isTold ? undefined : error),
        take: (placed) => {
          if (isProgress(placed.message)) patience.restart();
          const result = take(placed);
          if (result === undefined) return;
          settle();
          resolve(result);
        },
      };
      exchanges.set(streamId, self);
      signal?.addEventListener("abort", onAbort);
      patience.restart();
      const send: Connection["send"] = async (message) => {
        sending.signal.throwIfAborted();
        await connection.send(message);
        sending.signal.throwIfAborted();
        patience.restart();
      };
      // Once the exchange has settled its failures mean nothing.
      abortable(begin(streamId, send), sending.signal).catch((error) => self.fail(error));
    });
  };

  /** The last thing that the server complained about; it may be why it leaves. */
  let complaint: HurrayPeerError | undefined;
  const take = async (incoming: Incoming): Promise<void> => {
    const { streamId, refusal } = incoming;
    const open = exchanges.get(streamId);
    if (refusal !== undefined) {
      if (open === undefined) await connection.refuse(streamId, refusal);
      else open.fail(refusal);
      return;
    }
    const { message, start } = incoming;
    if (message.kind === "error") {
      complaint = refused(open?.operation ?? "connect", streamId, message.errorCode, message.message);
      open?.fail(complaint, true);
    } else if (open !== undefined) {
      try {
        open.take(incoming);
      } catch (error) {
        open.fail(error);
      }
    } else if (streamId > lastId) {
      const problem = "the server speaks on a stream that nobody opened";
      throw new HurrayFormatError("connect", "R164", "stream_id", start, problem, streamId, `at most ${lastId}`);
    }
    // What comes after the end of its stream was on its way already.
  };
  const run = async (): Promise<void> => {
    try {
      for await (const incoming of connection.messages()) await take(incoming);
      throw disconnected("connect", complaint);
    } catch (error) {
      await connection.end(error);
    }
  };
  connection.signal.addEventListener("abort", () => {
    for (const open of [...exchanges.values()]) open.fail(over(open.operation, connection.signal.reason), true);
  });
  void run();
  return { connection, exchange, checkOpen };
}

/** What an operation is rejected with when the connection has ended for a reason. */
function over(operation: string, reason: unknown): unknown {
  const isEnd = reason instanceof HurrayPeerError && reason.code === "SW_HURRAY_DISCONNECTED";
  return isEnd ? disconnected(operation, reason) : reason;
}
