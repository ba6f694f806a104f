/** The codes of the errors that `@sw/buffer` throws; a code never changes its meaning within a major version. @since 0.1.0 */
export type BufferErrorCode =
  | "SW_BUFFER_STALE"
  | "SW_BUFFER_READ_ONLY"
  | "SW_BUFFER_RELEASED"
  | "SW_BUFFER_DETACHED"
  | "SW_BUFFER_DISPOSED"
  | "SW_BUFFER_RECLAIM"
  | "SW_BUFFER_BLOCK"
  | "SW_BUFFER_SIZE"
  | "SW_BUFFER_OPTION"
  | "SW_BUFFER_ALIGNMENT"
  | "SW_BUFFER_OUT_OF_MEMORY"
  | "SW_BUFFER_OVERRUN"
  | "SW_BUFFER_HELD"
  | "SW_BUFFER_ARENA_BUSY"
  | "SW_BUFFER_UNSUPPORTED";

/** How the life of a buffer ended: by `release`, by a reset of its arena, or because its owner was disposed. @since 0.1.0 */
export type BufferEnd = "released" | "reset" | "disposed";

/** What happened to memory whose generation ended so; `undefined` where that is not known. */
function whatEnded(end: BufferEnd | undefined): string {
  if (end === "released") return "its memory was released";
  if (end === undefined) return "its memory was released, or its arena reset";
  return `its arena was ${end}`;
}

/** A use of memory through a handle of an earlier generation: the memory may belong to someone else by now. @since 0.1.0 */
export class StaleBufferError extends Error {
  /** Widened so that packages above can give their stale handles a code of their own. */
  readonly code: string;
  /** What was attempted. */
  readonly operation: string;
  /** The generation the handle was made in. */
  readonly generation: number;
  /** The generation the buffer is in now. */
  readonly present: number;
  /** How the handle's generation ended, where it is known. */
  readonly end: BufferEnd | undefined;
  constructor(operation: string, generation: number, present: number, end?: BufferEnd) {
    super(
      `${operation}: the handle is stale, ${whatEnded(end)}: got generation ${generation}, expected ${present}, the present one. keep(tensor) copies a result out of an arena.`,
    );
    this.name = "StaleBufferError";
    this.code = "SW_BUFFER_STALE";
    this.operation = operation;
    this.generation = generation;
    this.present = present;
    this.end = end;
  }
}

/** A use of a buffer, or of its owner, at a moment when it is not allowed: read-only, held, released, disposed, busy. @since 0.1.0 */
export class BufferStateError extends Error {
  readonly code: BufferErrorCode;
  /** What was attempted. */
  readonly operation: string;
  constructor(code: BufferErrorCode, operation: string, problem: string) {
    super(`${operation}: ${problem}`);
    this.name = "BufferStateError";
    this.code = code;
    this.operation = operation;
  }
}

/** A number of bytes outside its limits. @since 0.1.0 */
export class BufferSizeError extends RangeError {
  readonly code: BufferErrorCode;
  /** What was attempted. */
  readonly operation: string;
  /** The number that was given. */
  readonly requested: number;
  readonly minimum: number;
  readonly maximum: number;
  constructor(
    code: BufferErrorCode,
    operation: string,
    name: string,
    requested: number,
    minimum: number,
    maximum: number,
  ) {
    super(`${operation}: ${name} is out of range: got ${requested}, expected ${minimum} to ${maximum}.`);
    this.name = "BufferSizeError";
    this.code = code;
    this.operation = operation;
    this.requested = requested;
    this.minimum = minimum;
    this.maximum = maximum;
  }
}

/** A window whose address is no multiple of the element size. Only wrapped memory can be so. @since 0.1.0 */
export class BufferAlignmentError extends RangeError {
  readonly code: BufferErrorCode;
  /** Where the buffer starts, in bytes. */
  readonly address: number;
  /** The element size that the address must be a multiple of. */
  readonly alignment: number;
  constructor(operation: string, type: string, address: number, alignment: number) {
    super(
      `${operation}: the buffer is not aligned for ${type}: got byte address ${address}, expected a multiple of ${alignment}. Copy the bytes into a pool buffer.`,
    );
    this.name = "BufferAlignmentError";
    this.code = "SW_BUFFER_ALIGNMENT";
    this.address = address;
    this.alignment = alignment;
  }
}

/** A request that the memory has no room for. @since 0.1.0 */
export class OutOfMemoryError extends RangeError {
  readonly code: BufferErrorCode;
  /** The bytes asked for. */
  readonly requested: number;
  /** The bytes that blocks in use take. */
  readonly inUse: number;
  /** The bytes the memory can grow to; `Infinity` where only the host knows. */
  readonly maximum: number;
  constructor(requested: number, inUse: number, maximum: number, options?: ErrorOptions) {
    super(
      `allocate: the memory is exhausted: got a request of ${requested} bytes with ${inUse} in use, expected at most ${
        maximum === Number.POSITIVE_INFINITY ? "what the host grants" : maximum
      }. Dispose what is not needed, or run each step in an arena.`,
      options,
    );
    this.name = "OutOfMemoryError";
    this.code = "SW_BUFFER_OUT_OF_MEMORY";
    this.requested = requested;
    this.inUse = inUse;
    this.maximum = maximum;
  }
}

/**
 * A write past the end of a buffer, found in checked mode when the buffer came back. The buffer was taken back all
 * the same, and nothing is reported twice.
 * @since 0.1.0
 */
export class BufferOverrunError extends Error {
  readonly code: BufferErrorCode;
  /** What noticed: `release`, `reset` or `dispose`. */
  readonly operation: string;
  /** The bytes that the buffer has. */
  readonly byteLength: number;
  /** The first byte past the end that was found changed, counted from the start of the buffer. */
  readonly position: number;
  /** The stack of the call that made the buffer; "" where the pool does not track sites. */
  readonly site: string;
  /** How many buffers of the arena were overrun; this is the first. */
  readonly count: number;
  constructor(operation: string, byteLength: number, position: number, site: string, count: number = 1) {
    super(
      `${operation}: a write went past the end of a buffer${count > 1 ? ` and of ${count - 1} more` : ""}: got byte ${position} changed, expected writes below ${byteLength}. The buffer was made at\n${site || "    (not tracked)"}`,
    );
    this.name = "BufferOverrunError";
    this.code = "SW_BUFFER_OVERRUN";
    this.operation = operation;
    this.byteLength = byteLength;
    this.position = position;
    this.site = site;
    this.count = count;
  }
}

/** The error of an owner that was disposed. */
export function disposedError(operation: string, owner: string): BufferStateError {
  return new BufferStateError(
    "SW_BUFFER_DISPOSED",
    operation,
    `the ${owner} was disposed: got a later call, expected none. Make a new ${owner}.`,
  );
}

/** The error of a buffer that its owner cannot take back. */
export function reclaimError(state: string): BufferStateError {
  return new BufferStateError(
    "SW_BUFFER_RECLAIM",
    "reclaim",
    `the buffer is not being released: got one that is ${state}, expected one of this owner. Call buffer.release.`,
  );
}

/** The error of a block that a memory does not know. */
export function blockError(operation: string, address: number): BufferStateError {
  return new BufferStateError(
    "SW_BUFFER_BLOCK",
    operation,
    `the block is freed, or not of this memory: got address ${address}, expected a block in use.`,
  );
}

/** The error of a host without memory that threads share. */
export function unsupportedError(operation: string): BufferStateError {
  return new BufferStateError(
    "SW_BUFFER_UNSUPPORTED",
    operation,
    "the host shares no memory: got no SharedArrayBuffer, expected one. Serve the page cross-origin isolated.",
  );
}

/** Tells an exhausted memory from other errors, by its code: the source may be of another copy of the package. */
export function isOutOfMemory(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === "SW_BUFFER_OUT_OF_MEMORY";
}
