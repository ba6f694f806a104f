import { blocked, coalesce, extents, isContiguous, type Layout, layoutEquals, permuteAxes, select } from "@sw/layout";
import { TensorShapeError } from "./errors.js";
import { live, showShape } from "./gate.js";
import type { Tensor } from "./tensor.js";

/**
 * How the pixels of `[n, c, h, w]` lie in memory: row-major; with the channels fastest; in blocks of that many channels,
 * a block's lanes fastest; or otherwise.
 * @since 0.1.0
 */
export type ImageLayout = "nchw" | "nhwc" | "strided" | { readonly blocked: number };

const CHANNELS_LAST: readonly number[] = [0, 2, 3, 1];

/**
 * Tells how the pixels of a tensor of four axes, `[n, c, h, w]`, lie in memory. It is read off the layout: extents of 1
 * do not count, and where several names fit the first of `"nchw"`, `"nhwc"`, blocked is given. `t.toLayout` converts.
 *
 * @throws TypeError, UnsupportedError, StaleTensorError for what is no live tensor; TensorShapeError
 * `SW_TENSOR_SHAPE_MISMATCH` for another rank.
 * @example
 * ```ts
 * import { blocked, nhwc } from "@sw/layout";
 * import { imageLayout, zeros } from "@sw/tensor";
 * const x = zeros([2, 6, 3, 3]);
 * console.log(imageLayout(x), imageLayout(x.toLayout(nhwc(x.shape)))); // nchw nhwc
 * console.log(imageLayout(x.toLayout(blocked(x.shape, 1, 4)))); // { blocked: 4 }
 * ```
 * @since 0.1.0
 */
export function imageLayout(t: Tensor): ImageLayout {
  live(t, "imageLayout");
  if (t.rank !== 4) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `imageLayout: not four axes: got shape ${showShape(t.shape)}, expected [n,c,h,w].`,
      { given: t.rank, expected: 4, shape: t.shape },
    );
  }
  if (!t.isPadded) {
    if (isContiguous(t.layout)) return "nchw";
    if (isContiguous(permuteAxes(t.layout, CHANNELS_LAST).layout)) return "nhwc";
  }
  const lanes = lanesOf(t);
  return lanes === undefined ? "strided" : { blocked: lanes };
}

/** The lanes of a block, if the channels come in blocks and only the last block is padded. */
function lanesOf(t: Tensor): number | undefined {
  const domain = extents(t.layout);
  const channels = axisOf(t.layout, 1);
  // A single block leaves one leaf, that of its lanes.
  if (channels.rank !== 2 && !(channels.rank === 1 && t.isPadded)) return undefined;
  // A nest names its lanes itself: over one pixel blocks continue each other, and joined they look like one block.
  const mode = t.layout.shape[1];
  const lanes = (Array.isArray(mode) && typeof mode[0] === "number" ? mode[0] : channels.shape[0]) as number;
  const expected = blocked(t.shape, 1, lanes);
  const fits = extents(expected).every((extent, axis) => extent === domain[axis]);
  return fits && domain.every((_, axis) => layoutEquals(axisOf(t.layout, axis), axisOf(expected, axis)))
    ? lanes
    : undefined;
}

/** One axis, its leaves joined where they continue each other. */
function axisOf(l: Layout, axis: number): Layout {
  return coalesce(select(l, [axis]));
}
