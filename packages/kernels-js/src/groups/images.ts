import type { Operand } from "@sw/tensor/seam";
import { attention } from "../attention.js";
import { conv2d, conv2dInputBackward, conv2dWeightBackward } from "../convolution.js";
import { loadRows } from "../planes.js";
import { adaptiveAvgPool2d, adaptiveAvgPool2dBackward, avgPool2d, avgPool2dBackward, maxPool2d } from "../pooling.js";
import type { KernelGroup } from "./group.js";

/** All of one float dtype, but for a mask of bool. */
function takesAttention(outputs: readonly Operand[], inputs: readonly Operand[]): boolean {
  const { dtype } = outputs[0]!;
  if (loadRows[dtype] === undefined) return false;
  return inputs.every((input, i) => input.dtype === dtype || (i === 3 && input.dtype === "bool"));
}

/** Convolution, pooling and attention. */
export const images: KernelGroup = {
  kernels: {
    conv2d,
    conv2dInputBackward,
    conv2dWeightBackward,
    maxPool2d,
    avgPool2d,
    avgPool2dBackward,
    adaptiveAvgPool2d,
    adaptiveAvgPool2dBackward,
    attention,
  },
  dtypes: {
    conv2d: loadRows,
    conv2dInputBackward: loadRows,
    conv2dWeightBackward: loadRows,
    maxPool2d: loadRows,
    avgPool2d: loadRows,
    avgPool2dBackward: loadRows,
    adaptiveAvgPool2d: loadRows,
    adaptiveAvgPool2dBackward: loadRows,
    attention: takesAttention,
  },
};
