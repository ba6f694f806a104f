// Tensors of several parts: quantised values beside their scales.
export { blockInt4, blockInt8, mxfp4 } from "./compound/block-types.js";
export { CompoundTensor, isCompoundTensor, makeCompound } from "./compound/compound-tensor.js";
export type { BlockEncoder, CompoundType } from "./compound/compound-type.js";
export { dequantize } from "./compound/dequantize.js";
export type { Part } from "./compound/part.js";
export { type QuantizeOptions, quantize } from "./compound/quantize.js";
export { isStorageDType, STORAGE, type StorageDType, type StorageInfo } from "./compound/storage.js";
