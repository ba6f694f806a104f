/**
 * Tensors from and to other formats: safetensors, npy, npz, ONNX; and pictures of tensors. Brings no tensor.
 *
 * @packageDocumentation
 */
export type { ByteInput } from "../bytes/feed.js";
export { type ForeignFormat, type ForeignPlace, HurrayForeignError } from "../errors.js";
export type { HurrayInput } from "../source/input.js";
export type { StoredTensor, StreamedTensor } from "../stored.js";
export { type CollectOptions, toStored } from "./collect.js";
export type { NamedTensors } from "./named.js";
export { type NpyOptions, npyBytes, readNpy } from "./npy.js";
export { type NpzFile, type NpzOptions, type NpzWriteOptions, npzBytes, openNpz } from "./npz.js";
export { type OnnxTensor, readOnnxTensor } from "./onnx.js";
export { type PngOptions, pngOf } from "./png.js";
export { openSafetensors, type SafetensorsFile, type SafetensorsOptions } from "./safetensors.js";
export { type SafetensorsWriteOptions, safetensorsBytes } from "./safetensors-write.js";
export { TYPE_MAPPINGS, TYPE_REFUSALS, type TypeMapping, type TypeRefusal } from "./types.js";
