import type { Kernel, Operand } from "@sw/tensor/seam";
import { dense, positions, reference } from "../support.js";
import type { Defect } from "./defect.js";

/** The same call with other numbers. */
function told(kernel: Kernel, change: (ints: readonly number[]) => readonly number[]): Kernel {
  return (outputs, inputs, ints, floats) => kernel(outputs, inputs, change(ints), floats);
}

const replaced = (ints: readonly number[], at: number, ...values: readonly number[]): readonly number[] =>
  ints.map((value, i) => values[i - at] ?? value);

/** A dense operand of a shape, whose elements are given. */
function made(like: Operand, shape: readonly number[], values: readonly number[]): Operand {
  return { ...like, data: Float64Array.from(values), dtype: "float64", offset: 0, shape, strides: dense(shape) };
}

const valuesOf = (o: Operand): number[] => positions(o).map((at) => Number(o.data[at]));

/** Widens every operand, so that a wrong kernel written for float64 serves. */
function widened(kernel: Kernel): Kernel {
  return (outputs, inputs, ints, floats) => {
    const wide = outputs.map((out) => made(out, out.shape, valuesOf(out)));
    kernel(
      wide,
      inputs.map((x) => (x.dtype === "bool" ? x : made(x, x.shape, valuesOf(x)))),
      ints,
      floats,
    );
    outputs.forEach((out, i) => {
      positions(out).forEach((at, k) => {
        out.data[at] = Number(wide[i]!.data[k]);
      });
    });
  };
}

/** Convolution of an image that was copied into a larger one of zeros. */
const overZeros: Kernel = widened(([out], [x, weight, ...rest], ints) => {
  const [padH, padW] = ints.slice(4, 6) as [number, number];
  const [n, c, h, w] = x!.shape as [number, number, number, number];
  const shape = [n, c, h + 2 * padH, w + 2 * padW];
  const larger = made(x!, shape, new Array<number>(shape.reduce((a, b) => a * b, 1)).fill(0));
  const inside = { ...larger, shape: x!.shape, offset: padH * shape[3]! + padW };
  valuesOf(x!).forEach((value, i) => {
    larger.data[positions(inside)[i]!] = value;
  });
  reference("conv2d")([out!], [larger, weight!, ...rest], replaced(ints, 4, 0, 0), []);
});

/** Where a wrong pooling kernel differs: whether a value beats the best so far, and what it begins with. */
interface Rule {
  readonly beats: (value: number, best: number) => boolean;
  readonly start: number;
  readonly base: (channel: number, size: number) => number;
}

const RULE: Rule = {
  beats: (value, best) => value > best || (Number.isNaN(value) && !Number.isNaN(best)),
  start: Number.NEGATIVE_INFINITY,
  base: (channel, size) => channel * size,
};

function pooling(change: Partial<Rule>): Kernel {
  const { beats, start, base } = { ...RULE, ...change };
  return widened(([out, indices], [x], ints) => {
    const [kh, kw, sh, sw, ph, pw] = ints as number[];
    const [, , h, w] = x!.shape as [number, number, number, number];
    const [, , rh, rw] = out!.shape as [number, number, number, number];
    for (let i = 0; i < out!.data.length; i++) {
      const channel = Math.floor(i / (rh * rw));
      const top = (Math.floor(i / rw) % rh) * sh! - ph!;
      const left = (i % rw) * sw! - pw!;
      let best = start;
      let winner = -1;
      for (let y = Math.max(0, top); y < Math.min(h, top + kh!); y++) {
        for (let u = Math.max(0, left); u < Math.min(w, left + kw!); u++) {
          const value = Number(x!.data[(channel * h + y) * w + u]);
          if (!beats(value, best) && !(winner < 0 && start === Number.NEGATIVE_INFINITY && value === start)) continue;
          best = value;
          winner = base(channel, h * w) + y * w + u;
        }
      }
      out!.data[i] = best;
      if (indices !== undefined) indices.data[i] = winner;
    }
  });
}

/** Causal attention by a mask of -Infinity, which multiplies what it excludes by 0. */
const multiplied: Kernel = widened((outputs, inputs, ints, floats) => {
  const [q, k] = inputs as [Operand, Operand];
  if (ints[0] === 0) {
    reference("attention")(outputs, inputs, ints, floats);
    return;
  }
  const rank = q.shape.length;
  const [n, m] = [q.shape[rank - 2]!, k.shape[rank - 2]!];
  const shape = [...q.shape.slice(0, -2), n, m];
  const values = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, at) =>
    at % m > Math.floor(at / m) % n ? Number.NEGATIVE_INFINITY : 0,
  );
  reference("attention")(outputs, [...inputs, made(q, shape, values)], [0], floats);
});

/** Attention whose weights are exponentials of the scores as they are. */
const unscaled: Kernel = widened((outputs, inputs, ints, floats) => {
  if (inputs.length > 3 || ints[0] !== 0) {
    reference("attention")(outputs, inputs, ints, floats);
    return;
  }
  const [q, k, v] = inputs as [Operand, Operand, Operand];
  const rank = q.shape.length;
  const [n, e, m, f] = [q.shape[rank - 2]!, q.shape[rank - 1]!, v.shape[rank - 2]!, v.shape[rank - 1]!];
  for (let at = 0; at < outputs[0]!.data.length; at++) {
    const row = Math.floor(at / f);
    const batch = Math.floor(row / n);
    let [total, sum] = [0, 0];
    for (let j = 0; j < m; j++) {
      let score = 0;
      for (let p = 0; p < e; p++) score += Number(q.data[row * e + p]) * Number(k.data[(batch * m + j) * e + p]);
      const weight = Math.exp(floats[0]! * score);
      total += weight;
      sum += weight * Number(v.data[(batch * m + j) * f + (at % f)]);
    }
    outputs[0]!.data[at] = sum / total;
  }
});

/** Defects of convolution, pooling and attention. */
export const IMAGE_DEFECTS: readonly Defect[] = [
  {
    what: "takes every kernel for a dense one",
    kernels: { conv2d: told(reference("conv2d"), (ints) => replaced(ints, 6, 1, 1)) },
    caughtBy: "kernels/conv2d/float32/contiguous",
  },
  {
    what: "swaps the strides of rows and columns",
    kernels: {
      conv2dInputBackward: told(reference("conv2dInputBackward"), (ints) => replaced(ints, 2, ints[3]!, ints[2]!)),
    },
    caughtBy: "kernels/conv2dInputBackward/float32/contiguous",
  },
  {
    what: "multiplies padding by the weights",
    kernels: { conv2d: overZeros },
    caughtBy: "kernels/conv2d/float32/special-values",
  },
  {
    what: "forgets the bias",
    kernels: { conv2d: (outputs, inputs, ints) => reference("conv2d")(outputs, inputs.slice(0, 2), ints, []) },
    caughtBy: "kernels/conv2d/float32/bias/contiguous",
  },
  {
    what: "leaves pixels alone that no window reaches",
    kernels: {
      conv2dInputBackward: (outputs, inputs, ints) => {
        const before = valuesOf(outputs[0]!);
        reference("conv2dInputBackward")(outputs, inputs, ints, []);
        positions(outputs[0]!).forEach((at, i) => {
          if (outputs[0]!.data[at] === 0) outputs[0]!.data[at] = before[i]!;
        });
      },
    },
    caughtBy: "kernels/conv2dInputBackward/float32/contiguous",
  },
  {
    what: "takes the weights' gradient of the first image only",
    kernels: {
      conv2dWeightBackward: ([out], inputs, ints) => {
        const first = inputs.map((x) => ({ ...x, shape: [Math.min(1, x.shape[0]!), ...x.shape.slice(1)] }));
        reference("conv2dWeightBackward")([out!], first, ints, []);
      },
    },
    caughtBy: "kernels/conv2dWeightBackward/float32/contiguous",
  },
  {
    what: "lets the last of equals win",
    kernels: { maxPool2d: pooling({ beats: (value, best) => value >= best || Number.isNaN(value) }) },
    caughtBy: "kernels/maxPool2d/float32/indices/ties",
  },
  {
    what: "drops NaN, since it is greater than nothing",
    kernels: { maxPool2d: pooling({ beats: (value, best) => value > best }) },
    caughtBy: "kernels/maxPool2d/float32/special-values",
  },
  {
    what: "begins with 0 and hides what is negative",
    kernels: { maxPool2d: pooling({ start: 0 }) },
    caughtBy: "kernels/maxPool2d/float32/contiguous",
  },
  {
    what: "leaves a window of -Infinity without a winner",
    kernels: { maxPool2d: pooling({ start: -Number.MAX_VALUE }) },
    caughtBy: "kernels/maxPool2d/float32/indices/ties",
  },
  {
    what: "numbers winners within their channel",
    kernels: { maxPool2d: pooling({ base: () => 0 }) },
    caughtBy: "kernels/maxPool2d/float32/indices/contiguous",
  },
  {
    what: "divides by the whole kernel at the border",
    kernels: { avgPool2d: told(reference("avgPool2d"), (ints) => replaced(ints, 6, 1)) },
    caughtBy: "kernels/avgPool2d/float32/contiguous",
  },
  {
    what: "gives back the gradient of another average",
    kernels: { avgPool2dBackward: told(reference("avgPool2dBackward"), (ints) => replaced(ints, 6, 0)) },
    caughtBy: "kernels/avgPool2dBackward/float32/counting-padding/contiguous",
  },
  {
    what: "gives all adaptive windows one length",
    kernels: {
      adaptiveAvgPool2d: ([out], [x]) => {
        const [h, w] = x!.shape.slice(2) as [number, number];
        const [rh, rw] = out!.shape.slice(2) as [number, number];
        const stride = [Math.floor(h / rh), Math.floor(w / rw)];
        const kernel = [h - (rh - 1) * stride[0]!, w - (rw - 1) * stride[1]!];
        reference("avgPool2d")([out!], [x!], [...kernel, ...stride, 0, 0, 0], []);
      },
    },
    caughtBy: "kernels/adaptiveAvgPool2d/float32/contiguous",
  },
  {
    what: "shows every key to every query",
    kernels: { attention: told(reference("attention"), () => [0]) },
    caughtBy: "kernels/attention/float32/causal/contiguous",
  },
  {
    what: "multiplies values by 0 that causal excludes",
    kernels: { attention: multiplied },
    caughtBy: "kernels/attention/float32/causal/special-values",
  },
  {
    what: "lets exponentials of scores overflow",
    kernels: { attention: unscaled },
    caughtBy: "kernels/attention/float32/large-scores",
  },
  {
    what: "scales no score",
    kernels: { attention: (outputs, inputs, ints) => reference("attention")(outputs, inputs, ints, [1]) },
    caughtBy: "kernels/attention/float32/contiguous",
  },
];
