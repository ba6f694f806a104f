import type { DType } from "./dtype.js";
import { TensorShapeError } from "./errors.js";

// Elements in nested lists, as people write them.

/** A number, bigint or boolean, or lists of them nested to one depth. @since 0.1.0 */
export type Nested = number | bigint | boolean | readonly Nested[];

/** Values of one kind, nested to one depth. @since 0.1.0 */
export type NestedOf<T> = T | readonly NestedOf<T>[];

/** The shape of nested lists; every list of one depth must have one length. */
export function shapeOf(values: Nested): number[] {
  const shape: number[] = [];
  for (let v: Nested = values; Array.isArray(v); v = v[0] as Nested) {
    shape.push(v.length);
    // One level too many is enough to refuse; a list that holds itself has no end.
    if (v.length === 0 || shape.length > 8) break;
  }
  return shape;
}

/**
 * Visits the elements of nested lists in row-major order, checking every length.
 *
 * @throws TensorShapeError `SW_TENSOR_RAGGED`, in the name of `operation`.
 */
export function visitNested(
  operation: string,
  values: Nested,
  shape: readonly number[],
  each: (value: Nested) => void,
): void {
  // Where the visit is: a text of it is made only where it ends.
  const path: number[] = [];
  const ragged = (axis: number, given: string, expected: string): never => {
    const where = axis === 0 ? "the list" : `row ${path.slice(0, axis).join(", ")}`;
    throw new TensorShapeError(
      "SW_TENSOR_RAGGED",
      `${operation}: the nested lists are ragged: got ${given} in ${where}, expected ${expected}.`,
      { given, expected },
    );
  };
  const visit = (list: Nested, axis: number): void => {
    if (axis === shape.length) {
      if (Array.isArray(list)) ragged(axis, `a list of ${list.length}`, "a number");
      each(list);
      return;
    }
    const extent = shape[axis] as number;
    if (!Array.isArray(list)) ragged(axis, String(list), `a list of ${extent}`);
    const items = list as readonly Nested[];
    if (items.length !== extent) ragged(axis, `${items.length} values`, String(extent));
    for (let i = 0; i < extent; i++) {
      path[axis] = i;
      visit(items[i] as Nested, axis + 1);
    }
  };
  visit(values, 0);
}

/** The dtype of a first element: JS numbers make float32, booleans bool, bigints int64 (D14). */
export function dtypeOfValue(values: Nested): DType {
  let v: Nested | undefined = values;
  while (Array.isArray(v)) v = v[0] as Nested | undefined;
  if (typeof v === "boolean") return "bool";
  return typeof v === "bigint" ? "int64" : "float32";
}
