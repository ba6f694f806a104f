import { WasmLoadError } from "./errors.js";
import { CORE_MODULE } from "./generated/module.js";
import type { CoreExports } from "./kernels/core.js";
import { loopNames } from "./kernels/kinds.js";

/** What the kernels may be loaded from: a module compiled before, or its bytes. @since 0.1.0 */
export type ModuleSource = WebAssembly.Module | BufferSource;

/** A function that returns a v128.const: valid exactly where the vector instructions exist. */
const PROBE = [
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03, 0x02, 0x01, 0x00,
  0x0a, 0x16, 0x01, 0x14, 0x00, 0xfd, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0b,
] as const;

const EXPORTS: readonly (keyof CoreExports)[] = [
  "move4",
  "turn4",
  "copyRuns",
  "packRows",
  "packColumns",
  "blockProduct",
];

/**
 * Tells whether this host has WebAssembly with 128-bit vectors, which the kernels need.
 *
 * @since 0.1.0
 */
export function hasWasmSimd(): boolean {
  return typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array(PROBE));
}

/**
 * Checks the host before anything is made on it.
 *
 * @throws WasmLoadError `SW_WASM_UNSUPPORTED`; its cause is what the host says of a module with vectors.
 */
export function requireHost(operation: string): void {
  if (hasWasmSimd()) return;
  let cause: unknown;
  try {
    new WebAssembly.Module(new Uint8Array(PROBE));
  } catch (thrown) {
    cause = thrown;
  }
  const got = typeof WebAssembly === "object" ? "a host without them" : "a host without WebAssembly";
  throw new WasmLoadError(
    "SW_WASM_UNSUPPORTED",
    `${operation}: the kernels need WebAssembly with 128-bit vectors: got ${got}, expected Node 16.4, Chrome 91, Firefox 89, Safari 16.4 or later. Use jsKernels of @sw/kernels-js alone.`,
    cause,
  );
}

/**
 * Instantiates the kernels on a memory.
 *
 * @throws WasmLoadError `SW_WASM_MODULE` when the host refuses the module, or it is another one.
 */
export function loadSync(operation: string, memory: WebAssembly.Memory, source: ModuleSource | undefined): CoreExports {
  try {
    const module = isModule(source) ? source : new WebAssembly.Module(source ?? coreBytes());
    return exportsOf(new WebAssembly.Instance(module, { env: { memory } }));
  } catch (cause) {
    throw refused(operation, cause);
  }
}

/** As `loadSync`, without blocking while the module compiles. */
export async function load(
  operation: string,
  memory: WebAssembly.Memory,
  source: ModuleSource | undefined,
): Promise<CoreExports> {
  try {
    const module = isModule(source) ? source : await WebAssembly.compile(source ?? coreBytes());
    return exportsOf(await WebAssembly.instantiate(module, { env: { memory } }));
  } catch (cause) {
    throw refused(operation, cause);
  }
}

function isModule(source: ModuleSource | undefined): source is WebAssembly.Module {
  // A module of another realm is no instance of this one's class; the tag is the same everywhere.
  return Object.prototype.toString.call(source) === "[object WebAssembly.Module]";
}

function exportsOf(instance: WebAssembly.Instance): CoreExports {
  const missing = [...EXPORTS, ...loopNames()].filter((name) => typeof instance.exports[name] !== "function");
  if (missing.length > 0) {
    const named = missing.slice(0, 3).join(", ");
    throw new TypeError(
      `it lacks ${missing.length} exports, ${named} among them; it is another module, or of another version`,
    );
  }
  return instance.exports as unknown as CoreExports;
}

function refused(operation: string, cause: unknown): WasmLoadError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new WasmLoadError(
    "SW_WASM_MODULE",
    `${operation}: the module cannot be used: got "${reason}", expected the kernels of this version. Leave options.module out, and allow 'wasm-unsafe-eval' where a content security policy is in force.`,
    cause,
  );
}

/** The module that the package carries. */
function coreBytes(): Uint8Array<ArrayBuffer> {
  const text = atob(CORE_MODULE);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
