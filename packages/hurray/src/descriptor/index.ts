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
export { DEVICE_NAMES } from "./buffers.js";
export { type DecodeOptions, dataRange, decodeDescriptor, elementBits, encodeDescriptor } from "./descriptor.js";
export { descriptorLength } from "./header.js";
export { LAYOUT_NAMES } from "./layouts.js";
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
} from "./types.js";
