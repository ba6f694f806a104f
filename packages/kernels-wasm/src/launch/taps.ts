/** The pairs of pixels that one tap of a kernel joins: `rows` by `columns`, and where the first lies in both planes. */
export interface Tap {
  readonly rows: number;
  readonly columns: number;
  readonly imageY: number;
  readonly imageX: number;
  readonly resultY: number;
  readonly resultX: number;
}

/**
 * The geometry of a convolution: image [n, c, h, w], weight [o, c / groups, kernelH, kernelW], result [n, o, rh, rw]. Tap
 * (i, j) joins pixel (y, u) of the result with pixel (y · strideH + i · dilationH − padH, …) of the image.
 */
export interface Geometry {
  readonly batch: number;
  readonly groups: number;
  /** Channels of the image, and of the result, in a group. */
  readonly depth: number;
  readonly outs: number;
  readonly height: number;
  readonly width: number;
  readonly resultHeight: number;
  readonly resultWidth: number;
  readonly kernelH: number;
  readonly kernelW: number;
  readonly strideH: number;
  readonly strideW: number;
  readonly padH: number;
  readonly padW: number;
  readonly dilationH: number;
  readonly dilationW: number;
}

/** Reads the numbers of a kernel, and the shapes of the image and the result. */
export function geometryOf(ints: readonly number[], image: readonly number[], result: readonly number[]): Geometry {
  const [kernelH, kernelW, strideH, strideW, padH, padW, dilationH, dilationW, groups] = ints as Nine;
  return {
    batch: image[0]!,
    groups,
    depth: image[1]! / groups,
    outs: result[1]! / groups,
    height: image[2]!,
    width: image[3]!,
    resultHeight: result[2]!,
    resultWidth: result[3]!,
    kernelH,
    kernelW,
    strideH,
    strideW,
    padH,
    padW,
    dilationH,
    dilationW,
  };
}

type Nine = readonly [number, number, number, number, number, number, number, number, number];

/** The taps of a kernel, row by row, each with its pairs; one that lies over padding only has none. */
export function tapsOf(g: Geometry): Tap[] {
  const taps: Tap[] = [];
  for (let i = 0; i < g.kernelH; i++) {
    const y = pairs(i * g.dilationH - g.padH, g.strideH, g.height, g.resultHeight);
    for (let j = 0; j < g.kernelW; j++) {
      const x = pairs(j * g.dilationW - g.padW, g.strideW, g.width, g.resultWidth);
      const none = y.count * x.count === 0;
      taps.push({
        rows: none ? 0 : y.count,
        columns: none ? 0 : x.count,
        imageY: y.image,
        imageX: x.image,
        resultY: y.result,
        resultX: x.result,
      });
    }
  }
  return taps;
}

/** The pairs along one axis: pixel `p` of the result and `p · stride + shift` of the image. */
function pairs(shift: number, stride: number, image: number, result: number) {
  const first = Math.max(0, Math.ceil(-shift / stride));
  const end = Math.min(result, Math.floor((image - 1 - shift) / stride) + 1);
  return { result: first, image: first * stride + shift, count: Math.max(0, end - first) };
}
