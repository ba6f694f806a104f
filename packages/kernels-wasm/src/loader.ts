import type { WasmMemory } from "@sw/buffer/wasm";
import { memoryImport } from "./assembler/import-section.js";
import { WasmLoadError, WasmOptionError } from "./errors.js";
import { CORE_MODULE } from "./generated/module.js";
import type { CoreExports } from "./kernels/core.js";
import { loopNames } from "./kernels/kinds.js";
import { memoryLimits } from "./memory-limits.js";
import { moduleAt } from "./module-at-url.js";

/**
 * What the kernels may be loaded from: a module compiled before, its bytes, or where it lies, which `wasmKernels` alone
 * can wait for. The package has it as `@sw/kernels-wasm/kernels.wasm`, and as `@sw/kernels-wasm/kernels.shared.wasm` for
 * shared memory.
 *
 * @since 0.1.0
 */
export type ModuleSource = WebAssembly.Module | BufferSource | URL;

/** The kernels on a memory, and the module that they are of. */
export interface Loaded {
  readonly module: WebAssembly.Module;
  readonly core: CoreExports;
}

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
 * @throws WasmLoadError `SW_WASM_MODULE` when the host refuses the module, or it is another one; WasmOptionError
 * `SW_WASM_OPTION` for a URL.
 */
export function loadSync(operation: string, memory: WasmMemory, source: ModuleSource | undefined): Loaded {
  if (source instanceof URL) {
    throw new WasmOptionError(
      `${operation}: the module cannot be fetched at once: got the URL ${source.href}, expected its bytes or a compiled module. Use wasmKernels, or fetch them first.`,
      "module",
    );
  }
  try {
    const module = isModule(source) ? source : new WebAssembly.Module(source ?? coreBytes(memory));
    return { module, core: exportsOf(new WebAssembly.Instance(module, { env: { memory: memory.memory } })) };
  } catch (cause) {
    throw refused(operation, cause);
  }
}

/** As `loadSync`, without blocking while the module arrives and compiles; from a URL as well. */
export async function load(operation: string, memory: WasmMemory, source: ModuleSource | undefined): Promise<Loaded> {
  try {
    const module = await compile(memory, source);
    return { module, core: exportsOf(await WebAssembly.instantiate(module, { env: { memory: memory.memory } })) };
  } catch (cause) {
    throw refused(operation, cause);
  }
}

function compile(
  memory: WasmMemory,
  source: ModuleSource | undefined,
): Promise<WebAssembly.Module> | WebAssembly.Module {
  if (source instanceof URL) return moduleAt(source);
  return isModule(source) ? source : WebAssembly.compile(source ?? coreBytes(memory));
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
    `${operation}: the module cannot be used: got "${reason}", expected the kernels of this version, of shared memory where it is shared. Leave options.module out, and allow 'wasm-unsafe-eval' where a content security policy is in force.`,
    cause,
  );
}

/** The module that the package carries, for a memory: it says itself whether that is shared, so it is written per kind. */
function coreBytes(memory: WasmMemory): Uint8Array<ArrayBuffer> {
  const [before, after] = CORE_MODULE.map(bytesOfText) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
  const between = memoryImport("env", "memory", memoryLimits(memory.isShared));
  const whole = new Uint8Array(before.length + between.length + after.length);
  whole.set(before);
  whole.set(between, before.length);
  whole.set(after, before.length + between.length);
  return whole;
}

interface TextDecoders {
  readonly Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
  readonly Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
}

/** Decodes base64, by the host's own decoder where it has one: a loop takes a tenth of the time to start. */
function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer, Uint8Array: Bytes } = globalThis as unknown as TextDecoders;
  if (Bytes.fromBase64 !== undefined) return Bytes.fromBase64(text);
  if (Buffer !== undefined) return Buffer.from(text, "base64");
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
