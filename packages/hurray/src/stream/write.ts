import { checkComposite } from "../composite/bind.js";
import { encodeDescriptor } from "../descriptor/descriptor.js";
import { isDynamic } from "../descriptor/shape.js";
import { HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import type { StoredItem, StoredTensor, StreamedTensor } from "../stored.js";

/** What may be sent. @since 0.1.0 */
export interface SendOptions {
  /** Whether tensors may have dynamic dimensions: nothing says their sizes, so the reader has to know them (A43). */
  readonly allowDynamic?: boolean;
}

/**
 * Writes a raw stream (section 10): each descriptor, then its buffers. An item is checked whole before a byte of it
 * is given; the pieces are the buffers themselves, not copies. The next item is taken when its turn comes.
 *
 * @throws TypeError for what is no list of stored items.
 * @throws HurrayFormatError when a descriptor or a composite breaks a rule.
 * @throws HurrayValueError `SW_HURRAY_VALUE` when buffers differ from the descriptor, or it is opaque.
 * @throws HurrayUnsupportedError `SW_HURRAY_DYNAMIC_UNSUPPORTED` for dynamic dimensions, unless allowed.
 * @since 0.1.0
 */
export function itemBytes(
  items: Iterable<StoredItem> | AsyncIterable<StoredItem>,
  options: SendOptions = {},
): AsyncIterable<Uint8Array> {
  const operation = "itemBytes";
  if (typeof items !== "object" || items === null || !(Symbol.iterator in items || Symbol.asyncIterator in items)) {
    const given = items === null ? "null" : typeof items;
    throw new TypeError(
      `${operation}: not a list of items: got ${given}, expected an iterable of { descriptor, buffers } or { descriptor, members }. Put one item in a list: [item].`,
    );
  }
  return send(operation, items, options);
}

async function* send(
  operation: string,
  items: Iterable<StoredItem> | AsyncIterable<StoredItem>,
  options: SendOptions,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const item of items) {
    if ("members" in item) checkComposite(item, operation);
    const pieces: Uint8Array[] = [];
    append(pieces, item, operation, options);
    yield* pieces;
  }
}

/** Appends the bytes of an item, members after their head. */
function append(pieces: Uint8Array[], item: StoredItem, operation: string, options: SendOptions): void {
  pieces.push(encodeDescriptor(item.descriptor, operation));
  checkSendable(item, operation, options);
  if ("members" in item) for (const member of item.members) append(pieces, member, operation, options);
  else pieces.push(...item.buffers);
}

/** Refuses what no reader could make sense of: opaque descriptors, other buffers than they say, unknown sizes. */
export function checkSendable(item: StoredItem | StreamedTensor, operation: string, options: SendOptions): void {
  const { descriptor } = item;
  if (descriptor.opaque) {
    const problem = "the descriptor breaks a rule that its reader passed over";
    throw new HurrayValueError(operation, "opaque", problem, true, "a descriptor that a strict reader accepts");
  }
  if ("members" in item) return;
  if ("buffers" in item) checkBuffers(item, operation);
  if (descriptor.layout.kind !== "composite" && !options.allowDynamic && isDynamic(descriptor.shape)) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_DYNAMIC_UNSUPPORTED",
      `${operation}: nothing beside the descriptor says how large a dynamic dimension is: got a dynamic dimension, expected known sizes. Fill the sizes in, or allow it.`,
    );
  }
}

/** Refuses buffers other than the descriptor says. */
function checkBuffers({ descriptor, buffers }: StoredTensor, operation: string): void {
  const expected = descriptor.buffers.map(({ byteSize }) => `${byteSize}`).join(", ");
  const given = buffers.map((bytes) => `${bytes.byteLength}`).join(", ");
  if (given === expected) return;
  throw new HurrayValueError(
    operation,
    "buffers",
    "the buffers are not those of the descriptor",
    `[${given}] bytes`,
    `[${expected}]`,
  );
}
