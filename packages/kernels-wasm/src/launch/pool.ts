import type { PoolCall } from "../kernels/core.js";
import { allOf, type Family, type RoomKernel } from "./family.js";

/** Outputs of one call: an engine replaces slow first code between calls only. */
const MOST = 4096;

/** Windows side by side along one axis that have as many elements of the image. */
interface Span {
  readonly first: number;
  readonly count: number;
  /** Where the first window begins in the image. */
  readonly begin: number;
  readonly kernel: number;
}

/** The spans of windows along an axis: those that padding cuts each by itself, all others as one. */
function spansOf(size: number, windows: number, kernel: number, stride: number, pad: number): Span[] {
  const spans: Span[] = [];
  for (let i = 0; i < windows; i++) {
    const start = i * stride - pad;
    if (start >= 0 && start + kernel <= size) {
      const whole = Math.min(windows, Math.floor((size - kernel - start) / stride) + 1 + i);
      spans.push({ first: i, count: whole - i, begin: start, kernel });
      i = whole - 1;
      continue;
    }
    const begin = Math.max(0, start);
    spans.push({ first: i, count: 1, begin, kernel: Math.min(size, start + kernel) - begin });
  }
  return spans;
}

/** Pools every channel, rectangle by rectangle of windows that lie in the image alike. */
const pooling = (name: "maxPool" | "averagePool"): RoomKernel["launch"] => {
  return ({ core }, room, [out, indices], [x], ints) => {
    const call: PoolCall = core[indices === undefined ? name : "maxPoolIndices"];
    const [result, source] = [room.locate(out!), room.locate(x!)];
    const behind = indices === undefined ? 0 : room.locate(indices).at - result.at;
    room.fill();
    const [kernelH, kernelW, strideH, strideW, padH, padW, wholeArea] = ints as Ints;
    const [images, channels, height, width] = x!.shape as Four;
    const [, , rows, columns] = out!.shape as Four;
    const across = spansOf(width, columns, kernelW, strideW, padW);
    let down = spansOf(height, rows, kernelH, strideH, padH);
    let planes = images * channels;
    // Channels whose windows meet without a gap are one.
    if (down.length === 1 && rows * strideH === height) {
      down = [{ ...down[0]!, count: planes * rows }];
      planes = 1;
    }
    for (let plane = 0; plane < planes; plane++) {
      for (const v of down) {
        for (const h of across) {
          const divisor = wholeArea ? kernelH * kernelW : v.kernel * h.kernel;
          const to = result.at + 4 * ((plane * rows + v.first) * columns + h.first);
          const from = source.at + 4 * ((plane * height + v.begin) * width + h.begin);
          const most = Math.max(1, Math.floor(MOST / h.count));
          for (let i = 0; i < v.count; i += most) {
            call(
              Math.min(most, v.count - i),
              h.count,
              to + 4 * i * columns,
              4 * columns,
              from + 4 * i * strideH * width,
              4 * strideH * width,
              v.kernel,
              h.kernel,
              4 * width,
              4 * strideW,
              divisor,
              source.at,
              behind,
            );
          }
        }
      }
    }
    room.giveBack();
  };
};

type Ints = [number, number, number, number, number, number, number?];
type Four = [number, number, number, number];

const allFloat32 = allOf("float32");

/** Windows of nothing are for kernels that say what comes of them. */
const objection: RoomKernel["objection"] = ([out, indices], inputs, ints, floats) => {
  if (indices !== undefined && indices.dtype !== "int32") return "dtype";
  const reason = allFloat32([out!], inputs, ints, floats);
  if (reason !== undefined) return reason;
  const [kernelH, kernelW, , , padH, padW] = ints as Ints;
  return padH >= kernelH || padW >= kernelW || inputs[0]!.shape.includes(0) ? "empty windows" : undefined;
};

export const POOLS: Family<"avgPool2d" | "maxPool2d"> = {
  avgPool2d: { objection, launch: pooling("averagePool") },
  maxPool2d: { objection, launch: pooling("maxPool") },
};
