import { DATA_HEADER_LENGTH, encodeMessage, MESSAGE_HEADER_LENGTH } from "../messages/codec.js";
import { sizesOf } from "../messages/intake.js";
import type { Message } from "../messages/types.js";
import type { Part } from "../stream/parts.js";

const TENSOR_DATA = 5;

/** Data in one message, where the peer takes as much: enough that messages cost nothing, and streams still take turns. */
const FRAME = 256 * 1024;

/** The messages of an item, each sent when the one before is. */
export async function sendParts(
  parts: readonly Part[],
  streamId: number,
  maxMessageSize: number,
  open: (part: Part) => Message,
  send: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const frame = Math.min(FRAME, maxMessageSize - 8);
  for (const part of parts) {
    await send(encodeMessage(open(part)));
    for await (const bytes of dataMessages(part, streamId, frame)) await send(bytes);
    await send(encodeMessage({ kind: "tensorDataEnd", streamId }));
  }
}

/** The bytes that a part announces. */
export function totalOf({ descriptor }: Part): bigint {
  return descriptor.buffers.reduce((sum, { byteSize }) => sum + byteSize, 0n);
}

/** The data of a part: its buffers one after the other, in messages that are full but for the last (A21). */
async function* dataMessages(part: Part, streamId: number, frame: number): AsyncGenerator<Uint8Array, void, void> {
  const total = sizesOf(part.descriptor).reduce((sum, size) => sum + size, 0);
  let offset = 0;
  let message = new Uint8Array(0);
  let filled = 0;
  for await (const piece of part.pieces()) {
    for (let at = 0; at < piece.byteLength; ) {
      if (filled === 0) {
        message = startData(streamId, offset, Math.min(frame, total - offset));
        filled = DATA_HEADER_LENGTH;
      }
      const bytes = piece.subarray(at, at + message.byteLength - filled);
      message.set(bytes, filled);
      filled += bytes.byteLength;
      at += bytes.byteLength;
      if (filled < message.byteLength) continue;
      yield message;
      offset += filled - DATA_HEADER_LENGTH;
      filled = 0;
    }
  }
}

/** A data message whose data is still to be filled in. */
function startData(streamId: number, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(DATA_HEADER_LENGTH + length);
  const view = new DataView(message.buffer);
  view.setUint32(0, TENSOR_DATA, true);
  view.setUint32(4, streamId, true);
  view.setUint32(8, 8 + length, true);
  view.setBigUint64(MESSAGE_HEADER_LENGTH, BigInt(offset), true);
  return message;
}
