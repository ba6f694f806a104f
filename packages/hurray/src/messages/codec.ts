import { ByteReader } from "../bytes/reader.js";
import { ByteWriter } from "../bytes/writer.js";
import { HurrayValueError } from "../errors.js";
import { countOption } from "../number-option.js";
import { PAYLOADS } from "./payloads.js";
import { MESSAGE_KINDS, type Message, type MessageContent } from "./types.js";

/** Bytes of the header of a message. */
export const MESSAGE_HEADER_LENGTH = 12;

/** Bytes of a message of data before its data. */
export const DATA_HEADER_LENGTH: number = MESSAGE_HEADER_LENGTH + 8;

/** How a message is read. @since 0.1.0 */
export interface MessageOptions {
  /** What begins the messages of errors; `decodeMessage` when absent. */
  readonly operation?: string;
  /** Added to the byte offsets of errors: where the message starts in its stream. */
  readonly base?: number;
  /** Bytes of a payload; 16 MiB when absent. */
  readonly maximumMessageBytes?: number;
}

/** Bytes of a payload that are taken, unless told otherwise. */
export const MAXIMUM_MESSAGE: number = 16 * 1024 * 1024;

/** The header of a message. */
export interface MessageHeader {
  readonly kind: Message["kind"];
  readonly streamId: number;
  readonly payloadLength: number;
}

/** Reads the header, and refuses what is not to be read on from: R155, R156, R159, and last R158, which can be passed over. */
export function readMessageHeader(bytes: Uint8Array, options: MessageOptions): MessageHeader {
  const { operation = "decodeMessage", base = 0 } = options;
  const field = "maximumMessageBytes";
  const maximumMessageBytes = countOption(operation, field, options[field], 0, MAXIMUM_MESSAGE);
  const reader: ByteReader = new ByteReader(bytes, operation, "R155", base);
  const type = reader.u32("message_type");
  const streamId = reader.u32("stream_id");
  reader.within("R159", streamId, 1);
  const payloadLength = reader.u32("payload_length");
  if (payloadLength > maximumMessageBytes) reader.refuse("R156", payloadLength, `at most ${maximumMessageBytes}`);
  const kind = MESSAGE_KINDS[type - 1];
  if (kind === undefined) {
    const problem = "message_type is not allowed";
    reader.failAt(0, "R158", "message_type", type, `1 to ${MESSAGE_KINDS.length}`, problem);
  }
  return { kind, streamId, payloadLength };
}

/**
 * Reads the message that the bytes begin with. Bytes in it are windows of the input, not copies; bytes after it
 * are not looked at. Of a descriptor only the length is judged.
 *
 * @throws HurrayFormatError `SW_HURRAY_STREAM_INVALID` (R156, R158, R159, R161 to R163, R167), `SW_HURRAY_VERSION` (R161),
 * `SW_HURRAY_TRUNCATED` when the bytes end within the message, and R2 to R5 for what begins no descriptor.
 * @example
 * ```ts
 * import { decodeMessage, encodeMessage } from "@sw/hurray/messages";
 *
 * const bytes = encodeMessage({ kind: "error", streamId: 7, errorCode: 2, message: "unknown tensor" });
 * console.log(decodeMessage(bytes).kind, bytes.length); // error 34
 * ```
 * @since 0.1.0
 */
export function decodeMessage(bytes: Uint8Array, options: MessageOptions = {}): Message {
  const { operation = "decodeMessage", base = 0 } = options;
  const { kind, streamId, payloadLength } = readMessageHeader(bytes, options);
  const reader = new ByteReader(bytes, operation, "R155", base);
  reader.position = MESSAGE_HEADER_LENGTH;
  reader.need(payloadLength, "payload");
  reader.overrun = "R163";
  reader.end = MESSAGE_HEADER_LENGTH + payloadLength;
  const fields = PAYLOADS[kind].read(reader);
  if (reader.remaining > 0) {
    const problem = `the payload of ${kind} goes on after its fields`;
    reader.failAt(reader.position, "R163", "payload_length", `${reader.remaining} bytes`, "none", problem);
  }
  return { kind, streamId, ...fields } as Message;
}

/**
 * Writes a message. What is written is read back, so that no message leaves which a peer refuses.
 *
 * @throws HurrayFormatError when the message breaks a rule, as `decodeMessage`.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a number that its field cannot hold, or no known kind.
 * @throws TypeError for values of the wrong type.
 * @since 0.1.0
 */
export function encodeMessage(message: Message): Uint8Array {
  const operation = "encodeMessage";
  const type = MESSAGE_KINDS.indexOf(message.kind) + 1;
  if (type === 0) {
    throw new HurrayValueError(operation, "kind", "this is no message", message.kind, MESSAGE_KINDS.join(", "));
  }
  const writer = new ByteWriter(operation);
  writer.u32(type, "message_type");
  writer.u32(message.streamId, "stream_id");
  writer.zeros(4); // payload_length, known at the end
  // The payload of a kind writes the content of that kind; the compiler cannot follow the correlation.
  (PAYLOADS[message.kind].write as (writer: ByteWriter, content: MessageContent) => void)(writer, message);
  writer.view.setUint32(8, writer.position - MESSAGE_HEADER_LENGTH, true);
  const bytes = writer.done().slice();
  decodeMessage(bytes, { operation, maximumMessageBytes: 0xffffffff });
  return bytes;
}
