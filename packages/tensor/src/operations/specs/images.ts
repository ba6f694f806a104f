import { FLOATS, type OperationSpec } from "../spec.js";

// Convolution, pooling and attention.

export type DifferentiableImages =
  | "conv2d"
  | "conv2dInputBackward"
  | "conv2dWeightBackward"
  | "maxPool2d"
  | "avgPool2d"
  | "avgPool2dBackward"
  | "adaptiveAvgPool2d"
  | "adaptiveAvgPool2dBackward"
  | "attention";
export type PlainImages = never;

/** What the three kernels of convolution are told, in this order. They are one another's rules. */
const CONVOLUTION: readonly string[] = [
  "kernelH",
  "kernelW",
  "strideH",
  "strideW",
  "padH",
  "padW",
  "dilationH",
  "dilationW",
  "groups",
];

const WINDOWS: readonly string[] = ["kernelH", "kernelW", "strideH", "strideW", "padH", "padW"];

const AVERAGES: readonly string[] = ["kernelH", "kernelW", "strideH", "strideW", "padH", "padW", "countIncludePad"];

export const CONV2D: OperationSpec<"conv2d", true> = {
  kind: "conv2d",
  family: "axes",
  outputs: ["r"],
  inputs: ["x", "weight", "bias?"],
  ints: CONVOLUTION,
  floats: [],
  kinds: FLOATS,
  saves: [
    [0, 1],
    [1, 0],
  ],
  differentiable: true,
};

export const CONV2D_INPUT_BACKWARD: OperationSpec<"conv2dInputBackward", true> = {
  kind: "conv2dInputBackward",
  family: "axes",
  outputs: ["dx"],
  inputs: ["cotangent", "weight"],
  ints: CONVOLUTION,
  floats: [],
  kinds: FLOATS,
  saves: [
    [0, 1],
    [1, 0],
  ],
  differentiable: true,
};

export const CONV2D_WEIGHT_BACKWARD: OperationSpec<"conv2dWeightBackward", true> = {
  kind: "conv2dWeightBackward",
  family: "axes",
  outputs: ["dw"],
  inputs: ["cotangent", "x"],
  ints: CONVOLUTION,
  floats: [],
  kinds: FLOATS,
  saves: [
    [0, 1],
    [1, 0],
  ],
  differentiable: true,
};

export const MAX_POOL2D: OperationSpec<"maxPool2d", true> = {
  kind: "maxPool2d",
  family: "axes",
  outputs: ["r", "indices:int32?"],
  inputs: ["x"],
  ints: WINDOWS,
  floats: [],
  kinds: FLOATS,
  saves: [[-2]],
  differentiable: true,
};

export const AVG_POOL2D: OperationSpec<"avgPool2d", true> = {
  kind: "avgPool2d",
  family: "axes",
  outputs: ["r"],
  inputs: ["x"],
  ints: AVERAGES,
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

export const AVG_POOL2D_BACKWARD: OperationSpec<"avgPool2dBackward", true> = {
  kind: "avgPool2dBackward",
  family: "axes",
  outputs: ["dx"],
  inputs: ["cotangent"],
  ints: AVERAGES,
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

/** The extents of its operands say all. */
export const ADAPTIVE_AVG_POOL2D: OperationSpec<"adaptiveAvgPool2d", true> = {
  kind: "adaptiveAvgPool2d",
  family: "axes",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

export const ADAPTIVE_AVG_POOL2D_BACKWARD: OperationSpec<"adaptiveAvgPool2dBackward", true> = {
  kind: "adaptiveAvgPool2dBackward",
  family: "axes",
  outputs: ["dx"],
  inputs: ["cotangent"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

/** The mask is of the other operands' dtype, or bool. */
export const ATTENTION: OperationSpec<"attention", true> = {
  kind: "attention",
  family: "axes",
  outputs: ["r"],
  inputs: ["q", "k", "v", "mask:any?"],
  ints: ["causal"],
  floats: ["scale"],
  kinds: FLOATS,
  saves: [[0], [1], [2, 0, 1, 3], [3]],
  differentiable: true,
};
