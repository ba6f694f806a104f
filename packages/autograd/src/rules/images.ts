import {
  type AvgPoolOptions,
  adaptiveAvgPool2d,
  avgPool2d,
  type ConvolutionOptions,
  conv2d,
  scatterAdd,
  sum,
  type Tensor,
  zeros,
} from "@sw/tensor";
import {
  adaptiveAvgPool2dBackward,
  avgPool2dBackward,
  type BackwardRecord,
  type BackwardRule,
  conv2dInputBackward,
  conv2dWeightBackward,
  unpack,
} from "@sw/tensor/seam";
import { inputShape, needs } from "./needs.js";

// Each is linear in its operands, maxPool2d aside, and the transposes are among one another: what is saved is the other
// operand.

function convolutionOf({ ints }: BackwardRecord): ConvolutionOptions {
  const [, , strideH = 1, strideW = 1, padH = 0, padW = 0, dilationH = 1, dilationW = 1, groups = 1] = ints;
  return { stride: [strideH, strideW], padding: [padH, padW], dilation: [dilationH, dilationW], groups };
}

export const conv2dRule: BackwardRule = (record, g) => {
  const options = convolutionOf(record);
  const all = [
    () => conv2dInputBackward(g, unpack(record, 1), inputShape(record, 0), options),
    () => conv2dWeightBackward(g, unpack(record, 0), inputShape(record, 1), options),
    () => sum(g, { axes: [0, 2, 3] }) as Tensor,
  ];
  return record.inputs.map((_, input) => (needs(record, input) ? all[input]?.() : undefined));
};

export const conv2dInputBackwardRule: BackwardRule = (record, g) => {
  const options = convolutionOf(record);
  return [
    needs(record, 0) ? conv2d(g, unpack(record, 1), options) : undefined,
    needs(record, 1) ? conv2dWeightBackward(unpack(record, 0), g, inputShape(record, 1), options) : undefined,
  ];
};

export const conv2dWeightBackwardRule: BackwardRule = (record, g) => {
  const options = convolutionOf(record);
  return [
    needs(record, 0) ? conv2d(unpack(record, 1), g, options) : undefined,
    needs(record, 1) ? conv2dInputBackward(unpack(record, 0), g, inputShape(record, 1), options) : undefined,
  ];
};

// Each window's cotangent goes to its largest pixel; one that is the largest of several windows gets all of theirs.
export const maxPool2dRule: BackwardRule = (record, g) => {
  const shape = inputShape(record, 0);
  const pixels = zeros([shape.reduce((product, extent) => product * extent, 1)], { dtype: g.dtype });
  return [scatterAdd(pixels, unpack(record, 0).reshape([g.size]), g.reshape([g.size]), 0).reshape(shape)];
};

function averagesOf({ ints }: BackwardRecord): AvgPoolOptions {
  const [kernelH = 1, kernelW = 1, strideH = 1, strideW = 1, padH = 0, padW = 0, countIncludePad] = ints;
  return {
    kernel: [kernelH, kernelW],
    stride: [strideH, strideW],
    padding: [padH, padW],
    countIncludePad: countIncludePad === 1,
  };
}

export const avgPool2dRule: BackwardRule = (record, g) => [
  avgPool2dBackward(g, inputShape(record, 0), averagesOf(record)),
];

export const avgPool2dBackwardRule: BackwardRule = (record, g) => [avgPool2d(g, averagesOf(record))];

export const adaptiveAvgPool2dRule: BackwardRule = (record, g) => [adaptiveAvgPool2dBackward(g, inputShape(record, 0))];

export const adaptiveAvgPool2dBackwardRule: BackwardRule = (record, g) => [
  adaptiveAvgPool2d(g, inputShape(record, 0).slice(2) as [number, number]),
];
