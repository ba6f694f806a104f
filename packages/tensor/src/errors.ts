import { type BufferEnd, StaleBufferError } from "@sw/buffer";
import type { Declined } from "./declined.js";

/** The codes of the errors that `@sw/tensor` throws; a code never changes its meaning within a major version. @since 0.1.0 */
export type TensorErrorCode =
  | "SW_TENSOR_SHAPE_MISSING"
  | "SW_TENSOR_SHAPE_INVALID"
  | "SW_TENSOR_SHAPE_LIMIT"
  | "SW_TENSOR_SHAPE_MISMATCH"
  | "SW_TENSOR_RAGGED"
  | "SW_TENSOR_AXIS"
  | "SW_TENSOR_VIEW_BOUNDS"
  | "SW_TENSOR_VIEW_COPY"
  | "SW_TENSOR_INDEX"
  | "SW_TENSOR_KEY"
  | "SW_TENSOR_VALUE"
  | "SW_TENSOR_DTYPE_MISMATCH"
  | "SW_TENSOR_DTYPE_REFUSED"
  | "SW_TENSOR_ONNX_TYPE"
  | "SW_TENSOR_OPTION"
  | "SW_TENSOR_PARTS"
  | "SW_TENSOR_PROGRAM"
  | "SW_TENSOR_OVERLAP"
  | "SW_TENSOR_UNSUPPORTED"
  | "SW_TENSOR_VERSION"
  | "SW_TENSOR_RECORDING"
  | "SW_TENSOR_SCOPE_PROMISE"
  | "SW_TENSOR_KERNEL_MISSING"
  | "SW_TENSOR_BACKEND";

/** The values an error's message speaks of, for code that reads errors rather than people. @since 0.1.0 */
export interface TensorErrorFields {
  readonly given?: unknown;
  readonly expected?: unknown;
  readonly shape?: readonly number[];
  readonly axis?: number;
  readonly position?: number;
}

/** A shape that is malformed, too large, or does not fit the operation. @since 0.1.0 */
export class TensorShapeError extends RangeError {
  readonly code: TensorErrorCode;
  readonly given: unknown;
  readonly expected: unknown;
  readonly shape: readonly number[] | undefined;
  readonly axis: number | undefined;
  readonly position: number | undefined;
  constructor(code: TensorErrorCode, message: string, fields: TensorErrorFields = {}) {
    super(message);
    this.name = "TensorShapeError";
    this.code = code;
    this.given = fields.given;
    this.expected = fields.expected;
    this.shape = fields.shape;
    this.axis = fields.axis;
    this.position = fields.position;
  }
}

/** A value that a dtype cannot hold, an index out of range, or dtypes that do not fit together. @since 0.1.0 */
export class TensorValueError extends RangeError {
  readonly code: TensorErrorCode;
  readonly given: unknown;
  readonly expected: unknown;
  readonly position: number | undefined;
  constructor(code: TensorErrorCode, message: string, fields: TensorErrorFields = {}) {
    super(message);
    this.name = "TensorValueError";
    this.code = code;
    this.given = fields.given;
    this.expected = fields.expected;
    this.position = fields.position;
  }
}

/** A view that does not exist: outside the buffer, or only by copying. @since 0.1.0 */
export class ViewError extends RangeError {
  readonly code: TensorErrorCode;
  readonly given: unknown;
  readonly expected: unknown;
  constructor(code: TensorErrorCode, message: string, fields: TensorErrorFields = {}) {
    super(message);
    this.name = "ViewError";
    this.code = code;
    this.given = fields.given;
    this.expected = fields.expected;
  }
}

/** Something that is well formed, but that this operation does not do. @since 0.1.0 */
export class UnsupportedError extends Error {
  readonly code: TensorErrorCode;
  constructor(message: string) {
    super(message);
    this.name = "UnsupportedError";
    this.code = "SW_TENSOR_UNSUPPORTED";
  }
}

/** A use of the API at a moment when it is not allowed. @since 0.1.0 */
export class TensorStateError extends Error {
  readonly code: TensorErrorCode;
  constructor(code: TensorErrorCode, message: string) {
    super(message);
    this.name = "TensorStateError";
    this.code = code;
  }
}

/** A handle whose memory was returned: disposed, or its arena reset. @since 0.1.0 */
export class StaleTensorError extends StaleBufferError {
  constructor(operation: string, generation: number, present: number, end?: BufferEnd) {
    super(operation, generation, present, end);
    this.name = "StaleTensorError";
  }
}

/** A saved value that was changed before backward read it. @since 0.1.0 */
export class TensorVersionError extends Error {
  readonly code: TensorErrorCode;
  readonly operation: string;
  readonly savedVersion: number;
  readonly presentVersion: number;
  constructor(operation: string, savedVersion: number, presentVersion: number) {
    super(
      `backward: a value that ${operation} saved was modified in place: got version ${presentVersion}, expected version ${savedVersion}. Write into a copy, or after backward.`,
    );
    this.name = "TensorVersionError";
    this.code = "SW_TENSOR_VERSION";
    this.operation = operation;
    this.savedVersion = savedVersion;
    this.presentVersion = presentVersion;
  }
}

/** No backend in force has a kernel for the operands. @since 0.1.0 */
export class KernelMissingError extends Error {
  readonly code: TensorErrorCode;
  readonly kernel: string;
  /** The backends of the chain in force, by name. */
  readonly backends: readonly string[];
  /** Why each of them did not take the operands. */
  readonly declined: readonly Declined[];
  constructor(kernel: string, operands: string, declined: readonly Declined[]) {
    const reasons = declined.map(({ backend, reason }) => `${backend}: ${reason}`).join("; ");
    super(
      declined.length === 0
        ? `${kernel}: no kernels are in force: got operands ${operands}, expected a backend. Call setKernels(jsKernels), from @sw/kernels-js, once at the start.`
        : `${kernel}: no backend in force has a kernel for these operands: got ${operands}, expected one to take them (${reasons}). Cast the operands, or add a backend to the chain.`,
    );
    this.name = "KernelMissingError";
    this.code = "SW_TENSOR_KERNEL_MISSING";
    this.kernel = kernel;
    this.backends = declined.map(({ backend }) => backend);
    this.declined = declined;
  }
}
