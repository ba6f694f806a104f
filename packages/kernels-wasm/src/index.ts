export {
  type ThreadOptions,
  type WasmBackend,
  type WasmKernelsOptions,
  type WasmKind,
  type WasmThreads,
  wasmKernels,
  wasmKernelsSync,
} from "./backend.js";
export { type WasmErrorCode, WasmLoadError, WasmOperandError, WasmOptionError, WasmThreadError } from "./errors.js";
export { hasWasmSimd, type ModuleSource } from "./loader.js";
