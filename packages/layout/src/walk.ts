// Walking: the indices of layouts one after another, without a multiplication for each.
export { forEachRun, type VisitRun } from "./walking/for-each-run.js";
export { type Odometer, odometer } from "./walking/odometer.js";
export { adjacentStrides, isTransposed, rowMajorIndices } from "./walking/row-major.js";
export type { WalkOptions } from "./walking/runs.js";
