import type { Kernel, Operand } from "@sw/tensor/seam";
import { forEachRow } from "./rows.js";

/** An operand as loops over its matrices, which are the last two axes. */
function matrices(operand: Operand): Operand {
  return { ...operand, shape: [...operand.shape.slice(0, -2), 1], strides: [...operand.strides.slice(0, -2), 0] };
}

/**
 * Writes `out[…, i, j] = Σ a[…, i, p] · b[…, p, j]` of float32. Operands of the axes family have one stride an axis, and
 * batches arrive broadcast. Sums are float64 in the order of `p` and are rounded once: an empty one is +0.
 */
export const matmul: Kernel = ([out], [a, b]) => {
  const operands = [out!, a!, b!];
  const [to, left, right] = operands.map(({ data }) => data as Float32Array) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const [rows, columns] = out!.shape.slice(-2) as [number, number];
  const depth = a!.shape.at(-1)!;
  const [outRow, outColumn] = out!.strides.slice(-2) as [number, number];
  const [aRow, aDepth] = a!.strides.slice(-2) as [number, number];
  const [bDepth, bColumn] = b!.strides.slice(-2) as [number, number];
  forEachRow(operands.map(matrices), (starts) => {
    const [outAt, aAt, bAt] = starts as [number, number, number];
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        let sum = 0;
        for (let p = 0; p < depth; p++) {
          sum += left[aAt + i * aRow + p * aDepth]! * right[bAt + p * bDepth + j * bColumn]!;
        }
        to[outAt + i * outRow + j * outColumn] = sum;
      }
    }
  });
};
