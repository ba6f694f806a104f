/**
 * The Hurray tensor interchange format: descriptors and files, from anything that gives bytes.
 *
 * @packageDocumentation
 */
export { type BoxOptions, readBox } from "./box.js";
export {
  type DecodeOptions,
  dataRange,
  decodeDescriptor,
  descriptorFlags,
  elementBits,
  encodeDescriptor,
  layoutTag,
} from "./descriptor/descriptor.js";
export { descriptorLength } from "./descriptor/header.js";
export { resolveShape } from "./descriptor/resolve.js";
export { DYNAMIC, elementCount, isDynamic } from "./descriptor/shape.js";
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
} from "./descriptor/types.js";
export { dtypeOfTag, tagOfDType } from "./dtypes.js";
export {
  byteLengthOf,
  ELEMENT_TYPES,
  type ElementType,
  type ElementTypeName,
  elementTypeNamed,
  elementTypeOf,
} from "./elements.js";
export {
  HurrayAlignmentError,
  type HurrayErrorCode,
  HurrayFormatError,
  HurrayLimitError,
  HurrayLookupError,
  HurraySourceError,
  HurrayUnsupportedError,
  HurrayValueError,
  type Rule,
} from "./errors.js";
export { crc32c } from "./file/crc32c.js";
export { COUNT_UNKNOWN, type FileHeader, type FileTrailer } from "./file/frame.js";
export type { IndexEntry } from "./file/index-section.js";
export type { KvEntry, KvScalar, KvScalarType, KvValue } from "./file/kv.js";
export type { Metadata, MetadataInput, MetadataValue } from "./file/metadata.js";
export { type Abortable, HurrayFile, type OpenHurrayOptions, openHurray } from "./file/reader.js";
export type { Located } from "./file/regions.js";
export type { ByteSink } from "./file/sinks.js";
export {
  type AddOptions,
  FileWriter,
  type FileWriterOptions,
  type SavedTensor,
  type WriteProgress,
} from "./file-writer.js";
export { type Loaded, type LoadOptions, load } from "./load.js";
export { placementOf } from "./placement.js";
export {
  encodeHurray,
  type SaveOptions,
  type SaveReport,
  type TensorRecord,
  writeHurray,
} from "./save.js";
export { type BlobLike, blobSource } from "./source/blob.js";
export { bytesSource } from "./source/bytes.js";
export type { HurrayInput } from "./source/input.js";
export type { HurraySource } from "./source/source.js";
export { type Stored, store } from "./store.js";
export type { StoredComposite, StoredItem, StoredTensor, StreamedTensor } from "./stored.js";
