import { quote } from "../bytes/quote.js";
import type { Hello, Message } from "../messages/types.js";
import { type Part, partsOf, type SendOptions } from "../stream/parts.js";
import type { Connection } from "./connection.js";
import { ERROR_CODES, Refusal } from "./error-codes.js";
import { createGate } from "./gate.js";
import { CPU } from "./hello.js";
import type { Patience } from "./patience.js";
import { asSent, select } from "./select.js";
import { sendParts, totalOf } from "./send.js";
import type { TensorStore } from "./store.js";

type Request = Extract<Message, { kind: "tensorRequest" }>;

const ALLOW_TRANSCODE = 1;

/** What answers are made with. */
interface AnswerOptions extends SendOptions {
  /** Bytes that a tensor may take in another layout than it is stored in. */
  readonly maximumTranscodeBytes: number;
}

/** Answers requests: finds an item, chooses its layout, sends it as the client takes it. */
export function createAnswerer(
  connection: Connection,
  store: TensorStore,
  options: AnswerOptions,
): (client: Hello, request: Request, signal: AbortSignal, patience: Patience) => Promise<void> {
  // The memory for one tensor in another layout is all that a connection takes.
  const gate = createGate(1);
  return async (client, request, signal, patience) => {
    const { streamId, tensorKey: key, preferredLayouts, preferredDevice, minAlignment, requestFlags } = request;
    const { maxMessageSize, memoryClasses = [] } = client;
    if (preferredDevice !== CPU) {
      throw new Refusal(ERROR_CODES.deviceUnavailable, `device ${preferredDevice} is not reached from here`);
    }
    const found = await store.find(key, { signal });
    signal.throwIfAborted();
    patience.restart();
    if (found === undefined) throw new Refusal(ERROR_CODES.unknownTensor, `there is no ${quote(key)}`);
    const { item, release } = await select(found, {
      preferred: preferredLayouts,
      accepted: client.layouts,
      maximumBytes: (requestFlags & ALLOW_TRANSCODE) === 0 ? 0 : options.maximumTranscodeBytes,
      gate,
      signal,
    });
    try {
      const parts = partsOf(asSent(item, minAlignment, memoryClasses), `serve ${quote(key)}`, options);
      if (parts.some(({ encoded }) => encoded.byteLength + 16 > maxMessageSize)) {
        throw new Refusal(ERROR_CODES.messageTooLarge, "its descriptor is larger than the client takes");
      }
      const open = (part: Part): Message => ({
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
  };
}
