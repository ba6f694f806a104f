import type { Operand } from "@sw/tensor/seam";
import { BLOCK_COLUMNS, BLOCK_DEPTH, PACKED_A_BYTES } from "../kernels/blocking.js";
import type { CoreExports } from "../kernels/core.js";
import { ROW_BYTES } from "../kernels/tile.js";
import { blockSize, type Matrix, multiply, multiplyBlock, type ProductEngine } from "./matmul.js";
import { type Geometry, geometryOf, type Tap, tapsOf } from "./taps.js";
import type { Located, WorkingRoom } from "./working-room.js";

// Convolutions are products of matrices: with [taps] for the channels of a group times the taps of a kernel,
//   result [outs, pixels] = weight [outs, taps] · windows [taps, pixels]
//   weight cotangent [outs, taps] = cotangent [outs, pixels] · windowsᵀ [pixels, taps]
//   windows' cotangent [taps, pixels] = weightᵀ [taps, outs] · cotangent [outs, pixels], added to the image's
// The first two read windows over padding as zeros, which is right as long as what meets them is finite: 0 · ∞ is NaN, and
// a tap over padding is no term. Otherwise they go tap by tap, over the pairs that there are.

/** What convolutions need beside their operands. */
export interface ConvolutionEngine extends ProductEngine {
  readonly core: ProductEngine["core"] &
    Pick<CoreExports, "packWindows" | "packTaps" | "copyPlane" | "addPlane" | "finiteProbe">;
}

/** A kernel of convolution: it takes what room it needs, and leaves it to its caller to free. */
export type LaunchConvolution = (
  engine: ConvolutionEngine,
  room: WorkingRoom,
  out: Operand,
  inputs: readonly Operand[],
  ints: readonly number[],
) => void;

/** Pixels of the result whose windows are packed at once. */
const BLOCK_PIXELS = 256;
/** Elements of the windows' cotangent that are made at once, about: a quarter of the second-level cache. */
const SPREAD = 2 ** 16;

/** Writes `result = weight · windows + bias`. */
export const launchConv2d: LaunchConvolution = (engine, room, out, inputs, ints) => {
  const { core, scratch } = engine;
  const packed = scratch + PACKED_A_BYTES;
  const geometry = geometryOf(ints, inputs[0]!.shape, out.shape);
  const { batch, groups, outs, resultHeight, resultWidth } = geometry;
  const pixels = resultHeight * resultWidth;
  const result = room.locate(out);
  const x = room.locate(inputs[0]!, true);
  const weight = room.locate(inputs[1]!);
  const bias = inputs[2] === undefined ? undefined : room.locate(inputs[2]);
  const windows = new Windows(room, geometry, x);
  const { taps } = windows;
  // For the product that goes tap by tap.
  const planes = windows.padded ? room.take(outs * geometry.height * geometry.width * 4) : 0;
  room.fill(result);
  windows.fill();
  const floats = room.floats();
  for (let plane = 0; plane < batch * groups * outs && pixels > 0; plane++) {
    const value = bias === undefined ? 0 : floats[bias.at / 4 + (plane % (groups * outs)) * bias.strides[0]!]!;
    const at = result.at / 4 + plane * pixels;
    floats.fill(value, at, at + pixels);
  }
  if (outs * pixels * taps > 0) {
    const whole = !windows.padded || allFinite(engine, weight);
    for (let n = 0; n < batch; n++) {
      if (whole) windows.seek(engine, n);
      for (let group = 0; group < groups; group++) {
        const a = { at: weight.at + group * outs * taps * 4, row: taps * 4, column: 4 };
        const c = { at: result.at + (n * groups + group) * outs * pixels * 4, row: pixels * 4, column: 4 };
        if (whole) product(group, a, c);
        else tapByTap(n, group, a, c);
      }
    }
  }
  room.giveBack(result);

  function product(group: number, a: Matrix, c: Matrix): void {
    const depthStep = blockSize(taps, BLOCK_DEPTH, 1);
    for (let pixel = 0; pixel < pixels; pixel += BLOCK_PIXELS) {
      const width = Math.min(BLOCK_PIXELS, pixels - pixel);
      for (let k = 0; k < taps; k += depthStep) {
        const inner = Math.min(depthStep, taps - k);
        windows.pack(core.packWindows, packed, group, k, pixel, inner, width);
        const left = { ...a, at: a.at + k * 4 };
        multiplyBlock(engine, outs, width, inner, left, packed, inner * ROW_BYTES, ROW_BYTES, c.at + pixel * 4, c, 1);
      }
    }
  }

  /** Every channel of the image times one tap, of which the pixels that the tap joins with the result are added. */
  function tapByTap(n: number, group: number, a: Matrix, c: Matrix): void {
    const { depth, height, width, strideH, strideW } = geometry;
    const kernel = geometry.kernelH * geometry.kernelW;
    const to = { at: planes, row: height * width * 4, column: 4 };
    tapsOf(geometry).forEach((tap, t) => {
      if (tap.rows === 0) return;
      for (let y = 0; y < tap.rows; y++) {
        // A row of the image at a time, so that any strides do.
        const b = windows.pixelsOf(n, group, tap.imageY + y * strideH);
        const line = { ...to, at: planes + y * width * 4 };
        multiply(engine, outs, width, depth, { at: a.at + t * 4, row: a.row, column: kernel * 4 }, b, line);
      }
      for (let o = 0; o < outs; o++) {
        const at = c.at + o * c.row + (tap.resultY * resultWidth + tap.resultX) * 4;
        const from = to.at + o * to.row + tap.imageX * 4;
        core.addPlane(tap.rows, tap.columns, at, resultWidth * 4, 4, from, width * 4, strideW * 4);
      }
    });
  }
};

/** Writes `weight cotangent = cotangent · windowsᵀ`, summed over the batch. */
export const launchConv2dWeightBackward: LaunchConvolution = (engine, room, out, inputs, ints) => {
  const { core, scratch } = engine;
  const packed = scratch + PACKED_A_BYTES;
  const geometry = geometryOf(ints, inputs[1]!.shape, inputs[0]!.shape);
  const { batch, groups, outs, resultHeight, resultWidth } = geometry;
  const pixels = resultHeight * resultWidth;
  const weight = room.locate(out);
  const cotangent = room.locate(inputs[0]!);
  const x = room.locate(inputs[1]!, true);
  const windows = new Windows(room, geometry, x);
  const { taps } = windows;
  room.fill(weight);
  windows.fill();
  room.floats().fill(0, weight.at / 4, weight.at / 4 + groups * outs * taps);
  if (outs * pixels * taps > 0) {
    const whole = !windows.padded || allFinite(engine, cotangent);
    for (let n = 0; n < batch; n++) {
      if (whole) windows.seek(engine, n);
      for (let group = 0; group < groups; group++) {
        const a = { at: cotangent.at + (n * groups + group) * outs * pixels * 4, row: pixels * 4, column: 4 };
        const c = { at: weight.at + group * outs * taps * 4, row: taps * 4, column: 4 };
        if (whole) product(group, a, c);
        else tapByTap(n, group, a, c);
      }
    }
  }
  room.giveBack(weight);

  function product(group: number, a: Matrix, c: Matrix): void {
    const depthStep = blockSize(pixels, BLOCK_DEPTH, 1);
    for (let k = 0; k < taps; k += BLOCK_COLUMNS) {
      const width = Math.min(BLOCK_COLUMNS, taps - k);
      for (let pixel = 0; pixel < pixels; pixel += depthStep) {
        const inner = Math.min(depthStep, pixels - pixel);
        windows.pack(core.packTaps, packed, group, k, pixel, inner, width);
        const left = { ...a, at: a.at + pixel * 4 };
        multiplyBlock(engine, outs, width, inner, left, packed, inner * ROW_BYTES, ROW_BYTES, c.at + k * 4, c, 1);
      }
    }
  }

  /** One row of the pairs of one tap at a time. */
  function tapByTap(n: number, group: number, a: Matrix, c: Matrix): void {
    const kernel = geometry.kernelH * geometry.kernelW;
    tapsOf(geometry).forEach((tap, t) => {
      const to = { at: c.at + t * 4, row: c.row, column: kernel * 4 };
      for (let y = 0; y < tap.rows; y++) {
        const left = { ...a, at: a.at + ((tap.resultY + y) * resultWidth + tap.resultX) * 4 };
        const b = windows.pixelsOf(n, group, tap.imageY + y * geometry.strideH);
        const right = { at: b.at + tap.imageX * b.column, row: b.column * geometry.strideW, column: b.row };
        multiply(engine, outs, geometry.depth, tap.columns, left, right, to, 1);
      }
    });
  }
};

/** Adds the windows' cotangent, `weightᵀ · cotangent`, to the image's. */
export const launchConv2dInputBackward: LaunchConvolution = (engine, room, out, inputs, ints) => {
  const { core } = engine;
  const geometry = geometryOf(ints, out.shape, inputs[0]!.shape);
  const { batch, groups, depth, outs, height, width, resultHeight, resultWidth, strideH, strideW } = geometry;
  const kernel = geometry.kernelH * geometry.kernelW;
  const image = room.locate(out);
  const cotangent = room.locate(inputs[0]!);
  const weight = room.locate(inputs[1]!);
  // So many rows of the result and so many channels at a time that their windows stay in the cache.
  const rowStep = Math.max(1, Math.min(resultHeight, Math.floor(BLOCK_COLUMNS / Math.max(1, resultWidth))));
  const channelStep = Math.max(1, Math.min(depth, Math.floor(SPREAD / (kernel * rowStep * Math.max(1, resultWidth)))));
  const spread = room.take(channelStep * kernel * rowStep * resultWidth * 4);
  room.fill(image);
  room.floats().fill(0, image.at / 4, image.at / 4 + batch * groups * depth * height * width);
  const taps = tapsOf(geometry);
  const pixels = resultHeight * resultWidth;
  for (let n = 0; n < batch && pixels > 0; n++) {
    for (let group = 0; group < groups; group++) {
      const b = { at: cotangent.at + (n * groups + group) * outs * pixels * 4, row: pixels * 4, column: 4 };
      for (let y = 0; y < resultHeight; y += rowStep) {
        const rows = Math.min(rowStep, resultHeight - y);
        for (let c = 0; c < depth; c += channelStep) {
          addChannels(n, group, y, rows, c, Math.min(channelStep, depth - c), { ...b, at: b.at + y * resultWidth * 4 });
        }
      }
    }
  }
  room.giveBack(image);

  function addChannels(n: number, group: number, y: number, rows: number, c: number, count: number, b: Matrix): void {
    const columns = rows * resultWidth;
    const size = depth * kernel * 4;
    const a = { at: weight.at + group * outs * size + c * kernel * 4, row: 4, column: size };
    multiply(engine, count * kernel, columns, outs, a, b, { at: spread, row: columns * 4, column: 4 });
    for (let line = 0; line < count * kernel; line++) {
      const tap = taps[line % kernel]!;
      const channel = (n * groups + group) * depth + c + Math.floor(line / kernel);
      addTap(tap, y, rows, image.at + channel * height * width * 4, spread + line * columns * 4);
    }
  }

  function addTap(tap: Tap, y: number, rows: number, to: number, from: number): void {
    const first = Math.max(y, tap.resultY);
    const count = Math.min(y + rows, tap.resultY + tap.rows) - first;
    if (count <= 0) return;
    const imageY = tap.imageY + (first - tap.resultY) * strideH;
    const at = to + (imageY * width + tap.imageX) * 4;
    const source = from + ((first - y) * resultWidth + tap.resultX) * 4;
    core.addPlane(count, tap.columns, at, strideH * width * 4, strideW * 4, source, resultWidth * 4, 4);
  }
};

function allFinite({ core }: ConvolutionEngine, { at, shape }: Located): boolean {
  const count = shape.reduce((product, extent) => product * extent, 1);
  return count === 0 || core.finiteProbe(count, at) === 0;
}

/**
 * The windows of an image as a matrix of addresses: a pixel's plus a tap's. Where there is padding they are windows of a
 * copy with zeros around it, made image by image; otherwise of the image as it lies.
 */
class Windows {
  readonly padded: boolean;
  /** Channels of a group times taps of the kernel. */
  readonly taps: number;
  private readonly geometry: Geometry;
  private readonly room: WorkingRoom;
  private readonly x: Located;
  private readonly copy: Located;
  private readonly table: number;
  /** Where the present image lies. */
  private at = 0;

  constructor(room: WorkingRoom, geometry: Geometry, x: Located) {
    const { groups, depth, height, width, padH, padW, kernelH, kernelW } = geometry;
    this.room = room;
    this.geometry = geometry;
    this.x = x;
    this.padded = padH + padW > 0;
    this.taps = depth * kernelH * kernelW;
    this.table = room.take(this.taps * 4);
    const [rows, columns] = [height + 2 * padH, width + 2 * padW];
    const shape = [1, groups * depth, rows, columns];
    this.copy = this.padded
      ? { at: room.take(groups * depth * rows * columns * 4), shape, strides: [0, rows * columns, columns, 1] }
      : x;
  }

  /** Writes the offsets of the taps, and the zeros. */
  fill(): void {
    const { depth, kernelH, kernelW, dilationH, dilationW } = this.geometry;
    const [, channel, row, column] = this.copy.strides as [number, number, number, number];
    const floats = this.room.floats();
    const offsets = new Int32Array(floats.buffer, this.table, this.taps);
    let t = 0;
    for (let c = 0; c < depth; c++) {
      for (let i = 0; i < kernelH; i++) {
        for (let j = 0; j < kernelW; j++)
          offsets[t++] = 4 * (c * channel + i * dilationH * row + j * dilationW * column);
      }
    }
    if (!this.padded) return;
    const at = this.copy.at / 4;
    floats.fill(0, at, at + this.copy.shape[1]! * channel);
  }

  /** Goes to an image of the batch. */
  seek({ core }: ConvolutionEngine, n: number): void {
    const { groups, depth, height, width, padH, padW } = this.geometry;
    const { x, copy } = this;
    this.at = x.at + n * x.strides[0]! * 4;
    if (!this.padded) return;
    const [, fromChannel, fromRow, fromColumn] = x.strides as [number, number, number, number];
    const [, channel, row] = copy.strides as [number, number, number, number];
    for (let c = 0; c < groups * depth && height * width > 0; c++) {
      const to = copy.at + (c * channel + padH * row + padW) * 4;
      core.copyPlane(height, width, to, row * 4, 4, this.at + c * fromChannel * 4, fromRow * 4, fromColumn * 4);
    }
    this.at = copy.at;
  }

  /** Packs windows of a group, from a tap and a pixel on: `count` in panels, of `depth`. */
  pack(
    call: CoreExports["packWindows"],
    target: number,
    group: number,
    tap: number,
    pixel: number,
    depth: number,
    count: number,
  ): void {
    const { strideH, strideW, resultWidth } = this.geometry;
    const [, channel, row, column] = this.copy.strides as [number, number, number, number];
    const y = Math.floor(pixel / resultWidth);
    const u = pixel % resultWidth;
    const columnStep = strideW * column * 4;
    const rowStep = strideH * row * 4;
    const at = this.at + group * this.geometry.depth * channel * 4 + y * rowStep + u * columnStep;
    const rowSkip = rowStep - resultWidth * columnStep;
    call(target, this.table + tap * 4, depth, count, at, resultWidth - u, resultWidth, columnStep, rowSkip);
  }

  /** The channels of a group by the pixels of one row of an image, without padding. */
  pixelsOf(n: number, group: number, y: number): Matrix {
    const [image, channel, row, column] = this.x.strides as [number, number, number, number];
    const at = this.x.at + (n * image + group * this.geometry.depth * channel + y * row) * 4;
    return { at, row: channel * 4, column: column * 4 };
  }
}
