import { BLOCK_COLUMNS, BLOCK_DEPTH, blockSize, PACKED_A_BYTES } from "../kernels/blocking.js";
import type { CoreExports } from "../kernels/core.js";
import { ROW_BYTES } from "../kernels/tile.js";
import { allOf, type Family, type RoomKernel } from "./family.js";
import { multiply, multiplyBlock } from "./matmul.js";
import type { Matrix } from "./products.js";
import { type Geometry, geometryOf, type Tap, tapsOf } from "./taps.js";
import { Windows } from "./windows.js";
import type { Located } from "./working-room.js";

// Convolutions are products of matrices: with [taps] for the channels of a group times the taps of a kernel,
//   result [outs, pixels] = weight [outs, taps] · windows [taps, pixels]
//   weight cotangent [outs, taps] = cotangent [outs, pixels] · windowsᵀ [pixels, taps]
//   windows' cotangent [taps, pixels] = weightᵀ [taps, outs] · cotangent [outs, pixels], added to the image's
// The first two read windows over padding as zeros, which is right as long as what meets them is finite: 0 · ∞ is NaN, and
// a tap over padding is no term. Otherwise they go tap by tap, over the pairs that there are, as thin groups do always.

type Launch = RoomKernel["launch"];

/** Pixels of the result whose windows are packed at once. */
const BLOCK_PIXELS = 256;
/** Elements of the windows' cotangent that are made at once, about: a quarter of the second-level cache. */
const SPREAD = 2 ** 16;

/** Writes `result = weight · windows + bias`. */
const launchConv2d: Launch = ({ core, products }, room, [out], inputs, ints) => {
  const engine = products.float32;
  const packed = engine.scratch + PACKED_A_BYTES;
  const geometry = geometryOf(ints, inputs[0]!.shape, out!.shape);
  const { batch, groups, depth, outs, resultHeight, resultWidth } = geometry;
  const pixels = resultHeight * resultWidth;
  const result = room.locate(out!);
  const x = room.locate(inputs[0]!, true);
  const weight = room.locate(inputs[1]!);
  const bias = inputs[2] === undefined ? undefined : room.locate(inputs[2]);
  const windows = isThin(geometry) ? undefined : new Windows(room, geometry, x);
  room.fill();
  windows?.fill();
  const floats = room.floats();
  for (let plane = 0; plane < batch * groups * outs && pixels > 0; plane++) {
    const value = bias === undefined ? 0 : floats[bias.at / 4 + (plane % (groups * outs))]!;
    const at = result.at / 4 + plane * pixels;
    floats.fill(value, at, at + pixels);
  }
  const kernel = geometry.kernelH * geometry.kernelW;
  const taps = depth * kernel;
  if (windows !== undefined && (!windows.padded || allFinite(core, weight))) {
    for (let n = 0; n < batch && outs * pixels * taps > 0; n++) {
      windows.seek(core, n);
      for (let group = 0; group < groups; group++) product(n, group, windows);
    }
  } else {
    const pairs = tapsOf(geometry);
    eachChannel(geometry, (n, c, o, w) => {
      const factors = floats.subarray(weight.at / 4 + w * kernel);
      addTaps(core, geometry, pairs, factors, planeOf(x, n, c), planeOf(result, n, o), false);
    });
  }
  room.giveBack();

  function product(n: number, group: number, windows: Windows): void {
    const a = { at: weight.at + group * outs * taps * 4, row: taps * 4, column: 4 };
    const c = { at: result.at + (n * groups + group) * outs * pixels * 4, row: pixels * 4, column: 4 };
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
};

/** Writes `weight cotangent = cotangent · windowsᵀ`, summed over the batch. */
const launchConv2dWeightBackward: Launch = ({ core, products }, room, [out], inputs, ints) => {
  const engine = products.float32;
  const packed = engine.scratch + PACKED_A_BYTES;
  const geometry = geometryOf(ints, inputs[1]!.shape, inputs[0]!.shape);
  const { batch, groups, outs, resultHeight, resultWidth } = geometry;
  const pixels = resultHeight * resultWidth;
  const weight = room.locate(out!);
  const cotangent = room.locate(inputs[0]!);
  const x = room.locate(inputs[1]!, true);
  const windows = new Windows(room, geometry, x);
  const { taps } = windows;
  room.fill();
  windows.fill();
  room.floats().fill(0, weight.at / 4, weight.at / 4 + groups * outs * taps);
  if (outs * pixels * taps > 0) {
    const whole = !windows.padded || allFinite(core, cotangent);
    for (let n = 0; n < batch; n++) {
      if (whole) windows.seek(core, n);
      for (let group = 0; group < groups; group++) {
        const a = { at: cotangent.at + (n * groups + group) * outs * pixels * 4, row: pixels * 4, column: 4 };
        const c = { at: weight.at + group * outs * taps * 4, row: taps * 4, column: 4 };
        if (whole) product(group, a, c);
        else tapByTap(n, group, a, c);
      }
    }
  }
  room.giveBack();

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
const launchConv2dInputBackward: Launch = ({ core, products }, room, [out], inputs, ints) => {
  const engine = products.float32;
  const geometry = geometryOf(ints, out!.shape, inputs[0]!.shape);
  const { batch, groups, depth, outs, height, width, resultHeight, resultWidth, strideH, strideW } = geometry;
  const kernel = geometry.kernelH * geometry.kernelW;
  const image = room.locate(out!);
  const cotangent = room.locate(inputs[0]!);
  const weight = room.locate(inputs[1]!);
  // So many rows of the result and so many channels at a time that their windows stay in the cache.
  const rowStep = Math.max(1, Math.min(resultHeight, Math.floor(BLOCK_COLUMNS / Math.max(1, resultWidth))));
  const channelStep = Math.max(1, Math.min(depth, Math.floor(SPREAD / (kernel * rowStep * Math.max(1, resultWidth)))));
  const thin = isThin(geometry);
  const spread = thin ? 0 : room.take(channelStep * kernel * rowStep * resultWidth * 4);
  room.fill();
  room.floats().fill(0, image.at / 4, image.at / 4 + batch * groups * depth * height * width);
  const taps = tapsOf(geometry);
  const pixels = resultHeight * resultWidth;
  if (thin) {
    const floats = room.floats();
    eachChannel(geometry, (n, c, o, w) => {
      const factors = floats.subarray(weight.at / 4 + w * kernel);
      addTaps(core, geometry, taps, factors, planeOf(image, n, c), planeOf(cotangent, n, o), true);
    });
  }
  for (let n = 0; n < batch && pixels > 0 && !thin; n++) {
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
  room.giveBack();

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
    core.addPlane(count, tap.columns, at, strideH * width * 4, strideW * 4, source, resultWidth * 4, 4, 1);
  }
};

/** Groups of one channel and an output or two have products too thin to pay for their packing. */
function isThin({ depth, outs }: Geometry): boolean {
  return depth === 1 && outs <= 2;
}

/** Calls for every channel of an image and of the result that meet, and says which kernel of the weight joins them. */
function eachChannel(
  { batch, groups, depth, outs }: Geometry,
  visit: (n: number, image: number, result: number, kernel: number) => void,
): void {
  for (let n = 0; n < batch; n++) {
    for (let o = 0; o < groups * outs; o++) {
      const group = Math.floor(o / outs);
      for (let c = 0; c < depth; c++) visit(n, group * depth + c, o, o * depth + c);
    }
  }
}

function planeOf({ at, strides }: Located, n: number, channel: number): Matrix {
  const [image, plane, row, column] = strides as [number, number, number, number];
  return { at: at + (n * image + channel * plane) * 4, row: row * 4, column: column * 4 };
}

/** Adds the pairs of pixels of two channels, tap by tap, to the image or to the result: padding has no part in it. */
function addTaps(
  core: CoreExports,
  { strideH, strideW }: Geometry,
  taps: readonly Tap[],
  weight: Float32Array,
  image: Matrix,
  result: Matrix,
  toImage: boolean,
): void {
  taps.forEach((tap, t) => {
    if (tap.rows === 0) return;
    const a = [
      image.at + tap.imageY * image.row + tap.imageX * image.column,
      image.row * strideH,
      image.column * strideW,
    ] as const;
    const b = [result.at + tap.resultY * result.row + tap.resultX * result.column, result.row, result.column] as const;
    const [to, from] = toImage ? [a, b] : [b, a];
    core.addPlane(tap.rows, tap.columns, ...to, ...from, weight[t]!);
  });
}

function allFinite(core: CoreExports, { at, shape }: Located): boolean {
  const count = shape.reduce((product, extent) => product * extent, 1);
  return count === 0 || core.finiteProbe(count, at) === 0;
}

export const CONVOLUTIONS: Family<"conv2d" | "conv2dInputBackward" | "conv2dWeightBackward"> = {
  conv2d: { objection: allOf("float32"), launch: launchConv2d },
  conv2dInputBackward: { objection: allOf("float32"), launch: launchConv2dInputBackward },
  conv2dWeightBackward: { objection: allOf("float32"), launch: launchConv2dWeightBackward },
};
