import type { ByteInput } from "../bytes/feed.js";
import { type Binder, createBinder } from "../composite/bind.js";
import { decodeDescriptor } from "../descriptor/descriptor.js";
import { HurrayFormatError, type Rule } from "../errors.js";
import type { StoredItem } from "../stored.js";
import { checkBufferSizes, type ReceiveOptions } from "../stream/read.js";
import { type Assembly, createAssembly } from "./assembly.js";
import { type Placed, placedMessages } from "./read.js";
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

/** What each side may begin with, and what only the other side sends. */
const SIDES: {
  readonly [from: string]: { readonly first: readonly MessageKind[]; readonly never: readonly MessageKind[] };
} = {
  server: { first: ["serverHello", "error"], never: ["clientHello", "tensorRequest", "tensorPut"] },
  client: { first: ["clientHello"], never: ["serverHello", "tensorDescriptor", "tensorPutAck"] },
};

/** A tensor whose data is on its way. */
interface Transfer {
  readonly total: bigint;
  readonly assembly: Assembly;
  received: bigint;
}

/** What is known of one stream of the connection. */
interface Stream {
  readonly binder: Binder;
  tensorKey: string | undefined;
  transfer: Transfer | undefined;
}

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
  const receive = { ...options, operation };
  const { first, never } = SIDES[options.from]!;
  const streams = new Map<number, Stream>();
  let greeted = options.greeted ?? false;
  let end = options.base ?? 0;
  for await (const placed of placedMessages(input, receive)) {
    const { message } = placed;
    const { kind, streamId } = message;
    const refuse = refuserOf(operation, placed);
    if (!greeted && !first.includes(kind)) {
      refuse("R160", "message_type", "the connection begins with another message", kind, first.join(" or "));
    }
    if (never.includes(kind)) {
      refuse("R158", "message_type", `a ${options.from} sends no such message`, kind, `a message of a ${options.from}`);
    }
    greeted = true;
    end = placed.end;
    const stream = streams.get(streamId) ?? {
      binder: createBinder(receive),
      tensorKey: undefined,
      transfer: undefined,
    };
    switch (kind) {
      case "tensorDescriptor":
      case "tensorPut":
        streams.set(streamId, stream);
        begin(stream, message, placed.end, receive, refuse);
        break;
      case "tensorData":
        append(stream, message, refuse);
        break;
      case "tensorDataEnd": {
        const item = finish(stream, refuse);
        if (item === undefined) break;
        streams.delete(streamId);
        yield { streamId, tensorKey: stream.tensorKey, item };
        break;
      }
      default:
        if (kind === "error") streams.delete(streamId);
        options.onMessage?.(message);
    }
  }
  for (const { binder, transfer } of streams.values()) {
    if (transfer !== undefined) {
      const given = `${transfer.received} bytes`;
      throw new HurrayFormatError(
        operation,
        "R155",
        "data",
        end,
        "the input ends within a tensor",
        given,
        `${transfer.total}`,
      );
    }
    binder.end(end);
  }
}

type Refuse = (rule: Rule, field: string, problem: string, given: unknown, expected: string) => never;

function refuserOf(operation: string, { start }: Placed): Refuse {
  return (rule, field, problem, given, expected) => {
    throw new HurrayFormatError(operation, rule, field, start, problem, given, expected);
  };
}

/** Takes the descriptor of the next tensor of a stream, and checks what can be checked before data comes. */
function begin(
  stream: Stream,
  message: Extract<Message, { kind: "tensorDescriptor" | "tensorPut" }>,
  end: number,
  options: ReceiveItemsOptions & { readonly operation: string },
  refuse: Refuse,
): void {
  const { operation } = options;
  if (stream.transfer !== undefined) {
    refuse("R164", "message_type", "a tensor begins within another one", message.kind, "its data or its end");
  }
  const { maximumDescriptorBytes = Number.POSITIVE_INFINITY } = options;
  if (message.descriptor.byteLength > maximumDescriptorBytes) {
    const given = message.descriptor.byteLength;
    refuse(
      "R156",
      "descriptor_length",
      "the descriptor is larger than is accepted",
      given,
      `at most ${maximumDescriptorBytes}`,
    );
  }
  // What follows the descriptor in its message has a fixed length.
  const start = end - (message.kind === "tensorPut" ? 8 : 16) - message.descriptor.byteLength;
  const descriptor = decodeDescriptor(message.descriptor, { ...options, base: start });
  checkBufferSizes(descriptor, options, start);
  let total = 0n;
  for (const { byteSize, syncMode } of descriptor.buffers) {
    total += byteSize;
    if (syncMode !== 0) refuse("R157", "sync_mode", "a buffer is synchronised by its sender alone", syncMode, "0");
  }
  if (message.totalDataBytes !== total) {
    const problem = "the message and the descriptor differ about the data";
    refuse("R165", "total_data_bytes", problem, message.totalDataBytes, `${total}`);
  }
  // Members of a composite go by the key of its head.
  if (message.kind === "tensorPut" && stream.binder.open === 0) stream.tensorKey = message.tensorKey;
  stream.binder.begin(descriptor, start);
  const sizes = descriptor.buffers.map(({ byteSize }) => Number(byteSize));
  stream.transfer = { total, assembly: createAssembly(sizes, operation), received: 0n };
}

/** Takes data of the tensor under way. */
function append(stream: Stream, message: Extract<Message, { kind: "tensorData" }>, refuse: Refuse): void {
  const { transfer } = stream;
  const { byteOffsetInBuffer, data } = message;
  if (transfer === undefined)
    refuse("R164", "message_type", "data comes before its descriptor", "tensorData", "a descriptor");
  if (byteOffsetInBuffer !== transfer.received) {
    refuse(
      "R164",
      "byte_offset_in_buffer",
      "data leaves a gap or overlaps",
      byteOffsetInBuffer,
      `${transfer.received}`,
    );
  }
  transfer.received += BigInt(data.byteLength);
  if (transfer.received > transfer.total) {
    refuse("R165", "data", "there is more data than was announced", `${transfer.received} bytes`, `${transfer.total}`);
  }
  transfer.assembly.append(data);
}

/** Takes the end of the tensor under way; gives the item that is whole now, if one is. */
function finish(stream: Stream, refuse: Refuse): StoredItem | undefined {
  const { transfer } = stream;
  if (transfer === undefined)
    refuse("R164", "message_type", "data ends before its descriptor", "tensorDataEnd", "a descriptor");
  if (transfer.received !== transfer.total) {
    refuse("R165", "total_data_bytes", "data is missing", `${transfer.received} bytes`, `${transfer.total}`);
  }
  stream.transfer = undefined;
  return stream.binder.finish(transfer.assembly.buffers());
}
