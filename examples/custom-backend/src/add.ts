import type { Kernel } from "@sw/tensor/seam";
import { forEachRow, innermost } from "./rows.js";

/**
 * Writes `a + b` of float32, on any strides. The sum of two float32 values as float64 is exact or rounds like theirs,
 * so that storing it, which rounds to float32, gives the one right answer.
 */
export const add: Kernel = ([out], [a, b]) => {
  const operands = [out!, a!, b!];
  const [to, left, right] = operands.map(({ data }) => data as Float32Array) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const [count, outStep] = innermost(out!);
  const [, aStep] = innermost(a!);
  const [, bStep] = innermost(b!);
  forEachRow(operands, (starts) => {
    const [outAt, aAt, bAt] = starts as [number, number, number];
    for (let i = 0; i < count; i++) to[outAt + i * outStep] = left[aAt + i * aStep]! + right[bAt + i * bStep]!;
  });
};
