import type { Descriptor } from "../descriptor/types.js";
import { HurrayFormatError } from "../errors.js";
import { type FileHeader, TRAILER_LENGTH } from "./frame.js";
import type { IndexEntry } from "./index-section.js";

/** A tensor of a file: what describes it, and where its bytes are. @since 0.1.0 */
export interface Located {
  readonly name: string;
  readonly descriptor: Descriptor;
  /** Where each of its buffers starts in the file; all of them lie within its body. */
  readonly starts: readonly number[];
}

/**
 * Finds where each buffer of a tensor starts. Afterwards all of them lie in the body of the file,
 * and index and descriptor agree about how far they reach (R144).
 *
 * @throws HurrayFormatError R144 otherwise.
 */
export function bufferStarts(
  entry: IndexEntry,
  descriptor: Descriptor,
  operation: string,
  header: FileHeader,
  fileSize: number,
): number[] {
  const alignment = BigInt(header.dataBufferAlignment);
  const bodyEnd = BigInt(fileSize - TRAILER_LENGTH);
  const descriptorAt = Number(entry.descriptorOffset);
  const refuse = (problem: string, given: unknown, expected: string): never => {
    throw new HurrayFormatError(operation, "R144", "data_offset", descriptorAt, problem, given, expected);
  };
  // Without buffers, as for the head of a composite, the offset means nothing (A19).
  if (descriptor.buffers.length > 0 && entry.dataOffset % alignment !== 0n) {
    refuse("data_offset is not allowed", entry.dataOffset, `a multiple of ${alignment}`);
  }
  const starts: number[] = [];
  let position = entry.dataOffset;
  let lastByte = position;
  for (const { byteSize } of descriptor.buffers) {
    position = ((position + alignment - 1n) / alignment) * alignment;
    if (position < 64n || position + byteSize > bodyEnd) {
      refuse("a buffer lies outside the body", `${position} to ${position + byteSize}`, `64 to ${bodyEnd}`);
    }
    starts.push(Number(position));
    position += byteSize;
    if (byteSize > 0n) lastByte = position;
  }
  const dataEnd = entry.dataOffset + entry.dataLength;
  // The text leaves open whether an empty last buffer, aligned like any, counts.
  if (dataEnd < lastByte || dataEnd > position) {
    const expected = `${lastByte - entry.dataOffset}`;
    refuse("index and descriptor differ", `${entry.dataLength} bytes`, expected);
  }
  return starts;
}
