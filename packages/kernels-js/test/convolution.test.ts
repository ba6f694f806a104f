import {
  arange,
  conv1d,
  conv2d,
  convTranspose2d,
  ones,
  setKernels,
  sum,
  type Tensor,
  tensor,
  views,
  zeros,
} from "@sw/tensor";
import { conv2dInputBackward, conv2dWeightBackward } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";
import { type DTYPES, elements, expectClose, inEveryForm, vectorsOf } from "./image-vectors.js";
import { expectSame, rounded } from "./operands.js";
import vectors from "./vectors/conv2d.json" with { type: "json" };

interface Attributes {
  readonly stride: readonly [number, number];
  readonly pad: readonly [number, number];
  readonly dilation: readonly [number, number];
  readonly groups: number;
}

beforeAll(() => setKernels(jsKernels));

describe("numeric vectors: conv2d", () => {
  const cases = vectorsOf<Attributes>(vectors, "conv2d").map((c) => {
    const { stride, pad, dilation, groups } = c.attrs;
    return { ...c, options: { stride, padding: pad, dilation, groups } };
  });

  it("forward, in every dtype and of any strides", () => {
    for (const { in: given, out, options } of cases) {
      inEveryForm((load) => {
        const bias = given["b"] === undefined ? {} : { bias: load(given["b"]) };
        expectClose(conv2d(load(given["x"]!), load(given["w"]!), { ...options, ...bias }), out);
      });
    }
  });

  it("the cotangents of image, weights and bias", () => {
    for (const { in: given, g, grads, options } of cases) {
      inEveryForm((load, dtype) => {
        const [x, w] = [given["x"]!, given["w"]!];
        expectClose(conv2dInputBackward(load(g), load(w), x.s, options), grads["x"]!);
        expectClose(conv2dWeightBackward(load(g), load(x), w.s, options), grads["w"]!);
        if (grads["b"] === undefined || (dtype !== "float32" && dtype !== "float64")) return;
        expectClose(sum(load(g), { axes: [0, 2, 3] }), grads["b"]);
      });
    }
  });

  it("conv1d and convTranspose2d are the same kernels", () => {
    for (const { in: given, out, g, grads, options } of cases) {
      inEveryForm((load) => {
        const [x, w] = [given["x"]!, given["w"]!];
        // What the stride leaves over at the far edge is what the transposed convolution is told of.
        const outputPadding = ([0, 1] as const).map((axis) => {
          const reach = options.dilation[axis] * (w.s[2 + axis]! - 1) + 1;
          return (x.s[2 + axis]! + 2 * options.padding[axis] - reach) % options.stride[axis];
        }) as unknown as readonly [number, number];
        expectClose(convTranspose2d(load(g), load(w), { ...options, outputPadding }), grads["x"]!);
        if (x.s[2] !== 1 || w.s[2] !== 1 || out.s[2] !== 1 || given["b"] !== undefined) return;
        const [stride, padding, dilation] = [options.stride[1], options.padding[1], options.dilation[1]];
        const signal = conv1d(load(x).squeeze(2), load(w).squeeze(2), {
          stride,
          padding,
          dilation,
          groups: options.groups,
        });
        expectClose(signal.unsqueeze(2), out);
      });
    }
  });
});

describe("conv2d is the sequential float64 sum over channels, rows and columns of the kernel, rounded once", () => {
  interface Problem {
    readonly x: readonly number[];
    readonly w: readonly number[];
    readonly stride: [number, number];
    readonly padding: [number, number];
    readonly dilation: [number, number];
    readonly groups: number;
  }
  const small = (min: number, max: number) => fc.integer({ min, max });
  const pair = (min: number, max: number) => fc.tuple(small(min, max), small(min, max));
  const problems: fc.Arbitrary<Problem> = fc
    .record({
      n: small(0, 2),
      depth: small(0, 2),
      outs: small(1, 2),
      groups: small(1, 2),
      kernel: pair(1, 3),
      room: pair(0, 4),
      stride: pair(1, 3),
      padding: pair(0, 3),
      dilation: pair(1, 2),
    })
    .map(({ n, depth, outs, groups, kernel, room, stride, padding, dilation }) => {
      const size = ([0, 1] as const).map((axis) =>
        Math.max(0, dilation[axis] * (kernel[axis] - 1) + 1 - 2 * padding[axis] + room[axis]),
      );
      return {
        x: [n, depth * groups, ...size],
        w: [outs * groups, depth, ...kernel],
        stride,
        padding,
        dilation,
        groups,
      };
    });

  /** Values whose sums depend on the order of their terms. */
  function uneven(shape: readonly number[], dtype: (typeof DTYPES)[number], seed: number): Tensor {
    const size = shape.reduce((product, extent) => product * extent, 1);
    const values = Array.from({ length: size }, (_, i) => Math.sin(seed + i * 12.9898) * 10 ** ((i * 7) % 5));
    return tensor(values, { shape, dtype });
  }

  /** Every pair of a pixel of the result and a pixel of the image that a tap joins, in the order of the definition. */
  function* pairs({ x, w, stride, padding, dilation, groups }: Problem, r: readonly number[]) {
    for (let n = 0; n < r[0]!; n++)
      for (let o = 0; o < r[1]!; o++)
        for (let y = 0; y < r[2]!; y++)
          for (let u = 0; u < r[3]!; u++)
            for (let c = 0; c < w[1]!; c++)
              for (let i = 0; i < w[2]!; i++)
                for (let j = 0; j < w[3]!; j++) {
                  const [v, t] = [
                    y * stride[0] + i * dilation[0] - padding[0],
                    u * stride[1] + j * dilation[1] - padding[1],
                  ];
                  if (v < 0 || v >= x[2]! || t < 0 || t >= x[3]!) continue;
                  const channel = Math.floor((o * groups) / w[0]!) * w[1]! + c;
                  yield {
                    result: ((n * r[1]! + o) * r[2]! + y) * r[3]! + u,
                    weight: ((o * w[1]! + c) * w[2]! + i) * w[3]! + j,
                    image: ((n * x[1]! + channel) * x[2]! + v) * x[3]! + t,
                  };
                }
  }

  for (const dtype of ["float32", "float64"] as const) {
    it(`${dtype}, with its two cotangents`, () => {
      fc.assert(
        fc.property(problems, small(0, 99), (problem, seed) => {
          const { x: _, w: __, ...options } = problem;
          const x = uneven(problem.x, dtype, seed);
          const w = uneven(problem.w, dtype, seed + 1);
          const r = conv2d(x, w, options);
          const g = uneven(r.shape, dtype, seed + 2);
          const [xs, ws, gs] = [elements(x), elements(w), elements(g)];
          const sums = r.shape.reduce((a, b) => a * b, 1);
          const forward = new Array<number>(sums).fill(0);
          const dw = ws.map(() => 0);
          const met: { readonly weight: number; readonly image: number; readonly result: number }[] = [];
          for (const one of pairs(problem, r.shape)) {
            forward[one.result]! += xs[one.image]! * ws[one.weight]!;
            dw[one.weight]! += gs[one.result]! * xs[one.image]!;
            met.push(one);
          }
          expectSame(
            elements(r),
            forward.map((value) => rounded(dtype, value)),
          );
          expectSame(
            elements(conv2dWeightBackward(g, x, w.shape, options)),
            dw.map((value) => rounded(dtype, value)),
          );
          // A pixel takes its terms by output channel, then by tap.
          const dx = xs.map(() => 0);
          met.sort((a, b) => a.weight - b.weight);
          for (const one of met) dx[one.image]! += ws[one.weight]! * gs[one.result]!;
          expectSame(
            elements(conv2dInputBackward(g, w, x.shape, options)),
            dx.map((value) => rounded(dtype, value)),
          );
        }),
        { numRuns: 100 },
      );
    });
  }
});

describe("conv2d", () => {
  it("counts nothing where a tap lies over padding, not even an infinite weight", () => {
    const w = tensor([Infinity, 1, 1, 1], { shape: [1, 1, 2, 2] });
    expect(elements(conv2d(ones([1, 1, 1, 1]), w, { padding: 1 }))).toEqual([1, 1, 1, Infinity]);
    expect(elements(conv2dInputBackward(ones([1, 1, 2, 2]), w, [1, 1, 1, 1], { padding: 1 }))).toEqual([Infinity]);
  });

  it("gives the bias where there are no channels, and where all is padding", () => {
    const bias = tensor([3, -0]);
    const empty = conv2d(zeros([1, 0, 1, 2]), zeros([2, 0, 1, 1]), { bias });
    expectSame(elements(empty), [3, 3, 0, 0]);
    expect(elements(conv2d(zeros([1, 1, 0, 0]), ones([1, 1, 1, 1]), { padding: 1 }))).toEqual([0, 0, 0, 0]);
  });

  it("adds the bias in the accumulator: one rounding", () => {
    // 2^24 + 1 is no float32: the sum is rounded with the bias in it.
    const x = tensor([2 ** 24, 1], { shape: [1, 2, 1, 1] });
    expect(elements(conv2d(x, ones([1, 2, 1, 1]), { bias: tensor([1]) }))).toEqual([2 ** 24 + 2]);
  });

  it("takes images whose channels lie in blocks", () => {
    const blocks = arange(2 * 2 * 3 * 3 * 2).reshape([2, 2, 3, 3, 2]);
    const x = views.rearrange(blocks, "n b h w c -> n (c b) h w");
    expect(x.layout.depth).toBe(2);
    const w = arange(2 * 4 * 2 * 2).reshape([2, 4, 2, 2]);
    expectSame(elements(conv2d(x, w)), elements(conv2d(x.contiguous(), w)));
  });

  it("rounds 16-bit floats once", () => {
    // Through float32 the sum 1 + 2^-11 + 2^-40 would lose its last bit, and then tie to 1.
    const x = tensor([1, 2 ** -11, 2 ** -20], { shape: [1, 3, 1, 1], dtype: "float16" });
    const w = tensor([1, 1, 2 ** -20], { shape: [1, 3, 1, 1], dtype: "float16" });
    expect(elements(conv2d(x, w))).toEqual([1 + 2 ** -10]);
  });

  it("transposed: adds the bias to every pixel, and is no larger than it is told", () => {
    const x = tensor([1, 2], { shape: [1, 1, 1, 2] });
    const w = ones([1, 1, 1, 2]);
    expect(elements(convTranspose2d(x, w, { stride: [1, 3], bias: tensor([10]) }))).toEqual([11, 11, 10, 12, 12]);
    expect(convTranspose2d(x, w, { stride: [1, 3], outputPadding: [0, 2] }).shape).toEqual([1, 1, 1, 7]);
  });
});
