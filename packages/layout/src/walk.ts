// Walking: the indices of layouts one after another, without a multiplication for each.
export { adjacentStrides, isTransposed, rowMajorIndices } from "./walking/row-major.js";
