import { partsOf, type SendableItem, type SendOptions } from "./parts.js";

/**
 * Writes a raw stream (section 10): each descriptor, then its buffers. An item is checked whole before a byte of it
 * is given, but for pieces, which are counted as they come; what is given are buffers and pieces themselves, not copies.
 * The next item is taken when its turn comes.
 *
 * @throws TypeError for what is no list of stored items.
 * @throws HurrayFormatError when a descriptor or a composite breaks a rule.
 * @throws HurrayValueError `SW_HURRAY_VALUE` when buffers differ from the descriptor, or it is opaque.
 * @throws HurrayUnsupportedError `SW_HURRAY_DYNAMIC_UNSUPPORTED` for dynamic dimensions, unless allowed.
 * @since 0.1.0
 */
export function itemBytes(
  items: Iterable<SendableItem> | AsyncIterable<SendableItem>,
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
  items: Iterable<SendableItem> | AsyncIterable<SendableItem>,
  options: SendOptions,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const item of items) {
    for (const { encoded, pieces } of partsOf(item, operation, options)) {
      yield encoded;
      yield* pieces();
    }
  }
}
