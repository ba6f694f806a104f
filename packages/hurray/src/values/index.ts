// Elements of every type: packed and unpacked, as numbers.
export type { ElementArray, ElementArrays } from "./arrays.js";
export { float128ToNumber, numberToFloat128 } from "./float128.js";
export { fromNumbers, toNumbers } from "./numbers.js";
export { packElements, unpackElements } from "./pack.js";
export type { Overflow } from "./small-floats.js";
