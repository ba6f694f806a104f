import { describe } from "@sw/layout";
import { type CreateOptions, createWith, type DefaultDType, fromValues, wantedDType } from "./create.js";
import type { DType, TypedArray } from "./dtype.js";
import { toElement } from "./element.js";
import { TensorShapeError, TensorValueError } from "./errors.js";
import { checkShape } from "./handle.js";
import { type Nested, shapeOf } from "./nested.js";
import { checkOptions } from "./options.js";
import type { Tensor } from "./tensor.js";
import type { Writable } from "./window.js";

// Tensors of two axes.

/** Rows of numbers, bigints or booleans. @since 0.1.0 */
export type Rows<T = number | bigint | boolean> = readonly (readonly T[])[];

function checkRank(shape: readonly number[]): void {
  checkShape("matrix", shape);
  if (shape.length === 2) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `matrix: a matrix has 2 dimensions: got ${shape.length} (shape [${shape.join(",")}]), expected 2. Use tensor for other ranks.`,
    { given: shape.length, expected: 2, shape },
  );
}

/**
 * Makes a matrix of rows, or of values row by row with the shape beside them; the elements are copied. Dtypes are those
 * of `tensor`. What has not two axes is refused, by the compiler where it sees the rank.
 *
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for another rank, or another number of values than the shape has;
 * else as `tensor`.
 * @example
 * ```ts
 * import { matrix } from "@sw/tensor";
 * console.log(matrix([1, 2, 3, 4, 5, 6], [2, 3]).T.shape); // [ 3, 2 ]
 * ```
 * @since 0.1.0
 */
export function matrix<D extends DType>(rows: Rows, options: { readonly dtype: D }): Tensor<D>;
export function matrix(rows: Rows<number>): Tensor<"float32">;
export function matrix(rows: Rows<bigint>): Tensor<"int64">;
export function matrix(rows: Rows<boolean>): Tensor<"bool">;
export function matrix<D extends DType>(
  values: TypedArray | readonly (number | bigint | boolean)[],
  shape: readonly [rows: number, columns: number],
  options: { readonly dtype: D },
): Tensor<D>;
export function matrix<A extends TypedArray>(
  values: A,
  shape: readonly [rows: number, columns: number],
): Tensor<DefaultDType<A>>;
export function matrix(values: readonly number[], shape: readonly [rows: number, columns: number]): Tensor<"float32">;
export function matrix(values: readonly bigint[], shape: readonly [rows: number, columns: number]): Tensor<"int64">;
export function matrix(values: readonly boolean[], shape: readonly [rows: number, columns: number]): Tensor<"bool">;
export function matrix(
  values: unknown,
  shapeOrOptions: readonly number[] | CreateOptions<DType> = {},
  options: CreateOptions<DType> = {},
): Tensor {
  const shape = Array.isArray(shapeOrOptions) ? (shapeOrOptions as readonly number[]) : undefined;
  const given = shape === undefined ? shapeOrOptions : options;
  checkOptions("matrix", given, "{ dtype }");
  checkRank(shape ?? ownShape(values));
  return fromValues("matrix", values, (given as CreateOptions<DType>).dtype, shape);
}

/** The shape that values have by themselves. */
function ownShape(values: unknown): readonly number[] {
  if (ArrayBuffer.isView(values)) return [(values as TypedArray).length];
  if (Array.isArray(values)) return shapeOf(values as Nested);
  throw new TypeError(`matrix: no values: got ${describe(values)}, expected rows, or values and a shape.`);
}

/** Options of {@link eye}. @since 0.1.0 */
export interface EyeOptions<D extends DType> extends CreateOptions<D> {
  /** Default: as many as rows. */
  readonly columns?: number;
  /** Which diagonal: 0 is the main one, above it they are positive. Default: 0. */
  readonly diagonal?: number;
}

/**
 * Makes a matrix of zeros with ones on a diagonal; a diagonal outside of it has none.
 *
 * @throws TypeError for extents or a diagonal that are no integers; TensorValueError `SW_TENSOR_OPTION` for a diagonal
 * beyond safe integers; TensorShapeError for extents that are not possible.
 * @example
 * ```ts
 * import { eye } from "@sw/tensor";
 * console.log(eye(2, { columns: 3, diagonal: 1 }).toArray()); // [ [ 0, 1, 0 ], [ 0, 0, 1 ] ]
 * ```
 * @since 0.1.0
 */
export function eye<D extends DType = "float32">(rows: number, options: EyeOptions<D> = {}): Tensor<D> {
  const dtype = wantedDType("eye", options);
  const { columns = rows, diagonal = 0 } = options;
  if (typeof diagonal !== "number" || !Number.isInteger(diagonal)) {
    throw new TypeError(`eye: the diagonal is no integer: got ${describe(diagonal)}, expected an integer.`);
  }
  if (!Number.isSafeInteger(diagonal)) {
    throw new TensorValueError(
      "SW_TENSOR_OPTION",
      `eye: the diagonal is not possible: got ${diagonal}, expected a safe integer.`,
      { given: diagonal },
    );
  }
  return createWith("eye", [rows, columns], dtype, (elements) => {
    const one = toElement("eye", dtype, 1, 0);
    (elements as { fill(value: number | bigint): void }).fill(toElement("eye", dtype, 0, 0));
    const out = elements as Writable;
    const first = Math.max(0, -diagonal);
    const count = Math.min(rows - first, columns - Math.max(0, diagonal));
    let place = first * columns + Math.max(0, diagonal);
    for (let k = 0; k < count; k++, place += columns + 1) out[place] = one;
  });
}
