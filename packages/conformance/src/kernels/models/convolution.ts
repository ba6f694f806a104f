import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, wide } from "../../bounds.js";
import { Accumulator } from "../../exact-sums.js";
import { sizeOf } from "../../operands/placing.js";
import type { DType } from "../../values.js";
import { type KernelModel, type Problem, range } from "../model.js";
import { between, numbersOf, unwritten, valued } from "../plans.js";
import type { Expected, Plan } from "../sample.js";

// A problem is `[n, depth, outs, groups, h, w, kernelH, kernelW, strideH, strideW, padH, padW, dilationH, dilationW]`:
// depth and outs are channels of a group.

/** The extents of a problem: image, weight, result, and the numbers of the kernel. */
interface Extents {
  readonly x: readonly number[];
  readonly weight: readonly number[];
  readonly r: readonly number[];
  readonly ints: readonly number[];
}

function extentsOf(problem: Problem): Extents {
  const [n, depth, outs, groups, h, w, kh, kw, sh, sw, ph, pw, dh, dw] = problem as number[];
  const extent = (size: number, k: number, s: number, p: number, d: number): number =>
    Math.floor((size + 2 * p - (k - 1) * d - 1) / s) + 1;
  return {
    x: [n!, depth! * groups!, h!, w!],
    weight: [outs! * groups!, depth!, kh!, kw!],
    r: [n!, outs! * groups!, extent(h!, kh!, sh!, ph!, dh!), extent(w!, kw!, sw!, pw!, dw!)],
    ints: [kh!, kw!, sh!, sw!, ph!, pw!, dh!, dw!, groups!],
  };
}

type Visit = (image: number, weight: number, result: number) => void;

/** Visits every product: an element of the image, of the weight and of the result, by row-major number. */
function eachProduct({ x, weight, r, ints }: Extents, visit: Visit): void {
  const [, , sh, sw, ph, pw, dh, dw] = ints as number[];
  const [, channels, h, w] = x as [number, number, number, number];
  const [outChannels, depth, kh, kw] = weight as [number, number, number, number];
  const outs = outChannels / ints[8]!;
  for (let result = 0; result < sizeOf(r); result++) {
    const column = result % r[3]!;
    const row = Math.floor(result / r[3]!) % r[2]!;
    const o = Math.floor(result / (r[3]! * r[2]!)) % outChannels;
    const n = Math.floor(result / (r[3]! * r[2]! * outChannels));
    for (let tap = 0; tap < depth * kh * kw; tap++) {
      const u = column * sw! - pw! + (tap % kw) * dw!;
      const v = row * sh! - ph! + (Math.floor(tap / kw) % kh) * dh!;
      if (u < 0 || v < 0 || u >= w || v >= h) continue;
      const channel = Math.floor(o / outs) * depth + Math.floor(tap / (kw * kh));
      visit(((n * channels + channel) * h + v) * w + u, o * depth * kh * kw + tap, result);
    }
  }
}

/** The sums of the products that meet in each element of one of the three, and of what `start` has for it. */
function sumsOf(
  extents: Extents,
  target: "image" | "weight" | "result",
  a: Plan,
  b: Plan,
  terms: number,
  start: (element: number) => number | undefined = () => undefined,
): Expected {
  const shape = { image: extents.x, weight: extents.weight, result: extents.r }[target];
  const totals = Array.from({ length: sizeOf(shape) }, () => new Accumulator());
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const exact = a.dtype !== "float64";
  const add = (total: Accumulator, p: number, q: number): void => {
    // A product of two narrower floats is exact in float64: only those of float64 need more.
    if (exact) total.add(p * q);
    else total.addProduct(p, q);
  };
  eachProduct(extents, (image, weight, result) => {
    if (target === "result") add(totals[result]!, left[image]!, right[weight]!);
    else if (target === "image") add(totals[image]!, left[result]!, right[weight]!);
    else add(totals[weight]!, left[result]!, right[image]!);
  });
  const results = totals.map((total, i) => {
    const more = start(i);
    if (more !== undefined) total.add(more);
    return total.result();
  });
  return { values: results.map((r) => r.sum), magnitudes: results.map((r) => r.magnitude), terms };
}

/** Extents that a plain problem has besides those that it names. */
function problem(named: {
  readonly n?: number;
  readonly depth?: number;
  readonly outs?: number;
  readonly groups?: number;
  readonly image: readonly [number, number];
  readonly kernel: readonly [number, number];
  readonly stride?: readonly [number, number];
  readonly pad?: readonly [number, number];
  readonly dilation?: readonly [number, number];
}): Problem {
  const { n = 1, depth = 1, outs = 1, groups = 1, image, kernel, stride = [1, 1], pad = [0, 0] } = named;
  return [n, depth, outs, groups, ...image, ...kernel, ...stride, ...pad, ...(named.dilation ?? [1, 1])];
}

function problems(): Pick<KernelModel, "problems" | "sizes" | "ones" | "empty" | "small" | "randomProblem"> {
  return {
    problems: [
      problem({ n: 2, depth: 2, outs: 3, image: [5, 4], kernel: [3, 2], pad: [1, 1] }),
      problem({ depth: 2, outs: 1, groups: 2, image: [5, 7], kernel: [2, 3], stride: [2, 1], dilation: [1, 2] }),
      // What the stride leaves over at the far edges meets no window.
      problem({ n: 2, image: [6, 7], kernel: [1, 2], stride: [2, 3] }),
      problem({ image: [2, 3], kernel: [3, 3], stride: [1, 2], pad: [3, 2], dilation: [2, 1] }),
    ],
    sizes: [
      ...range(1, 40).map((w) => problem({ image: [2, w], kernel: [2, 3], pad: [0, 1] })),
      ...range(1, 20).flatMap((k) => [
        problem({ depth: k, outs: 2, image: [2, 3], kernel: [1, 2] }),
        problem({ outs: k, image: [3, 2], kernel: [2, 2] }),
        problem({ groups: k, image: [2, 2], kernel: [1, 1] }),
        problem({ image: [1, 20], kernel: [1, k], stride: [1, 2] }),
      ]),
      problem({ n: 2, depth: 9, outs: 17, image: [5, 5], kernel: [3, 3], pad: [1, 1] }),
    ],
    ones: [
      problem({ image: [1, 1], kernel: [1, 1] }),
      problem({ image: [1, 1], kernel: [3, 3], pad: [1, 1] }),
      problem({ n: 3, image: [1, 4], kernel: [1, 1] }),
      problem({ depth: 4, image: [1, 1], kernel: [1, 1] }),
      problem({ image: [3, 4], kernel: [3, 4] }),
    ],
    empty: [
      problem({ depth: 0, outs: 2, image: [2, 3], kernel: [1, 2] }),
      problem({ image: [0, 2], kernel: [1, 1], pad: [1, 0] }),
    ],
    small: [
      problem({ image: [1, 3], kernel: [1, 2], pad: [0, 1] }),
      problem({ depth: 2, outs: 2, image: [2, 2], kernel: [2, 1], stride: [2, 1] }),
      problem({ groups: 2, image: [3, 2], kernel: [2, 2], pad: [1, 0], dilation: [2, 1] }),
    ],
    randomProblem(source) {
      const kernel = [source.integer(1, 3), source.integer(1, 3)] as const;
      const pad = [source.integer(0, 2), source.integer(0, 2)] as const;
      const dilation = [source.integer(1, 2), source.integer(1, 2)] as const;
      const size = (axis: 0 | 1): number =>
        Math.max(1, (kernel[axis] - 1) * dilation[axis] + 1 - 2 * pad[axis]) + source.integer(0, 4);
      return problem({
        n: source.integer(1, 2),
        depth: source.integer(1, 3),
        outs: source.integer(1, 3),
        groups: source.integer(1, 2),
        image: [size(0), size(1)],
        kernel,
        stride: [source.integer(1, 3), source.integer(1, 3)],
        pad,
        dilation,
      });
    },
  };
}

type Kernel = "conv2d" | "conv2dInputBackward" | "conv2dWeightBackward";

/** The operands of each kernel: which of the three its output is, and which its inputs are. */
const OPERANDS = {
  conv2d: ["r", "x", "weight"],
  conv2dInputBackward: ["x", "r", "weight"],
  conv2dWeightBackward: ["weight", "r", "x"],
} as const;

function model(kernel: Kernel, withBias: boolean): KernelModel {
  const [output, first, second] = OPERANDS[kernel];
  const target = { r: "result", x: "image", weight: "weight" } as const;
  const all = problems();
  // A batch of none, and a group of no outputs, leave sums of nothing where the result is summed over.
  const noBatch = problem({ n: 0, outs: 2, image: [2, 3], kernel: [1, 2] });
  const noOutputs = problem({ outs: 0, image: [2, 3], kernel: [1, 2] });
  const empty =
    kernel === "conv2d" ? all.empty : kernel === "conv2dWeightBackward" ? [all.empty[1]!, noBatch] : [noOutputs];
  return {
    ...all,
    empty,
    spec: OPERATIONS[kernel],
    ...(withBias ? { variant: "bias" } : {}),
    bound: accumulated("Σ|x·w|", { constant: 2, perTerm: 1 }),
    exactBound: wide("Σ|x·w|", { constant: 2, perTerm: 1 }),
    roles: withBias ? ["out", "in", "in", "in"] : ["out", "in", "in"],
    pointwise: false,
    largest: false,
    special: withBias ? [1, 2, 3] : [1, 2],
    own: [],
    sample(dtype, problemOf, placers, draw, source) {
      const extents = extentsOf(problemOf);
      const operand = (i: number, shape: readonly number[]): Plan =>
        valued(
          dtype,
          placers[i]!(shape),
          draw(i, dtype, sizeOf(shape), () => factor(dtype)),
        );
      const a = operand(1, extents[first]);
      const b = operand(2, extents[second]);
      const bias = withBias ? operand(3, [extents.r[1]!]) : undefined;
      const taps = sizeOf(extents.weight.slice(2));
      const pixels = sizeOf(extents.r.slice(2));
      const terms = {
        conv2d: extents.weight[1]! * taps + (withBias ? 1 : 0),
        conv2dInputBackward: (extents.weight[0]! / extents.ints[8]!) * taps,
        conv2dWeightBackward: extents.x[0]! * pixels,
      }[kernel];
      const biasOf = (element: number): number | undefined =>
        bias === undefined ? undefined : numbersOf(bias)[Math.floor(element / pixels) % extents.r[1]!];
      return {
        outputs: [unwritten(dtype, placers[0]!(extents[output]))],
        inputs: bias === undefined ? [a, b] : [a, b, bias],
        ints: extents.ints,
        floats: [],
        expected: () => [sumsOf(extents, target[output], a, b, terms, biasOf)],
      };

      function factor(d: DType): number {
        return source.next() < 0.2 ? source.integer(-2, 2) + 0 : between(d, -2, 2, source);
      }
    },
  };
}

/** `conv2d` with a bias and without, and its two backward kernels. */
export function convolutionModels(): readonly KernelModel[] {
  return [
    model("conv2d", false),
    model("conv2d", true),
    model("conv2dInputBackward", false),
    model("conv2dWeightBackward", false),
  ];
}
