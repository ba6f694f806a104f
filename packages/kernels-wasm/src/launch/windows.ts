import type { CoreExports, PackWindowsCall } from "../kernels/core.js";
import type { Matrix } from "./products.js";
import type { Geometry } from "./taps.js";
import type { Located, WorkingRoom } from "./working-room.js";

/**
 * The windows of an image as a matrix of addresses: a pixel's plus a tap's. Where there is padding they are windows of a
 * copy with zeros around it, made image by image; otherwise of the image as it lies.
 */
export class Windows {
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
  seek({ copyPlane }: Pick<CoreExports, "copyPlane">, n: number): void {
    const { groups, depth, height, width, padH, padW } = this.geometry;
    const { x, copy } = this;
    this.at = x.at + n * x.strides[0]! * 4;
    if (!this.padded) return;
    const [, fromChannel, fromRow, fromColumn] = x.strides as [number, number, number, number];
    const [, channel, row] = copy.strides as [number, number, number, number];
    for (let c = 0; c < groups * depth && height * width > 0; c++) {
      const to = copy.at + (c * channel + padH * row + padW) * 4;
      copyPlane(height, width, to, row * 4, 4, this.at + c * fromChannel * 4, fromRow * 4, fromColumn * 4);
    }
    this.at = copy.at;
  }

  /** Packs windows of a group, from a tap and a pixel on: `count` in panels, of `depth`. */
  pack(
    call: PackWindowsCall,
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
