/**
 * The descriptor codec alone: bytes to plain data and back. Imports no tensor.
 *
 * @packageDocumentation
 */
export {
  byteLengthOf,
  ELEMENT_TYPES,
  type ElementType,
  type ElementTypeName,
  elementTypeNamed,
  elementTypeOf,
} from "../elements.js";
export {
  type HurrayErrorCode,
  HurrayFormatError,
  HurrayUnsupportedError,
  HurrayValueError,
  type Rule,
} from "../errors.js";
export type { StoredComposite, StoredItem, StoredTensor, StreamedTensor } from "../stored.js";
export { DEVICE_NAMES } from "./buffers.js";
export { type DescribedField, type DescriptorSection, describeBytes } from "./describe.js";
export {
  type DecodeOptions,
  dataRange,
  decodeDescriptor,
  descriptorFlags,
  elementBits,
  encodeDescriptor,
  layoutTag,
} from "./descriptor.js";
export { descriptorLength } from "./header.js";
export type { LayoutClass } from "./layout-entry.js";
export { LAYOUT_NAMES } from "./layouts.js";
export { resolveShape } from "./resolve.js";
export { DYNAMIC, elementCount, isDynamic } from "./shape.js";
export type {
  BufferHandle,
  Descriptor,
  DescriptorLayout,
  ExtensionType,
  LayoutKind,
  Quantisation,
  Shard,
  Statistics,
  StatisticsFloat,
  TiledForm,
  TileOrder,
  UnreadScheme,
} from "./types.js";
