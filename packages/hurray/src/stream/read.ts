import { type ByteFeed, type ByteInput, openFeed } from "../bytes/feed.js";
import { COVER_STEPS, createBinder } from "../composite/bind.js";
import { type DecodeOptions, decodeDescriptor } from "../descriptor/descriptor.js";
import { descriptorLength, PREFIX_LENGTH } from "../descriptor/header.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayFormatError } from "../errors.js";
import { FILE_MAGIC } from "../file/frame.js";
import { countOption } from "../number-option.js";
import type { StoredItem } from "../stored.js";

/** How what arrives is read, and how much of it at most. @since 0.1.0 */
export interface ReceiveOptions extends DecodeOptions {
  /** Bytes of one descriptor; 16 MiB when absent. */
  readonly maximumDescriptorBytes?: number;
  /** Bytes of one buffer; 2⁴⁰ when absent. Memory is only made for bytes that have arrived. */
  readonly maximumBufferBytes?: number;
  /** What it may cost to check that members cover a partition, in corners of their boxes; 2²⁰ when absent. */
  readonly coverSteps?: number;
  readonly signal?: AbortSignal;
}

const MAXIMUM_DESCRIPTOR = 16 * 1024 * 1024;
const MAXIMUM_BUFFER = 2 ** 40;

/**
 * Reads a raw stream (section 10): descriptors and buffers back to back. Tensors come as soon as their last byte
 * has arrived, composites whole and checked, each with memory of its own. Nothing is read before it is asked for,
 * and an input that is left early is let go. The result can be walked once.
 *
 * @throws TypeError for what gives no chunks of bytes; TypeError, HurrayValueError `SW_HURRAY_VALUE` for wrong options.
 * @throws HurrayFormatError when a rule is broken: those of descriptors and composites, R155 when the stream ends
 * within a tensor, R156 beyond a maximum; items complete before it have been given.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when a partition takes too many steps to check, or a buffer more memory than there is.
 * @example
 * ```ts
 * import { store } from "@sw/hurray";
 * import { itemBytes, readItems } from "@sw/hurray/stream";
 * import { tensor } from "@sw/tensor";
 *
 * const bytes = itemBytes([store(tensor([1, 2, 3])), store(tensor([true]))]);
 * for await (const { descriptor } of readItems(bytes)) console.log(descriptor.shape);
 * // [ 3n ]
 * // [ 1n ]
 * ```
 * @since 0.1.0
 */
export function readItems(input: ByteInput, options: ReceiveOptions = {}): AsyncIterable<StoredItem> {
  const operation = options.operation ?? "readItems";
  return receive(openFeed(input, operation, options.signal), { ...options, ...receiveLimits(operation, options) });
}

/** The options that are numbers, checked, and the name of what is done. */
export interface ReceiveLimits {
  readonly operation: string;
  readonly maximumDescriptorBytes: number;
  readonly maximumBufferBytes: number;
  readonly coverSteps: number;
}

/** The same with what it takes. */
export type Receive = ReceiveOptions & ReceiveLimits;

/**
 * What may arrive at most, checked.
 *
 * @throws TypeError, HurrayValueError `SW_HURRAY_VALUE`.
 */
export function receiveLimits(operation: string, options: ReceiveOptions): ReceiveLimits {
  const { maximumDescriptorBytes, maximumBufferBytes, coverSteps } = options;
  return {
    operation,
    maximumDescriptorBytes: countOption(
      operation,
      "maximumDescriptorBytes",
      maximumDescriptorBytes,
      0,
      MAXIMUM_DESCRIPTOR,
    ),
    maximumBufferBytes: countOption(operation, "maximumBufferBytes", maximumBufferBytes, 0, MAXIMUM_BUFFER),
    coverSteps: countOption(operation, "coverSteps", coverSteps, 0, COVER_STEPS),
  };
}

async function* receive(feed: ByteFeed, options: Receive): AsyncGenerator<StoredItem, void, void> {
  const { operation, base = 0 } = options;
  const binder = createBinder(options);
  try {
    while (!(await feed.atEnd())) {
      const start = base + feed.position;
      const descriptor = await receiveDescriptor(feed, options, start);
      checkBufferSizes(descriptor, options, start);
      binder.begin(descriptor, start);
      const item = binder.finish(await receiveBuffers(feed, descriptor, options));
      if (item !== undefined) yield item;
      checkFollowed(descriptor, operation, start);
    }
    binder.end(base + feed.position);
  } finally {
    await feed.close();
  }
}

/** Refuses to go on after an unknown layout, whose buffers may have any number and size. */
export function checkFollowed({ layout }: Descriptor, operation: string, start: number): void {
  if (layout.kind !== "unknown") return;
  const problem = "the stream cannot be followed past an unknown layout";
  const given = `layout tag ${layout.tag}`;
  throw new HurrayFormatError(operation, "R13", "layout_tag", start + 15, problem, given, "a known layout");
}

/** Takes a descriptor, which begins at `start`; the bytes of it in `begun` have been taken. */
export async function receiveDescriptor(
  feed: ByteFeed,
  options: Receive,
  start: number,
  begun?: Uint8Array,
): Promise<Descriptor> {
  const { operation, maximumDescriptorBytes } = options;
  const prefix = await feed.take(PREFIX_LENGTH, begun);
  if (prefix.byteLength < PREFIX_LENGTH)
    throw cutShort(options, feed, "a descriptor", prefix.byteLength, PREFIX_LENGTH);
  const length = itemLength(prefix, operation, start);
  if (length > maximumDescriptorBytes) {
    const problem = "the descriptor is larger than is accepted";
    const expected = `at most ${maximumDescriptorBytes}`;
    throw new HurrayFormatError(operation, "R156", "descriptor_length", start + 6, problem, length, expected);
  }
  const bytes = await feed.take(length, prefix);
  if (bytes.byteLength < length) throw cutShort(options, feed, "a descriptor", bytes.byteLength, length);
  return decodeDescriptor(bytes, { ...options, base: start });
}

/** The length of the descriptor whose first ten bytes these are; refuses a file in place of a stream. */
export function itemLength(prefix: Uint8Array, operation: string, start: number): number {
  if (FILE_MAGIC.every((byte, k) => prefix[k] === byte)) {
    const problem = "this is a file, not a stream";
    throw new HurrayFormatError(
      operation,
      "R2",
      "magic",
      start,
      problem,
      "HRRYFILE",
      "a descriptor; open it as a file",
    );
  }
  return descriptorLength(prefix, operation, start);
}

/** Takes the buffers of a descriptor; `before` is called for each, where something lies between them. */
export async function receiveBuffers(
  feed: ByteFeed,
  descriptor: Descriptor,
  options: Receive,
  before?: () => Promise<void>,
): Promise<Uint8Array[]> {
  const buffers: Uint8Array[] = [];
  for (const [k, { byteSize }] of descriptor.buffers.entries()) {
    const length = Number(byteSize);
    await before?.();
    const bytes = await feed.take(length);
    if (bytes.byteLength < length) throw cutShort(options, feed, `buffer ${k}`, bytes.byteLength, length);
    buffers.push(bytes);
  }
  return buffers;
}

/** Refuses buffers beyond the maximum (R156) before a byte of them is taken; `start` is where the descriptor lies. */
export function checkBufferSizes(descriptor: Descriptor, options: Receive, start: number): void {
  const { operation, maximumBufferBytes } = options;
  for (const { byteSize } of descriptor.buffers) {
    if (byteSize <= BigInt(maximumBufferBytes)) continue;
    const problem = "a buffer is larger than is accepted";
    const expected = `at most ${maximumBufferBytes}`;
    throw new HurrayFormatError(operation, "R156", "byte_size", start, problem, byteSize, expected);
  }
}

/** Says that the input ended too early. */
function cutShort(options: Receive, feed: ByteFeed, what: string, given: number, expected: number): HurrayFormatError {
  const at = (options.base ?? 0) + feed.position;
  const problem = `the stream ends within ${what}`;
  return new HurrayFormatError(options.operation, "R155", what, at, problem, `${given} bytes`, `${expected}`);
}
