import type { ElementArray } from "./arrays.js";
import type { Grid, Parameters } from "./parameters.js";

/**
 * Turns stored elements in row-major order into values: the difference from the zero point is exact (A34), is rounded to
 * float32 and multiplied by the scale in float32.
 */
export function dequantize(parameters: Parameters, elements: ElementArray): Float32Array {
  const digits = parameters.digitsOf(elements);
  const values = new Float32Array(digits.length);
  forEachRun(parameters.grid, digits.length, (start, count, first, step) => {
    scaleRun(parameters, digits, values, start, count, first, step);
  });
  return values;
}

/** Element `start + i` has parameter `first + i * step`. The product of two float32 is exact as a number, and rounds once. */
export function scaleRun(
  { scales, zeroPoints }: Parameters,
  digits: ArrayLike<number>,
  values: Float32Array,
  start: number,
  count: number,
  first: number,
  step: number,
): void {
  if (zeroPoints === undefined) {
    for (let i = 0, p = first; i < count; i++, p += step) {
      values[start + i] = Math.fround(digits[start + i]!) * scales[p]!;
    }
  } else {
    for (let i = 0, p = first; i < count; i++, p += step) {
      values[start + i] = Math.fround(digits[start + i]! - zeroPoints[p]!) * scales[p]!;
    }
  }
}

/** Calls with runs of elements whose parameters are equally far apart. */
function forEachRun(
  { extent, inner, blockSize, blocks }: Grid,
  length: number,
  visit: (start: number, count: number, first: number, step: number) => void,
): void {
  const perLine = Math.ceil(extent / blockSize);
  if (inner > 1) {
    for (let start = 0, row = 0; start < length; start += inner, row++) {
      const block = Math.floor((row % extent) / blockSize);
      if (blocks) visit(start, inner, Math.floor(row / extent) * inner * perLine + block, perLine);
      else visit(start, inner, block, 0);
    }
    return;
  }
  // Along the last axis the elements of a line have parameters one after another.
  for (let start = 0, line = 0; start < length; start += extent, line++) {
    if (!blocks) visit(start, extent, 0, 1);
    for (let b = 0; blocks && b < perLine; b++) {
      const at = b * blockSize;
      visit(start + at, Math.min(blockSize, extent - at), line * perLine + b, 0);
    }
  }
}
