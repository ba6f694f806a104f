/**
 * Stored items, tensors and composites, as streams and files have them: put together, checked, and written. Imports no tensor.
 *
 * @packageDocumentation
 */
export type { ByteInput } from "../bytes/feed.js";
export { checkComposite, type DescribedItem } from "../composite/bind.js";
export type { DecodeOptions } from "../descriptor/descriptor.js";
export {
  type HurrayErrorCode,
  HurrayFormatError,
  HurrayLimitError,
  HurrayUnsupportedError,
  HurrayValueError,
  type Rule,
} from "../errors.js";
export type { FileTrailer } from "../file/frame.js";
export type { IndexEntry } from "../file/index-section.js";
export { type ItemFile, type ItemOptions, memberNames, readItem } from "../file/items.js";
export type { Located } from "../file/regions.js";
export type { StoredComposite, StoredItem, StoredTensor, StreamedTensor } from "../stored.js";
export type { SendableComposite, SendableItem, SendOptions } from "./parts.js";
export { type ReceiveOptions, readItems } from "./read.js";
export { itemBytes } from "./write.js";
