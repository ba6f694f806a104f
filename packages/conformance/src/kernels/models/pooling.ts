import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, ROUNDED, wide } from "../../bounds.js";
import { Accumulator, exactSum } from "../../exact-sums.js";
import { place, sizeOf } from "../../operands/placing.js";
import { FLOAT_DTYPES } from "../../values.js";
import { type KernelModel, type OwnCase, type Problem, range } from "../model.js";
import { everyday, numbersOf, unwritten, valued } from "../plans.js";
import type { Expected, Plan, Sample } from "../sample.js";

// A problem of windows that slide is `[n, c, h, w, kernelH, kernelW, strideH, strideW, padH, padW]`, of adaptive ones
// `[n, c, h, w, rh, rw]`.

/** The windows of one channel: the places of their elements, row-major, and what an average divides by. */
interface Window {
  readonly places: readonly number[];
  readonly area: number;
}

interface Pooling {
  readonly x: readonly number[];
  readonly r: readonly number[];
  /** Of a channel of the result, row-major. */
  readonly windows: readonly Window[];
}

function sliding(problem: Problem): Pooling {
  const [n, c, h, w, kh, kw, sh, sw, ph, pw] = problem as number[];
  const rh = Math.floor((h! + 2 * ph! - kh!) / sh!) + 1;
  const rw = Math.floor((w! + 2 * pw! - kw!) / sw!) + 1;
  const windows: Window[] = [];
  for (let i = 0; i < rh * rw; i++) {
    const top = Math.floor(i / rw) * sh! - ph!;
    const left = (i % rw) * sw! - pw!;
    const places: number[] = [];
    for (let tap = 0; tap < kh! * kw!; tap++) {
      const [y, x] = [top + Math.floor(tap / kw!), left + (tap % kw!)];
      if (y >= 0 && x >= 0 && y < h! && x < w!) places.push(y * w! + x);
    }
    windows.push({ places, area: kh! * kw! });
  }
  return { x: [n!, c!, h!, w!], r: [n!, c!, rh, rw], windows };
}

function adaptive(problem: Problem): Pooling {
  const [n, c, h, w, rh, rw] = problem as number[];
  const windows: Window[] = [];
  for (let i = 0; i < rh! * rw!; i++) {
    const [row, column] = [Math.floor(i / rw!), i % rw!];
    const places: number[] = [];
    // An element at y is in window i of m where y + 1 > i·n/m and y < (i + 1)·n/m.
    for (let at = 0; at < h! * w!; at++) {
      const [y, x] = [Math.floor(at / w!), at % w!];
      const inRow = (y + 1) * rh! > row * h! && y * rh! < (row + 1) * h!;
      const inColumn = (x + 1) * rw! > column * w! && x * rw! < (column + 1) * w!;
      if (inRow && inColumn) places.push(at);
    }
    windows.push({ places, area: places.length });
  }
  return { x: [n!, c!, h!, w!], r: [n!, c!, rh!, rw!], windows };
}

function slidingProblem(
  image: readonly [number, number],
  kernel: readonly [number, number],
  {
    n = 1,
    c = 1,
    stride = kernel,
    pad = [0, 0],
  }: {
    readonly n?: number;
    readonly c?: number;
    readonly stride?: readonly [number, number];
    readonly pad?: readonly [number, number];
  } = {},
): Problem {
  return [n, c, ...image, ...kernel, ...stride, ...pad];
}

type Extents = Pick<KernelModel, "problems" | "sizes" | "ones" | "empty" | "small" | "randomProblem">;

function slidingProblems(): Extents {
  return {
    problems: [
      slidingProblem([6, 5], [2, 3], { n: 2, c: 2, stride: [2, 1] }),
      slidingProblem([5, 4], [3, 2], { c: 3, stride: [1, 3], pad: [2, 1] }),
      // What the stride leaves out meets no window.
      slidingProblem([7, 8], [1, 2], { n: 2, stride: [2, 3] }),
    ],
    sizes: [
      ...range(1, 67).map((w) => slidingProblem([2, w], [2, 3], { stride: [1, 1], pad: [1, 1] })),
      ...range(1, 20).flatMap((k) => [
        slidingProblem([20, 3], [k, 2], { stride: [1, 1] }),
        slidingProblem([3, 20], [2, k], { stride: [1, 2] }),
        slidingProblem([3, 20], [1, 2], { stride: [1, k] }),
      ]),
    ],
    ones: [
      slidingProblem([1, 1], [1, 1]),
      slidingProblem([1, 1], [3, 3], { pad: [2, 1], stride: [1, 1] }),
      slidingProblem([1, 4], [1, 1], { n: 2 }),
      slidingProblem([4, 1], [2, 1], { c: 2 }),
    ],
    empty: [],
    small: [
      slidingProblem([1, 4], [1, 2], { stride: [1, 1] }),
      slidingProblem([3, 3], [2, 2], { stride: [1, 1], pad: [1, 1] }),
      slidingProblem([2, 5], [2, 3], { stride: [2, 2], pad: [0, 2] }),
    ],
    randomProblem(source) {
      const kernel = [source.integer(1, 4), source.integer(1, 4)] as const;
      const pad = [source.integer(0, kernel[0] - 1), source.integer(0, kernel[1] - 1)] as const;
      const size = (axis: 0 | 1): number => Math.max(1, kernel[axis] - 2 * pad[axis]) + source.integer(0, 5);
      const stride = [source.integer(1, 4), source.integer(1, 4)] as const;
      return slidingProblem([size(0), size(1)], kernel, {
        n: source.integer(1, 2),
        c: source.integer(1, 3),
        stride,
        pad,
      });
    },
  };
}

function adaptiveProblems(): Extents {
  return {
    problems: [
      [2, 2, 7, 5, 3, 2],
      [1, 3, 4, 6, 2, 6],
      [2, 1, 2, 3, 5, 4],
    ],
    sizes: [...range(1, 67).map((w) => [1, 1, 2, w, 1, 4]), ...range(1, 20).map((m) => [1, 1, 3, 20, 2, m])],
    ones: [
      [1, 1, 1, 1, 1, 1],
      [1, 1, 1, 1, 3, 2],
      [2, 1, 4, 3, 1, 1],
    ],
    empty: [],
    small: [
      [1, 1, 1, 5, 1, 2],
      [1, 1, 3, 3, 2, 2],
      [1, 1, 2, 2, 3, 3],
    ],
    randomProblem: (source) => [
      source.integer(1, 2),
      source.integer(1, 3),
      ...range(1, 2).map(() => source.integer(1, 9)),
      ...range(1, 2).map(() => source.integer(1, 5)),
    ],
  };
}

/** Computes every element of the result from its window's elements and their places in the whole of x. */
function overWindows<T>({ x, windows }: Pooling, of: (places: readonly number[], window: Window) => T): T[] {
  const pixels = x[2]! * x[3]!;
  return range(0, x[0]! * x[1]! - 1).flatMap((channel) =>
    windows.map((window) =>
      of(
        window.places.map((at) => channel * pixels + at),
        window,
      ),
    ),
  );
}

/** The place of the first NaN; else of the first of the largest. */
function winner(values: readonly number[], places: readonly number[]): number {
  const nan = places.find((at) => Number.isNaN(values[at]!));
  if (nan !== undefined) return nan;
  const largest = places.reduce((max, at) => Math.max(max, values[at]!), Number.NEGATIVE_INFINITY);
  return places.find((at) => values[at]! >= largest)!;
}

function maxSample(input: Plan, outputs: readonly Plan[], problem: Problem): Sample {
  const expected = (): readonly Expected[] => {
    const winners = overWindows(sliding(problem), (places) => winner(numbersOf(input), places));
    return [{ values: winners.map((at) => numbersOf(input)[at]!) }, { values: winners }].slice(0, outputs.length);
  };
  return { outputs, inputs: [input], ints: problem.slice(4), floats: [], expected };
}

/** Images of few different values, so that most windows have ties; NaN, -Infinity and zeros of both signs among them. */
const ties: OwnCase = {
  name: "ties",
  dtypes: FLOAT_DTYPES,
  samples: (dtype, source) =>
    range(1, 40).map((turn) => {
      const problem = slidingProblems().randomProblem(source);
      const { x, r } = sliding(problem);
      const few = [[0, 1], [0, -0, -1], [Number.NEGATIVE_INFINITY], [Number.NaN, 1, 2]][turn % 4]!;
      const values = range(1, sizeOf(x)).map(() => source.pick(few));
      const input = valued(dtype, place(x, turn % 3 === 0 ? { order: [3, 2, 1, 0] } : {}), values);
      return maxSample(input, [unwritten(dtype, place(r)), unwritten("int32", place(r))], problem);
    }),
};

function maxModel(withIndices: boolean): KernelModel {
  return {
    ...slidingProblems(),
    spec: OPERATIONS.maxPool2d,
    ...(withIndices ? { variant: "indices" } : {}),
    bound: ROUNDED,
    roles: withIndices ? ["out", "out", "in"] : ["out", "in"],
    pointwise: false,
    largest: true,
    special: [withIndices ? 2 : 1],
    own: withIndices ? [ties] : [],
    sample(dtype, problem, placers, draw, source) {
      const { x, r } = sliding(problem);
      const at = withIndices ? 2 : 1;
      const input = valued(
        dtype,
        placers[at]!(x),
        draw(at, dtype, sizeOf(x), () => everyday(dtype, source)),
      );
      const outputs = [unwritten(dtype, placers[0]!(r))];
      if (withIndices) outputs.push(unwritten("int32", placers[1]!(r)));
      return maxSample(input, outputs, problem);
    },
  };
}

type Average = "avgPool2d" | "adaptiveAvgPool2d";

/** The windows of an average, with what it divides by, and the numbers of its kernel. */
interface Averages {
  readonly pooling: Pooling;
  readonly ints: readonly number[];
}

/** @param whole - whether padding counts; `undefined` for adaptive windows. */
function averages(problem: Problem, whole: boolean | undefined): Averages {
  if (whole === undefined) return { pooling: adaptive(problem), ints: [] };
  const pooling = sliding(problem);
  if (whole) return { pooling, ints: [...problem.slice(4), 1] };
  const windows = pooling.windows.map(({ places }) => ({ places, area: places.length }));
  return { pooling: { ...pooling, windows }, ints: [...problem.slice(4), 0] };
}

function averageExtents(kernel: Average, whole: boolean | undefined): Extents & Pick<KernelModel, "variant"> {
  if (kernel === "adaptiveAvgPool2d") return adaptiveProblems();
  return whole === true ? { ...slidingProblems(), variant: "counting-padding" } : slidingProblems();
}

function averageModel(kernel: Average, whole?: boolean): KernelModel {
  return {
    ...averageExtents(kernel, whole),
    spec: OPERATIONS[kernel],
    bound: accumulated("Σ|x| / area", { constant: 4, perTerm: 1 }),
    exactBound: wide("Σ|x| / area", { constant: 2, perTerm: 1 }),
    roles: ["out", "in"],
    pointwise: false,
    largest: false,
    special: [1],
    own: [],
    sample(dtype, problem, placers, draw, source) {
      const { pooling, ints } = averages(problem, whole);
      const input = valued(
        dtype,
        placers[1]!(pooling.x),
        draw(1, dtype, sizeOf(pooling.x), () => everyday(dtype, source)),
      );
      const expected = (): readonly Expected[] => {
        const results = overWindows(pooling, (places, { area }) => {
          const { sum, magnitude } = exactSum(places.map((at) => numbersOf(input)[at]!));
          return { value: sum / area, magnitude: magnitude / area, terms: places.length };
        });
        return [
          {
            values: results.map((r) => r.value),
            magnitudes: results.map((r) => r.magnitude),
            terms: Math.max(...results.map((r) => r.terms)),
          },
        ];
      };
      const output = unwritten(dtype, placers[0]!(pooling.r));
      return { outputs: [output], inputs: [input], ints, floats: [], expected };
    },
  };
}

function backwardModel(kernel: Average, whole?: boolean): KernelModel {
  return {
    ...averageExtents(kernel, whole),
    spec: OPERATIONS[`${kernel}Backward`],
    bound: accumulated("Σ|g / area|", { constant: 4, perTerm: 2 }),
    exactBound: wide("Σ|g / area|", { constant: 2, perTerm: 2 }),
    roles: ["out", "in"],
    pointwise: false,
    largest: false,
    special: [1],
    own: [],
    sample(dtype, problem, placers, draw, source) {
      const { pooling, ints } = averages(problem, whole);
      const cotangent = valued(
        dtype,
        placers[1]!(pooling.r),
        draw(1, dtype, sizeOf(pooling.r), () => everyday(dtype, source)),
      );
      const expected = (): readonly Expected[] => {
        const totals = range(1, sizeOf(pooling.x)).map(() => new Accumulator());
        const counts = totals.map(() => 0);
        const shares = numbersOf(cotangent);
        let number = 0;
        overWindows(pooling, (places, { area }) => {
          const share = shares[number++]! / area;
          for (const at of places) {
            totals[at]!.add(share);
            counts[at]! += 1;
          }
        });
        const results = totals.map((total) => total.result());
        return [
          {
            values: results.map((r) => r.sum),
            magnitudes: results.map((r) => r.magnitude),
            terms: Math.max(...counts),
          },
        ];
      };
      const output = unwritten(dtype, placers[0]!(pooling.x));
      return { outputs: [output], inputs: [cotangent], ints, floats: [], expected };
    },
  };
}

/** `maxPool2d` with indices and without, `avgPool2d`, `adaptiveAvgPool2d`, and the backward kernels of these two. */
export function poolingModels(): readonly KernelModel[] {
  return [
    maxModel(false),
    maxModel(true),
    averageModel("avgPool2d", false),
    averageModel("avgPool2d", true),
    averageModel("adaptiveAvgPool2d"),
    backwardModel("avgPool2d", false),
    backwardModel("avgPool2d", true),
    backwardModel("adaptiveAvgPool2d"),
  ];
}
