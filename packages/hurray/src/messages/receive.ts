import type { ByteInput } from "../bytes/feed.js";
import type { StoredItem } from "../stored.js";
import { type ReceiveOptions, receiveLimits } from "../stream/read.js";
import { createIntake, type Intake } from "./intake.js";
import { placedMessages } from "./read.js";
import { checkSide } from "./sides.js";
import type { Message, MessageKind } from "./types.js";

/** How the items of a connection are received. @since 0.1.0 */
export interface ReceiveItemsOptions extends ReceiveOptions {
  /** Who sends: items come in answers of a server, and in what a client puts. */
  readonly from: "server" | "client";
  /** Whether the hello of that side has been received; otherwise it is the first message. */
  readonly greeted?: boolean;
  /** Bytes of a payload; 16 MiB when absent. */
  readonly maximumMessageBytes?: number;
  /** Told every message that brings no part of an item: hellos, requests, errors, pings. */
  readonly onMessage?: (message: Message) => void;
}

/** An item that has arrived whole. @since 0.1.0 */
export interface ReceivedItem {
  readonly streamId: number;
  /** Under which a client puts it; a server's answer goes by its stream. */
  readonly tensorKey: string | undefined;
  readonly item: StoredItem;
}

/** The messages that bring parts of items. */
const TRANSFER: readonly MessageKind[] = ["tensorDescriptor", "tensorPut", "tensorData", "tensorDataEnd"];

/**
 * Receives the items that one side of a connection sends (11.4), by the order of its messages alone: nothing is
 * answered. Streams may interleave; composites come whole and checked. An error closes its stream, whose unfinished
 * item is dropped, and is told to `onMessage`.
 *
 * @throws TypeError for what gives no chunks of bytes.
 * @throws HurrayFormatError when a rule is broken: those of messages, descriptors and composites, R157, R160, R164,
 * R165, and R155 when the bytes end within an item; items complete before it have been given.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when a partition takes too many steps to check, or a buffer more memory than there is.
 * @since 0.1.0
 */
export async function* receiveItems(
  input: ByteInput,
  options: ReceiveItemsOptions,
): AsyncGenerator<ReceivedItem, void, void> {
  const operation = options.operation ?? "receiveItems";
  const receive = { ...options, ...receiveLimits(operation, options) };
  const intakes = new Map<number, Intake>();
  let greeted = options.greeted ?? false;
  let end = options.base ?? 0;
  for await (const placed of placedMessages(input, receive)) {
    const { kind, streamId } = placed.message;
    checkSide(placed, options.from, greeted, operation);
    greeted = true;
    end = placed.end;
    if (TRANSFER.includes(kind)) {
      const intake = intakes.get(streamId) ?? createIntake(receive);
      intakes.set(streamId, intake);
      const item = intake.take(placed);
      if (item === undefined) continue;
      intakes.delete(streamId);
      yield { streamId, tensorKey: intake.tensorKey, item };
    } else {
      if (kind === "error") intakes.delete(streamId);
      options.onMessage?.(placed.message);
    }
  }
  for (const intake of intakes.values()) intake.end(end);
}
