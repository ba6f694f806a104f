// The values of what is stored: elements of every type, and tensors of every layout, quantised and composite ones.
export { type ElementPlace, elementPlace } from "./address.js";
export type { ElementArray, ElementArrays } from "./arrays.js";
export { type CheckDataOptions, checkData } from "./check-data.js";
export type { StoredNumber } from "./element.js";
export { float128ToNumber, numberToFloat128 } from "./float128.js";
export type { LayoutTarget } from "./layout-target.js";
export { fromNumbers, toNumbers } from "./numbers.js";
export { packElements, unpackElements } from "./pack.js";
export { pagedOffset } from "./paged.js";
export { type QuantizedStorage, type QuantizeOptions, quantize } from "./quantize.js";
export { canRelayout, relayout } from "./relayout.js";
export type { Overflow } from "./small-floats.js";
export type { SparseKind } from "./sparse/entries.js";
export { sparsePosition } from "./sparse/lookup.js";
export { type ToSparseOptions, toSparse } from "./sparse/to-sparse.js";
export type { Values, ValuesOptions } from "./tensor-values.js";
export { valueAt } from "./value-at.js";
export { valuesOf } from "./values-of.js";
