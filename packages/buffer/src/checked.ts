import type { DataBuffer } from "./data-buffer.js";
import { BufferOverrunError } from "./errors.js";

// Checked mode: memory that nobody wrote reads as NaN and -1 rather than as something plausible, and a
// write past the end of a buffer is found when the buffer comes back.

/** How many bytes behind a buffer are watched. */
export const CANARY_BYTES = 64;
const CANARY = 0xa5;
const FILL = 0xff;
/** Frames of a creation site; the usual ten would often end inside the packages. */
const FRAMES = 16;

/** Whether the environment asks for checked mode, where there is one. */
export function isCheckedByDefault(): boolean {
  try {
    const { process } = globalThis as { readonly process?: { readonly env?: { readonly [name: string]: unknown } } };
    return process?.env?.["SW_CHECKED"] === "1";
  } catch {
    // A host may refuse to show its environment.
    return false;
  }
}

/** Fills a buffer, and puts the canary behind it. */
export function arm(buffer: DataBuffer): void {
  const end = buffer.address - buffer.block.address + buffer.byteLength;
  buffer.fill(FILL);
  buffer.blockBytes().fill(CANARY, end, end + CANARY_BYTES);
}

/** Finds the first byte past the end of a buffer that was written, or -1. */
export function firstSpoilt(buffer: DataBuffer): number {
  const bytes = buffer.blockBytes();
  const end = buffer.address - buffer.block.address + buffer.byteLength;
  for (let i = 0; i < CANARY_BYTES; i += 1) if (bytes[end + i] !== CANARY) return buffer.byteLength + i;
  return -1;
}

/** Looks at the canary of a buffer that comes back and arms it again, so that a write is reported once. */
export function inspect(buffer: DataBuffer): BufferOverrunError | undefined {
  const position = firstSpoilt(buffer);
  arm(buffer);
  return position < 0 ? undefined : new BufferOverrunError("release", buffer.byteLength, position, buffer.site);
}

/** The stack below the method that calls this. It is read at once: an error that was not printed keeps its receivers alive. */
export function creationSite(): string {
  const before = Reflect.get(Error, "stackTraceLimit");
  Reflect.set(Error, "stackTraceLimit", FRAMES);
  const lines = (new Error().stack ?? "").split("\n");
  Reflect.set(Error, "stackTraceLimit", before);
  // Some hosts begin with the error itself. Two frames are this function's and its caller's.
  return lines.slice(lines[0]!.startsWith("Error") ? 3 : 2).join("\n");
}
