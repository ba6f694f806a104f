/** The codes of the errors that `@sw/kernels-js` throws; a code never changes its meaning within a major version. @since 0.1.0 */
export type KernelErrorCode =
  /** An index names no element of its axis. */
  | "SW_KERNELS_INDEX"
  /** A class number of a loss is outside `[0, classes)`. */
  | "SW_KERNELS_TARGET"
  /** A kernel was called with a dtype that it has no loop for: ask `supports` first. */
  | "SW_KERNELS_DTYPE"
  /** The reduced axis has no element to choose from. */
  | "SW_KERNELS_EMPTY_AXIS";

/** A target that names no class. Thrown before anything is written. @since 0.1.0 */
export class KernelTargetError extends RangeError {
  readonly code: KernelErrorCode;
  /** Which target, counted from 0. */
  readonly position: number;
  /** What it is. */
  readonly value: number | bigint;
  /** How many classes there are. */
  readonly classes: number;
  constructor(operation: string, position: number, value: number | bigint, classes: number) {
    super(
      classes === 0
        ? `${operation}: target ${position} names no class: got ${value}, expected no target, since there are 0 classes.`
        : `${operation}: target ${position} names no class: got ${value}, expected an integer from 0 to ${classes - 1}.`,
    );
    this.name = "KernelTargetError";
    this.code = "SW_KERNELS_TARGET";
    this.position = position;
    this.value = value;
    this.classes = classes;
  }
}

/** An index that names no element. Thrown before anything is written. @since 0.1.0 */
export class KernelIndexError extends RangeError {
  readonly code: KernelErrorCode;
  /** Which index, counted from 0, row-major. */
  readonly position: number;
  /** What it is. */
  readonly value: number | bigint;
  /** The extent of the axis that it is for. */
  readonly extent: number;
  constructor(operation: string, position: number, value: number | bigint, extent: number) {
    super(
      extent === 0
        ? `${operation}: index ${position} names no element: got ${value}, expected no index, since the axis has extent 0.`
        : `${operation}: index ${position} names no element: got ${value}, expected an integer from 0 to ${extent - 1}.`,
    );
    this.name = "KernelIndexError";
    this.code = "SW_KERNELS_INDEX";
    this.position = position;
    this.value = value;
    this.extent = extent;
  }
}

/** Operands that a kernel has no loop for. Thrown before anything is written. @since 0.1.0 */
export class KernelDTypeError extends RangeError {
  readonly code: KernelErrorCode;
  readonly kernel: string;
  readonly dtype: string;
  constructor(kernel: string, dtype: string, expected: readonly string[]) {
    super(
      `${kernel}: no loop for this dtype: got ${dtype}, expected one of ${expected.join(", ")}. Ask \`supports\` before calling a kernel.`,
    );
    this.name = "KernelDTypeError";
    this.code = "SW_KERNELS_DTYPE";
    this.kernel = kernel;
    this.dtype = dtype;
  }
}

/** A choice among the elements of an axis that has none. Thrown before anything is written. @since 0.1.0 */
export class KernelEmptyAxisError extends RangeError {
  readonly code: KernelErrorCode;
  readonly shape: readonly number[];
  constructor(operation: string, shape: readonly number[]) {
    super(`${operation}: the axis has no element: got shape [${shape.join(",")}], expected an extent of at least 1.`);
    this.name = "KernelEmptyAxisError";
    this.code = "SW_KERNELS_EMPTY_AXIS";
    this.shape = [...shape];
  }
}
