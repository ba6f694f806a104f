import type { Operand } from "@sw/tensor/seam";
import { load, plane, store } from "./planes.js";

// Image x [n, c, h, w], result r [n, c, rh, rw]; every channel is pooled by itself, over windows that are a product of a
// span of rows and a span of columns.

/** The spans of windows along one axis: from `begin` up to `end`, and by how many pixels an average divides. */
interface Spans {
  readonly begin: readonly number[];
  readonly end: readonly number[];
  readonly count: readonly number[];
}

/** Windows `kernel` long, `stride` apart, the first one `pad` before the image; without what lies outside of it. */
function slidingSpans(ints: readonly number[], axis: 0 | 1, size: number, windows: number, whole: boolean): Spans {
  const kernel = ints[axis]!;
  const stride = ints[2 + axis]!;
  const pad = ints[4 + axis]!;
  const begin: number[] = [];
  const end: number[] = [];
  const count: number[] = [];
  for (let i = 0; i < windows; i++) {
    const start = i * stride - pad;
    begin.push(Math.max(0, start));
    end.push(Math.min(size, start + kernel));
    count.push(whole ? kernel : end[i]! - begin[i]!);
  }
  return { begin, end, count };
}

/** `windows` spans that cover an axis: from `⌊i·n/m⌋` up to `⌈(i+1)·n/m⌉`. */
function adaptiveSpans(size: number, windows: number): Spans {
  const begin: number[] = [];
  const end: number[] = [];
  const count: number[] = [];
  for (let i = 0; i < windows; i++) {
    begin.push(Math.floor((i * size) / windows));
    end.push(Math.ceil(((i + 1) * size) / windows));
    count.push(end[i]! - begin[i]!);
  }
  return { begin, end, count };
}

/**
 * Writes the largest element of each window; with a second output, its row-major number in all of x. Window (y, x) begins
 * at `y · strideH − padH` and has what of `kernelH` rows lies in the image, so padding never wins; columns alike. The first
 * element in row-major order wins among equals (0 and -0 are equal), and the first NaN wins before all. Exact: the
 * element itself. Every window has an element if pad < kernel and the image is not empty. Source: OneModel section 9.
 */
export function maxPool2d(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const out = outputs[0]!;
  const indices = outputs[1];
  const x = inputs[0]!;
  const [images, channels, h, w] = x.shape as [number, number, number, number];
  const [, , rh, rw] = out.shape as [number, number, number, number];
  const rows = slidingSpans(ints, 0, h, rh, false);
  const columns = slidingSpans(ints, 1, w, rw, false);
  const image = plane(0, h * w);
  const winners = plane(1, rh * rw);
  for (let n = 0; n < images; n++) {
    for (let c = 0; c < channels; c++) {
      load("maxPool2d", x, 2, x.offset + n * x.strides[0]! + c * x.strides[1]!, image);
      for (let i = 0; i < rh; i++) {
        for (let j = 0; j < rw; j++) {
          const at = winnerOf(image, w, rows.begin[i]!, rows.end[i]!, columns.begin[j]!, columns.end[j]!);
          winners[i * rw + j] = image[at]!;
          if (indices !== undefined) {
            const [in0, in1, in2, in3] = indices.strides as [number, number, number, number];
            indices.data[indices.offset + n * in0 + c * in1 + i * in2 + j * in3] = (n * channels + c) * h * w + at;
          }
        }
      }
      store("maxPool2d", out, 2, out.offset + n * out.strides[0]! + c * out.strides[1]!, winners);
    }
  }
}

/** The place of a window's winner in its channel. */
function winnerOf(
  image: Float64Array,
  width: number,
  top: number,
  bottom: number,
  left: number,
  right: number,
): number {
  let winner = top * width + left;
  let best = image[winner]!;
  for (let y = top; y < bottom; y++) {
    for (let at = y * width + left; at < y * width + right; at++) {
      const value = image[at]!;
      // The first NaN beats all that was and all that comes.
      if (Number.isNaN(value)) return at;
      if (value > best) {
        best = value;
        winner = at;
      }
    }
  }
  return winner;
}

/**
 * Writes the average of each window of `maxPool2d`: the sum of its elements, divided once by how many they are, or by the
 * whole area of the kernel if countIncludePad is not 0. One float64 accumulator that starts from +0, row by row; rounded
 * once. NaN and infinities spread as IEEE has them; a window of -0 alone gives +0. With u the unit roundoff of float64
 * the error is below `(terms + 1) · u · Σ|x| / count`. Source: ONNX AveragePool.
 */
export function avgPool2d(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const [, , h, w] = inputs[0]!.shape as [number, number, number, number];
  const [, , rh, rw] = outputs[0]!.shape as [number, number, number, number];
  const whole = ints[6] !== 0;
  average(
    "avgPool2d",
    outputs[0]!,
    inputs[0]!,
    slidingSpans(ints, 0, h, rh, whole),
    slidingSpans(ints, 1, w, rw, whole),
  );
}

/**
 * Writes the average of each window of r, where window i of m along an axis of n elements goes from `⌊i·n/m⌋` up to
 * `⌈(i+1)·n/m⌉`. Summed, divided and rounded as `avgPool2d` does. Source: PyTorch adaptive_avg_pool2d.
 */
export function adaptiveAvgPool2d(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const [, , h, w] = inputs[0]!.shape as [number, number, number, number];
  const [, , rh, rw] = outputs[0]!.shape as [number, number, number, number];
  average("adaptiveAvgPool2d", outputs[0]!, inputs[0]!, adaptiveSpans(h, rh), adaptiveSpans(w, rw));
}

/**
 * Writes the cotangent of the image of `avgPool2d`: each window's cotangent, divided by its count in float64, is added to
 * its elements; one float64 accumulator an element, from +0, in the row-major order of the windows; rounded once. +0 where
 * no window reaches. Source: the transpose of ONNX, `AveragePool`.
 */
export function avgPool2dBackward(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
): void {
  const [, , h, w] = outputs[0]!.shape as [number, number, number, number];
  const [, , rh, rw] = inputs[0]!.shape as [number, number, number, number];
  const whole = ints[6] !== 0;
  const rows = slidingSpans(ints, 0, h, rh, whole);
  spread("avgPool2dBackward", outputs[0]!, inputs[0]!, rows, slidingSpans(ints, 1, w, rw, whole));
}

/**
 * Does for `adaptiveAvgPool2d` what `avgPool2dBackward` does for `avgPool2d`.
 * Source: the transpose of PyTorch, `AdaptiveAvgPool2d`.
 */
export function adaptiveAvgPool2dBackward(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const [, , h, w] = outputs[0]!.shape as [number, number, number, number];
  const [, , rh, rw] = inputs[0]!.shape as [number, number, number, number];
  spread("adaptiveAvgPool2dBackward", outputs[0]!, inputs[0]!, adaptiveSpans(h, rh), adaptiveSpans(w, rw));
}

function average(kernel: string, out: Operand, x: Operand, rows: Spans, columns: Spans): void {
  const [images, channels, h, w] = x.shape as [number, number, number, number];
  const [, , rh, rw] = out.shape as [number, number, number, number];
  const image = plane(0, h * w);
  const averages = plane(1, rh * rw);
  for (let n = 0; n < images; n++) {
    for (let c = 0; c < channels; c++) {
      load(kernel, x, 2, x.offset + n * x.strides[0]! + c * x.strides[1]!, image);
      for (let i = 0; i < rh; i++) {
        for (let j = 0; j < rw; j++) {
          let sum = 0;
          for (let y = rows.begin[i]!; y < rows.end[i]!; y++) {
            for (let at = y * w + columns.begin[j]!; at < y * w + columns.end[j]!; at++) sum += image[at]!;
          }
          averages[i * rw + j] = sum / (rows.count[i]! * columns.count[j]!);
        }
      }
      store(kernel, out, 2, out.offset + n * out.strides[0]! + c * out.strides[1]!, averages);
    }
  }
}

function spread(kernel: string, out: Operand, cotangent: Operand, rows: Spans, columns: Spans): void {
  const [images, channels, h, w] = out.shape as [number, number, number, number];
  const [, , rh, rw] = cotangent.shape as [number, number, number, number];
  const cotangents = plane(0, rh * rw);
  const sums = plane(1, h * w);
  for (let n = 0; n < images; n++) {
    for (let c = 0; c < channels; c++) {
      load(kernel, cotangent, 2, cotangent.offset + n * cotangent.strides[0]! + c * cotangent.strides[1]!, cotangents);
      sums.fill(0, 0, h * w);
      for (let i = 0; i < rh; i++) {
        for (let j = 0; j < rw; j++) {
          const share = cotangents[i * rw + j]! / (rows.count[i]! * columns.count[j]!);
          for (let y = rows.begin[i]!; y < rows.end[i]!; y++) {
            for (let at = y * w + columns.begin[j]!; at < y * w + columns.end[j]!; at++) sums[at] = sums[at]! + share;
          }
        }
      }
      store(kernel, out, 2, out.offset + n * out.strides[0]! + c * out.strides[1]!, sums);
    }
  }
}
