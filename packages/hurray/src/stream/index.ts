/**
 * Raw streams: descriptors and data back to back, composites put together and checked. Imports no tensor.
 *
 * @packageDocumentation
 */
export type { ByteInput } from "../bytes/feed.js";
export { checkComposite } from "../composite/bind.js";
export type { DecodeOptions } from "../descriptor/descriptor.js";
export {
  type HurrayErrorCode,
  HurrayFormatError,
  HurrayLimitError,
  HurrayUnsupportedError,
  HurrayValueError,
  type Rule,
} from "../errors.js";
export type { StoredComposite, StoredItem, StoredTensor } from "../stored.js";
export { type ReceiveOptions, readItems } from "./read.js";
export { itemBytes, type SendOptions } from "./write.js";
