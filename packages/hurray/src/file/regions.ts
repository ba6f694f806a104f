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
  const { dataBufferAlignment: alignment } = header;
  const bodyEnd = fileSize - TRAILER_LENGTH;
  const refuse = (problem: string, given: unknown, expected: string): never => {
    const at = Number(entry.descriptorOffset);
    throw new HurrayFormatError(operation, "R144", "data_offset", at, problem, given, expected);
  };
  // Beyond 2^53 numbers are not exact, and too large for any file all the same.
  const start = Number(entry.dataOffset);
  const dataEnd = start + Number(entry.dataLength);
  // Without buffers, as for the head of a composite, the offset means nothing (A19).
  if (descriptor.buffers.length > 0 && start % alignment > 0) {
    refuse("data_offset is not allowed", entry.dataOffset, `a multiple of ${alignment}`);
  }
  const starts: number[] = [];
  let position = start;
  let lastByte = start;
  for (const { byteSize } of descriptor.buffers) {
    position = Math.ceil(position / alignment) * alignment;
    const end = position + Number(byteSize);
    if (position < 64 || end > bodyEnd) {
      refuse("a buffer lies outside the body", `${position} to ${BigInt(position) + byteSize}`, `64 to ${bodyEnd}`);
    }
    starts.push(position);
    position = end;
    if (byteSize > 0n) lastByte = end;
  }
  // The text leaves open whether an empty last buffer, aligned like any, counts.
  if (dataEnd < lastByte || dataEnd > position) {
    refuse("index and descriptor differ", `${entry.dataLength} bytes`, `${lastByte - start}`);
  }
  return starts;
}
