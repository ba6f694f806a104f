import type { Descriptor } from "../descriptor/types.js";
import { HurrayLimitError } from "../errors.js";
import { type Assembly, createAssembly } from "../messages/assembly.js";
import { createIntake, sizesOf } from "../messages/intake.js";
import type { Receive } from "../stream/read.js";
import { type Connection, isProgress } from "./connection.js";
import { ERROR_CODES, Refusal } from "./error-codes.js";
import { CPU } from "./hello.js";
import { type Clock, createPatience } from "./patience.js";
import type { TensorStore } from "./store.js";
import { type Tasks, tooLong, type Work } from "./tasks.js";

/** What clients put. */
export interface Puts {
  /** Begins to take what is put on a stream. */
  receive(streamId: number): Work;
  /** Closes a stream on which nothing is taken; what is still sent there is passed over. */
  refuse(streamId: number, error: unknown): Promise<void>;
  /** The streams of puts that were refused. */
  readonly refused: Set<number>;
}

/** How puts are taken. */
interface PutsOptions extends Receive {
  readonly timeout: number;
  readonly clock: Clock;
  /** Bytes of everything that is being put. */
  readonly maximumBytes: number;
}

/** Refused puts that are remembered. */
const REFUSED = 1024;

/** Makes the puts of a connection. */
export function createPuts(connection: Connection, store: TensorStore, tasks: Tasks, options: PutsOptions): Puts {
  const { timeout, clock, maximumBytes } = options;
  const refused = new Set<number>();
  let held = 0;

  const refuse = async (streamId: number, error: unknown): Promise<void> => {
    refused.add(streamId);
    if (refused.size > REFUSED) {
      const advice = "The client does not heed what it is told.";
      throw new HurrayLimitError("serve", "refused puts", BigInt(refused.size), `at most ${REFUSED}`, advice);
    }
    await connection.refuse(streamId, error);
  };

  const receive = (streamId: number): Work => {
    let mine = 0;
    const release = (): void => {
      held -= mine;
      mine = 0;
    };
    /** Refuses what cannot be taken before its data comes. */
    const assemble = (descriptor: Descriptor): Assembly => {
      if (store.put === undefined) throw new Refusal(ERROR_CODES.failed, "nothing can be put here");
      const device = descriptor.buffers[0]?.deviceTag ?? CPU;
      if (device !== CPU) {
        throw new Refusal(ERROR_CODES.deviceUnavailable, `device ${device} is not reached from here`);
      }
      const sizes = sizesOf(descriptor);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      if (held + total > maximumBytes) {
        throw new Refusal(ERROR_CODES.limit, `more than ${maximumBytes} bytes would be put at a time`);
      }
      mine += total;
      held += total;
      return createAssembly(sizes, "serve");
    };
    const intake = createIntake({ ...options, operation: "serve", assemble });
    const patience = createPatience(clock, timeout, (waited) => work.stop(tooLong(waited, streamId)));
    const work: Work = {
      take: (placed) => {
        if (isProgress(placed.message)) patience.restart();
        const item = intake.take(placed);
        if (item === undefined) return;
        patience.stop();
        const key = intake.tensorKey!;
        void tasks
          .start(streamId, key, async (signal) => {
            await store.put!(key, item, { signal });
            await connection.send({ kind: "tensorPutAck", streamId });
          })
          .finally(release);
      },
      stop: (reason, isTold = false) => {
        patience.stop();
        release();
        tasks.works.delete(streamId);
        if (!isTold) refuse(streamId, reason).catch((error) => connection.end(error));
      },
    };
    tasks.works.set(streamId, work);
    return work;
  };

  return { receive, refuse, refused };
}
