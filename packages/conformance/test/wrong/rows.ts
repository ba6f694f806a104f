import type { Kernel } from "@sw/tensor/seam";
import { positions, reference } from "../support.js";
import type { Defect } from "./defect.js";

/** A reduction to one number a result, by a function of its elements. */
function reduced(rule: (terms: readonly number[]) => number): Kernel {
  return ([out], [input]) => {
    const groups = new Map<number, number[]>(positions(out!).map((at) => [at, []]));
    const to = positions(out!);
    positions(input!).forEach((at, i) => {
      groups.get(to[i]!)!.push(Number(input!.data[at]));
    });
    for (const [at, terms] of groups) out!.data[at] = rule(terms);
  };
}

/** A kernel along the last axis, by a function of a row: of numbers into numbers, or into positions. */
function alongRows(rule: (row: readonly number[]) => readonly number[]): Kernel {
  return ([out], [input]) => {
    const n = input!.shape[input!.shape.length - 1]!;
    const from = positions(input!);
    const to = positions(out!);
    const k = (to.length * n) / from.length;
    for (let r = 0; r * n < from.length; r++) {
      const results = rule(from.slice(r * n, (r + 1) * n).map((at) => Number(input!.data[at])));
      for (let i = 0; i < k; i++) {
        const value = results[i]!;
        out!.data[to[r * k + i]!] = out!.dtype === "int64" ? BigInt(value) : value;
      }
    }
  };
}

/** The reference, told other numbers. */
function told(kernel: string, ints: readonly number[], floats: readonly number[]): Kernel {
  return (outputs, inputs) => reference(kernel)(outputs, inputs, ints, floats);
}

const total = (terms: readonly number[]): number => terms.reduce((a, b) => a + b, 0);

function oneVariance(terms: readonly number[]): number {
  const mean = Math.fround(total(terms) / terms.length);
  return Math.fround(
    Math.fround(total(terms.map((x) => Math.fround(x * x))) / terms.length) - Math.fround(mean * mean),
  );
}

/** Positions in ascending order, NaN anywhere. */
const carelessly = (row: readonly number[]): number[] => [...row.keys()].sort((i, j) => row[i]! - row[j]!);

/** Defects of reductions, and of kernels along one axis. */
export const ROW_DEFECTS: readonly Defect[] = [
  {
    what: "divides every variance by n − 1",
    kernels: { variance: told("variance", [], [1]) },
    caughtBy: "kernels/variance/float32/correction-0/contiguous",
  },
  {
    what: "computes a variance in one pass",
    kernels: { variance: reduced(oneVariance) },
    caughtBy: "kernels/variance/float32/correction-0/far-from-zero",
  },
  {
    what: "knows one order of norms",
    kernels: { norm: told("norm", [], [2]) },
    caughtBy: "kernels/norm/float32/order-1/contiguous",
  },
  {
    what: "drops NaN where it looks for the smallest",
    kernels: { min: reduced((terms) => terms.reduce((a, b) => (b < a ? b : a))) },
    caughtBy: "kernels/min/float32/special-values",
  },
  {
    what: "takes the first of two zeros for the largest",
    kernels: { max: reduced((terms) => terms.reduce((a, b) => (b > a || Number.isNaN(b) ? b : a))) },
    caughtBy: "kernels/max/float32/signed-zeros",
  },
  {
    what: "takes NaN for false",
    kernels: { any: reduced((terms) => Number(terms.some((x) => x > 0 || x < 0))) },
    caughtBy: "kernels/any/float32/special-values",
  },
  {
    what: "says that all of nothing is false",
    kernels: { all: reduced((terms) => Number(terms.length > 0 && terms.every((x) => x !== 0))) },
    caughtBy: "kernels/all/float32/empty",
  },
  {
    what: "rounds a product of integers",
    kernels: {
      prod: (outputs, inputs) => {
        const product = reduced((terms) => terms.reduce((a, b) => a * b, 1));
        const wide = { ...outputs[0]!, data: new Float64Array(outputs[0]!.data.length) };
        product([wide], inputs, [], []);
        for (const at of positions(outputs[0]!)) outputs[0]!.data[at] = BigInt.asIntN(64, BigInt(wide.data[at]!));
      },
    },
    caughtBy: "kernels/prod/int32/wide-integers",
  },
  {
    what: "lets a sum of exponentials overflow",
    kernels: { logSumExp: reduced((terms) => Math.log(total(terms.map(Math.exp)))) },
    caughtBy: "kernels/logSumExp/float32/contiguous",
  },
  {
    what: "measures -Infinity against itself",
    kernels: {
      logSumExp: reduced((terms) => {
        const largest = Math.max(...terms);
        return largest + Math.log(total(terms.map((x) => Math.exp(x - largest))));
      }),
    },
    caughtBy: "kernels/logSumExp/float32/special-values",
  },
  {
    what: "lets a number beat NaN",
    kernels: { argmin: alongRows((row) => [row.reduce((best, x, i) => (x < row[best]! ? i : best), 0)]) },
    caughtBy: "kernels/argmin/float32/special-values",
  },
  {
    what: "makes a descending order by turning the ascending one round",
    kernels: {
      argsort: (outputs, inputs, ints) => {
        const [out] = outputs;
        const last = out!.shape.length - 1;
        const stride = out!.strides[last]!;
        const strides = out!.strides.map((s, axis) => (axis === last ? -s : s));
        const turned = { ...out!, strides, offset: out!.offset + (out!.shape[last]! - 1) * stride };
        reference("argsort")([ints[0] === 1 ? turned : out!], inputs, [0], []);
      },
    },
    caughtBy: "kernels/argsort/float32/descending/ties",
  },
  {
    what: "sorts by subtraction, which NaN upsets",
    kernels: { argsort: alongRows(carelessly) },
    caughtBy: "kernels/argsort/float32/ascending/special-values",
  },
  {
    what: "finds the largest where the smallest are wanted",
    kernels: { topK: told("topK", [1], []) },
    caughtBy: "kernels/topK/float32/smallest/contiguous",
  },
  {
    what: "forgets epsilon",
    kernels: { layerNorm: told("layerNorm", [], [0]) },
    caughtBy: "kernels/layerNorm/float32/affine/sizes",
  },
  {
    what: "keeps what was normalised after its weights",
    kernels: {
      layerNorm: (outputs, inputs, ints, floats) => {
        reference("layerNorm")(outputs, inputs, ints, floats);
        if (outputs.length > 1) reference("layerNorm")([outputs[1]!], inputs, ints, floats);
      },
    },
    caughtBy: "kernels/layerNorm/float32/saving/contiguous",
  },
  {
    what: "subtracts a mean from what is only scaled",
    kernels: {
      rmsNorm: (outputs, inputs, ints, floats) => {
        reference(outputs.length > 1 || inputs.length > 1 ? "rmsNorm" : "layerNorm")(outputs, inputs, ints, floats);
      },
    },
    caughtBy: "kernels/rmsNorm/float32/plain/contiguous",
  },
  {
    what: "hands the unbiased variance out",
    kernels: {
      batchNorm: (outputs, inputs, ints, floats) => {
        reference("batchNorm")(outputs, inputs, ints, floats);
        const n = positions(inputs[0]!).length / inputs[0]!.shape[0]!;
        const [, , variance] = outputs;
        for (const at of positions(variance!)) variance!.data[at] = (Number(variance!.data[at]) * n) / (n - 1);
      },
    },
    caughtBy: "kernels/batchNorm/float32/plain/contiguous",
  },
];
