import { type CreateOptions, createWith, wantedDType } from "../create.js";
import type { DType } from "../dtype.js";
import { toElement } from "../element.js";
import { TensorShapeError } from "../errors.js";
import { plain } from "../gate.js";
import { checkOptions } from "../options.js";
import { isRecorded, record } from "../record.js";
import type { Tensor } from "../tensor.js";
import { checkNumber } from "./check-number.js";
import { selected } from "./indexing.js";
import { checkIndices, withIndices } from "./indices.js";
import { repeated } from "./parameters.js";
import { savedSlots } from "./saved-slots.js";
import { EMBEDDING, SCATTER } from "./specs/indexing.js";
import { runOrDispose } from "./structural.js";

/** Options of {@link embedding}. @since 0.1.0 */
export interface EmbeddingOptions {
  /** The row of this number is looked up as the others are, and gets no gradient: that of padding, say. */
  readonly skipId?: number;
}

/**
 * Looks rows of a table up: `out[i, …] = table[ids[i], …]`.
 *
 * @param table - `[count, …]`, the rows.
 * @param ids - row numbers, of any shape and integer dtype.
 * @returns the shape of `ids`, then that of a row; row-major.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for a table without axes; TensorValueError `SW_TENSOR_DTYPE_REFUSED`
 * for ids that are no integers, or `SW_TENSOR_OPTION`; the kernel's RangeError, with `position` and `value`, for an id out
 * of range.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { embedding, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const ids = tensor([2, 0, 2], { dtype: "int32" });
 * console.log(embedding(tensor([[1, 2], [3, 4], [5, 6]]), ids).toArray()); // [ [ 5, 6 ], [ 1, 2 ], [ 5, 6 ] ]
 * ```
 * @since 0.1.0
 */
export function embedding<D extends DType>(table: Tensor<D>, ids: Tensor, options: EmbeddingOptions = {}): Tensor<D> {
  const { kind } = EMBEDDING;
  plain(table, kind);
  if (table.rank === 0) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `${kind}: the table has no rows: got shape [], expected [count, …].`,
      { given: table.shape, shape: table.shape },
    );
  }
  checkIndices(kind, ids);
  checkOptions(kind, options, "{ skipId: 0 }");
  const { skipId } = options;
  const count = table.shape[0] as number;
  const fits = (id: number): boolean => Number.isInteger(id) && id >= 0 && id < count;
  if (skipId !== undefined) checkNumber(kind, "skipId", skipId, fits, `an integer from 0 to ${count - 1}`);
  return withIndices(ids, (rows) => {
    const out = selected(kind, table, rows, 0);
    if (!isRecorded(table)) return out;
    const inputs = [table, rows];
    return record(out, { kind, inputs, saved: savedSlots(EMBEDDING, inputs, [out]), ints: [skipId ?? -1] });
  });
}

/**
 * Writes class numbers as rows of zeros with a single one: `out[i, classes[i]] = 1`. It has no gradient.
 *
 * @param classes - of any shape and integer dtype.
 * @param count - how many classes there are.
 * @returns the shape of `classes`, then `count`; float32 unless a dtype is given.
 * @throws TypeError or TensorShapeError for a count that is no extent; TensorValueError `SW_TENSOR_DTYPE_REFUSED`; the
 * kernel's RangeError, with `position` and `value`, for a class out of range.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { oneHot, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(oneHot(tensor([2, 0], { dtype: "int32" }), 3).toArray()); // [ [ 0, 0, 1 ], [ 1, 0, 0 ] ]
 * ```
 * @since 0.1.0
 */
export function oneHot<D extends DType = "float32">(
  classes: Tensor,
  count: number,
  options: CreateOptions<D> = {},
): Tensor<D> {
  const operation = "oneHot";
  checkIndices(operation, classes);
  const dtype = wantedDType(operation, options);
  const out = createWith(operation, [...classes.shape, count], dtype, (elements) => {
    (elements as { fill(value: number | bigint): void }).fill(toElement(operation, dtype, 0, 0));
  });
  return withIndices(classes, (index) => {
    const places = index.unsqueeze(index.rank);
    const one = repeated(out, operation, 1, places.shape);
    try {
      if (places.size > 0) runOrDispose(SCATTER, [out], [places, one], [index.rank], []);
      return out;
    } finally {
      one.dispose();
    }
  });
}
