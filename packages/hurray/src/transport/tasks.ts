import { abortable } from "../bytes/abortable.js";
import { quote } from "../bytes/quote.js";
import { HurrayFormatError, HurrayLookupError, HurrayUnsupportedError } from "../errors.js";
import type { Placed } from "../messages/read.js";
import type { Connection } from "./connection.js";
import { ERROR_CODES, Refusal } from "./error-codes.js";
import { type Clock, createPatience, type Patience } from "./patience.js";
import { timedOut } from "./peer-errors.js";

/** What a server does on one stream. */
export interface Work {
  /** Takes a message that belongs to it; absent where none does. */
  readonly take?: (placed: Placed) => void;
  /** Ends it; the client is told unless it knows. */
  stop(reason: unknown, isTold?: boolean): void;
}

/** What a server does at the moment, by streams. */
export interface Tasks {
  readonly works: Map<number, Work>;
  /**
   * Begins what a stream is for. It goes on for as long as the client wants it and there is progress, of which
   * `patience` is told; a failure is told to the client. Settles when it has ended, however it did.
   */
  start(streamId: number, key: string, task: (signal: AbortSignal, patience: Patience) => Promise<void>): Promise<void>;
  /** Settles when everything that was begun has ended. */
  settle(): Promise<void>;
}

/** How tasks are watched. */
interface TaskOptions {
  readonly timeout: number;
  readonly clock: Clock;
  readonly onError?: (error: unknown, key: string) => void;
}

/** Makes the tasks of a connection. */
export function createTasks(connection: Connection, options: TaskOptions): Tasks {
  const { timeout, clock, onError } = options;
  const works = new Map<number, Work>();
  const running = new Set<Promise<void>>();
  return {
    works,
    start: (streamId, key, task) => {
      const controller = new AbortController();
      const { signal } = controller;
      const patience = createPatience(clock, timeout, (waited) => controller.abort(tooLong(waited, streamId)));
      let isKnown = false;
      const work: Work = {
        stop: (reason, isTold = false) => {
          isKnown = isTold;
          controller.abort(reason);
        },
      };
      const run = async (): Promise<void> => {
        patience.restart();
        try {
          await abortable(task(signal, patience), signal);
        } catch (error) {
          if (isKnown || connection.signal.aborted) return;
          // A rule that the client broke ends the task by its signal; any other error is the store's.
          const isTheirs = signal.aborted && error instanceof HurrayFormatError;
          await connection.refuse(streamId, isTheirs ? error : refusalOf(error, key, onError)).catch(() => {});
        } finally {
          patience.stop();
          if (works.get(streamId) === work) works.delete(streamId);
        }
      };
      works.set(streamId, work);
      const promise = run().finally(() => running.delete(promise));
      running.add(promise);
      return promise;
    },
    settle: async () => {
      await Promise.all(running);
    },
  };
}

/** What a client is told when its stream makes no progress. */
export function tooLong(waited: number, streamId: number): Refusal {
  return new Refusal(ERROR_CODES.failed, "it takes too long", timedOut("serve", waited, streamId));
}

/** What a client is told of an error of the store; the error itself is for the server. */
function refusalOf(error: unknown, key: string, onError: TaskOptions["onError"]): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof HurrayLookupError) return new Refusal(ERROR_CODES.unknownTensor, `there is no ${quote(key)}`);
  onError?.(error, key);
  const text = error instanceof HurrayUnsupportedError ? error.message : `${quote(key)} cannot be had`;
  return new Refusal(ERROR_CODES.failed, text, error);
}
