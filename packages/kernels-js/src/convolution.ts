import type { Operand } from "@sw/tensor/seam";
import { load, plane, store } from "./planes.js";

// Image x [n, c, h, w], weight [o, c / groups, kh, kw], result r [n, o, rh, rw]. Tap (i, j) of a kernel joins pixel
// (y, u) of the result with pixel (y · strideH + i · dilationH − padH, u · strideW + j · dilationW − padW) of the image,
// if there is one. The three kernels are the three ways to sum over these pairs: each walks the taps, and for one tap the
// rectangle of its pairs, so that every sum takes its terms in the order that its documentation says.

/** The extents of a convolution, and the pairs of one tap. */
class Taps {
  readonly ints: readonly number[];
  readonly image: readonly number[];
  readonly result: readonly number[];
  readonly kernelH: number;
  readonly kernelW: number;
  /** Channels of the image, and of the result, in a group. */
  readonly depth: number;
  readonly outs: number;
  /** Pixels of a channel. */
  readonly imageSize: number;
  readonly resultSize: number;
  /** What leads from pair to pair in a channel of the image; in one of the result it is its width, and 1. */
  readonly imageRow: number;
  readonly imageColumn: number;
  /** The pairs of the tap that was sought: how many by how many, and where the first lies in both channels. */
  rows = 0;
  columns = 0;
  imageAt = 0;
  resultAt = 0;

  constructor(ints: readonly number[], x: readonly number[], r: readonly number[]) {
    this.ints = ints;
    this.image = x.slice(2);
    this.result = r.slice(2);
    this.kernelH = ints[0]!;
    this.kernelW = ints[1]!;
    this.depth = x[1]! / ints[8]!;
    this.outs = r[1]! / ints[8]!;
    this.imageSize = x[2]! * x[3]!;
    this.resultSize = r[2]! * r[3]!;
    this.imageRow = ints[2]! * x[3]!;
    this.imageColumn = ints[3]!;
  }

  seek(i: number, j: number): void {
    const top = this.first(0, i);
    const left = this.first(1, j);
    this.rows = Math.max(0, this.end(0, i) - top);
    this.columns = Math.max(0, this.end(1, j) - left);
    this.resultAt = top * this.result[1]! + left;
    this.imageAt = top * this.imageRow + this.shift(0, i) * this.image[1]! + left * this.imageColumn + this.shift(1, j);
  }

  /** From a result's pixel 0 to the image's pixel that the tap joins it with. */
  shift(axis: 0 | 1, tap: number): number {
    return tap * this.ints[6 + axis]! - this.ints[4 + axis]!;
  }

  /** The first pixel of the result that the tap joins with a pixel of the image, and the one after the last. */
  first(axis: 0 | 1, tap: number): number {
    return Math.max(0, Math.ceil(-this.shift(axis, tap) / this.ints[2 + axis]!));
  }

  end(axis: 0 | 1, tap: number): number {
    const last = Math.floor((this.image[axis]! - 1 - this.shift(axis, tap)) / this.ints[2 + axis]!);
    return Math.min(this.result[axis]!, last + 1);
  }
}

/**
 * Writes `r[n,o,y,u] = bias[o] + Σ weight[o,c,i,j] · x[n, c, y·strideH + i·dilationH − padH, …]` for operands of any
 * strides and any float dtype; c over the channels of the group of o, then i, then j.
 *
 * Each product is a float64, exact where the operands are narrower; each sum is one float64 accumulator that starts from
 * +0 and takes the products in that order, then the bias; it is rounded once. With u the unit roundoff of float64 the
 * error is below `(terms + 1) · u · Σ |products and bias|` and that one rounding. A tap over padding is no term: an
 * infinite weight there makes no NaN. NaN and infinities spread as IEEE has them. Without terms it is the bias, or +0.
 * Source: ONNX Conv, PyTorch conv2d.
 */
export function conv2d(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const out = outputs[0]!;
  const x = inputs[0]!;
  const weight = inputs[1]!;
  const bias = inputs[2];
  const taps = new Taps(ints, x.shape, out.shape);
  const { depth, kernelH, kernelW, imageSize, resultSize } = taps;
  const width = taps.result[1]!;
  const outChannels = out.shape[1]!;
  const images = plane(0, x.shape[1]! * imageSize);
  const weights = plane(1, outChannels * depth * kernelH * kernelW);
  const biases = plane(2, outChannels);
  const sums = plane(3, resultSize);
  load("conv2d", weight, 0, weight.offset, weights);
  if (bias !== undefined) load("conv2d", bias, 0, bias.offset, biases);
  for (let n = 0; n < out.shape[0]!; n++) {
    load("conv2d", x, 1, x.offset + n * x.strides[0]!, images);
    let w = 0;
    for (let o = 0; o < outChannels; o++) {
      sums.fill(0, 0, resultSize);
      const first = Math.floor(o / taps.outs) * depth;
      for (let c = first; c < first + depth; c++) {
        for (let i = 0; i < kernelH; i++) {
          for (let j = 0; j < kernelW; j++) {
            taps.seek(i, j);
            const { rows, columns, imageRow, imageColumn, resultAt } = taps;
            const at = c * imageSize + taps.imageAt;
            addScaled(rows, columns, weights[w++]!, sums, resultAt, width, 1, images, at, imageRow, imageColumn);
          }
        }
      }
      if (bias !== undefined) addBias(resultSize, sums, biases[o]!);
      store("conv2d", out, 2, out.offset + n * out.strides[0]! + o * out.strides[1]!, sums);
    }
  }
}

/**
 * Writes the cotangent of the image: `dx[n,c,v,t] = Σ weight[o,c,i,j] · g[n,o,y,u]` over the pairs that meet at (v, t); o
 * over the outputs of the group of c, then i, then j. What is said of `conv2d` holds: float64, in that order, rounded
 * once; +0 where no window reaches. It is transposed convolution as well. Source: ONNX, `ConvTranspose`.
 */
export function conv2dInputBackward(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
): void {
  const out = outputs[0]!;
  const cotangent = inputs[0]!;
  const weight = inputs[1]!;
  const taps = new Taps(ints, out.shape, cotangent.shape);
  const { depth, outs, kernelH, kernelW, imageSize, resultSize } = taps;
  const width = taps.result[1]!;
  const cotangents = plane(0, cotangent.shape[1]! * resultSize);
  const weights = plane(1, cotangent.shape[1]! * depth * kernelH * kernelW);
  const sums = plane(2, imageSize);
  load("conv2dInputBackward", weight, 0, weight.offset, weights);
  for (let n = 0; n < out.shape[0]!; n++) {
    load("conv2dInputBackward", cotangent, 1, cotangent.offset + n * cotangent.strides[0]!, cotangents);
    for (let c = 0; c < out.shape[1]!; c++) {
      sums.fill(0, 0, imageSize);
      const first = Math.floor(c / depth) * outs;
      for (let o = first; o < first + outs; o++) {
        let w = (o * depth + (c % depth)) * kernelH * kernelW;
        for (let i = 0; i < kernelH; i++) {
          for (let j = 0; j < kernelW; j++) {
            taps.seek(i, j);
            const { rows, columns, imageRow, imageColumn, imageAt } = taps;
            const at = o * resultSize + taps.resultAt;
            addScaled(rows, columns, weights[w++]!, sums, imageAt, imageRow, imageColumn, cotangents, at, width, 1);
          }
        }
      }
      store("conv2dInputBackward", out, 2, out.offset + n * out.strides[0]! + c * out.strides[1]!, sums);
    }
  }
}

/**
 * Writes the cotangent of the weights: `dw[o,c,i,j] = Σ g[n,o,y,u] · x[n, c, …]` over the pairs of the tap; n, then y,
 * then u. What is said of `conv2d` holds: float64, in that order, rounded once; +0 for a tap that lies over padding only.
 * Source: the derivative of ONNX, `Conv`, by its weights.
 */
export function conv2dWeightBackward(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
): void {
  const out = outputs[0]!;
  const cotangent = inputs[0]!;
  const x = inputs[1]!;
  const taps = new Taps(ints, x.shape, cotangent.shape);
  const { depth, outs, kernelH, kernelW, imageSize, resultSize } = taps;
  const width = taps.result[1]!;
  const outChannels = out.shape[0]!;
  const cotangents = plane(0, outChannels * resultSize);
  const images = plane(1, x.shape[1]! * imageSize);
  const sums = plane(2, outChannels * depth * kernelH * kernelW);
  sums.fill(0, 0, outChannels * depth * kernelH * kernelW);
  for (let n = 0; n < x.shape[0]!; n++) {
    load("conv2dWeightBackward", cotangent, 1, cotangent.offset + n * cotangent.strides[0]!, cotangents);
    load("conv2dWeightBackward", x, 1, x.offset + n * x.strides[0]!, images);
    let w = 0;
    for (let o = 0; o < outChannels; o++) {
      const first = Math.floor(o / outs) * depth;
      for (let c = first; c < first + depth; c++) {
        for (let i = 0; i < kernelH; i++) {
          for (let j = 0; j < kernelW; j++) {
            taps.seek(i, j);
            const { rows, columns, imageRow, imageColumn } = taps;
            const from = o * resultSize + taps.resultAt;
            const at = c * imageSize + taps.imageAt;
            const sum = sums[w]!;
            sums[w++] = addProducts(rows, columns, sum, cotangents, from, width, images, at, imageRow, imageColumn);
          }
        }
      }
    }
  }
  store("conv2dWeightBackward", out, 0, out.offset, sums);
}

// Below, `…o` is an offset, `…r` leads from row to row and `…c` along a row.

/** Adds `factor · b` to `a`. */
function addScaled(
  rows: number,
  columns: number,
  factor: number,
  a: Float64Array,
  ao: number,
  ar: number,
  ac: number,
  b: Float64Array,
  bo: number,
  br: number,
  bc: number,
): void {
  for (let i = 0; i < rows; i++) {
    let at = ao + i * ar;
    let from = bo + i * br;
    for (let j = 0; j < columns; j++) {
      a[at] = a[at]! + factor * b[from]!;
      at += ac;
      from += bc;
    }
  }
}

/** Adds the products of `a`, which is dense along a row, and `b` to a sum. */
function addProducts(
  rows: number,
  columns: number,
  start: number,
  a: Float64Array,
  ao: number,
  ar: number,
  b: Float64Array,
  bo: number,
  br: number,
  bc: number,
): number {
  let sum = start;
  for (let i = 0; i < rows; i++) {
    const at = ao + i * ar;
    let from = bo + i * br;
    for (let j = 0; j < columns; j++) {
      sum += a[at + j]! * b[from]!;
      from += bc;
    }
  }
  return sum;
}

function addBias(n: number, sums: Float64Array, bias: number): void {
  for (let i = 0; i < n; i++) sums[i] = sums[i]! + bias;
}
