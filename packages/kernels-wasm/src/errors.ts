/** The codes of the errors that `@sw/kernels-wasm` throws; those of its assembler are `AssemblerErrorCode`. @since 0.1.0 */
export type WasmErrorCode =
  | "SW_WASM_UNSUPPORTED"
  | "SW_WASM_MODULE"
  | "SW_WASM_OPTION"
  | "SW_WASM_OPERAND"
  | "SW_WASM_THREAD";

/**
 * A host that cannot run the kernels. `code` is `SW_WASM_UNSUPPORTED` where WebAssembly or its vector instructions
 * are missing, and `SW_WASM_MODULE` where the host refuses the module itself; `cause` is what the host threw.
 *
 * @since 0.1.0
 */
export class WasmLoadError extends Error {
  readonly code: WasmErrorCode;
  constructor(code: WasmErrorCode, message: string, cause: unknown) {
    super(message, { cause });
    this.name = "WasmLoadError";
    this.code = code;
  }
}

/**
 * Options of `wasmKernels` that contradict each other, or a module that cannot be had in the way that is asked for.
 *
 * @since 0.1.0
 */
export class WasmOptionError extends RangeError {
  readonly code: WasmErrorCode;
  readonly option: string;
  constructor(message: string, option: string) {
    super(message);
    this.name = "WasmOptionError";
    this.code = "SW_WASM_OPTION";
    this.option = option;
  }
}

/**
 * Operands that a kernel was called with although `supports` declines them.
 *
 * @since 0.1.0
 */
export class WasmOperandError extends RangeError {
  readonly code: WasmErrorCode;
  readonly kernel: string;
  readonly reason: string;
  constructor(kernel: string, reason: string, described: string) {
    super(
      `${kernel}: the wasm kernel does not take these operands (${reason}): got ${described}, expected what supports() accepts. Ask it first, or put the backend in force with setKernels.`,
    );
    this.name = "WasmOperandError";
    this.code = "SW_WASM_OPERAND";
    this.kernel = kernel;
    this.reason = reason;
  }
}

/**
 * A thread that failed, ended, or did not come back. What it was to write has any contents; kernels go on without threads.
 *
 * @since 0.1.0
 */
export class WasmThreadError extends Error {
  readonly code: WasmErrorCode;
  constructor(what: string) {
    super(
      `wasmKernels: ${what}: got no answer, expected its part of the work. Do the call again: kernels go on with one thread.`,
    );
    this.name = "WasmThreadError";
    this.code = "SW_WASM_THREAD";
  }
}
