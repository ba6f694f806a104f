export { type WasmBackend, type WasmKernelsOptions, type WasmKind, wasmKernels, wasmKernelsSync } from "./backend.js";
export { type WasmErrorCode, WasmLoadError, WasmOperandError, WasmOptionError } from "./errors.js";
export { hasWasmSimd, type ModuleSource } from "./loader.js";
