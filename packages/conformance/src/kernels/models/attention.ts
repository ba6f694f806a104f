import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, wide } from "../../bounds.js";
import { Accumulator, exactSum } from "../../exact-sums.js";
import { contiguous } from "../../operands/forms.js";
import { type Placement, type Placer, sizeOf } from "../../operands/placing.js";
import { FLOAT_DTYPES, type Value } from "../../values.js";
import { type Draw, type KernelModel, type OwnCase, ordinaryDraw, type Problem, range } from "../model.js";
import { between, numbersOf, unwritten, valued } from "../plans.js";
import type { Expected, Plan } from "../sample.js";

// A problem is `[...batch, n, m, e, f]`.

type Variant = "plain" | "causal" | "mask" | "bool-mask";

/** The numbers of one call, row-major, and its extents. */
interface Call {
  readonly batches: number;
  readonly n: number;
  readonly m: number;
  readonly e: number;
  readonly f: number;
  readonly q: readonly number[];
  readonly k: readonly number[];
  /** What is added to each score. */
  readonly mask: readonly number[] | undefined;
  readonly causal: boolean;
  readonly scale: number;
}

/** A key's score, and how far a conforming kernel's may be from it, in units of roundoff. */
interface Score {
  readonly value: number;
  readonly slack: number;
}

/** The scores of one query, over the keys that it sees. */
function scoresOf(call: Call, batch: number, i: number): readonly Score[] {
  const { n, m, e, q, k, mask, causal, scale } = call;
  return range(0, (causal ? Math.min(m, i + 1) : m) - 1).map((j) => {
    const total = new Accumulator();
    for (let p = 0; p < e; p++) total.addProduct(q[(batch * n + i) * e + p]!, k[(batch * m + j) * e + p]!);
    const { sum, magnitude } = total.result();
    const added = mask === undefined ? 0 : mask[(batch * n + i) * m + j]!;
    const value = scale * sum + added;
    const slack = (e + 2) * Math.abs(scale) * magnitude + Math.abs(added);
    return { value, slack: value === Number.NEGATIVE_INFINITY ? 0 : slack };
  });
}

/** The weights of one query, and the largest relative error of one of them, in units of roundoff. */
function weightsOf(scores: readonly Score[]): { readonly weights: readonly number[]; readonly distance: number } {
  const largest = scores.reduce((max, { value }) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const exponentials = scores.map(({ value }) => Math.exp(value - largest));
  const { sum } = exactSum(exponentials);
  const weights = exponentials.map((x) => x / sum);
  const distance = scores.reduce(
    (max, { value, slack }, j) => (weights[j] === 0 ? max : Math.max(max, Math.abs(value - largest) + slack)),
    0,
  );
  return { weights, distance };
}

function attended(call: Call, v: readonly number[]): Expected {
  const { batches, n, m, f } = call;
  const values: number[] = [];
  const magnitudes: number[] = [];
  const distances: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    for (let i = 0; i < n; i++) {
      const { weights, distance } = weightsOf(scoresOf(call, batch, i));
      for (let c = 0; c < f; c++) {
        const { sum, magnitude } = exactSum(weights.map((w, j) => w * v[(batch * m + j) * f + c]!));
        values.push(weights.length === 0 ? Number.NaN : sum);
        magnitudes.push(magnitude);
        distances.push(distance);
      }
    }
  }
  return { values, magnitudes, distances, terms: m };
}

/**
 * Makes values finite that some query gives the weight 0: there 0 · Infinity is NaN if it is multiplied, and 0 if it is
 * left out, and kernels may do either.
 */
function finiteUnderZero(call: Call, v: Plan): Plan {
  const values: Value[] = [...v.values!];
  for (let batch = 0; batch < call.batches; batch++) {
    for (let i = 0; i < call.n; i++) {
      scoresOf(call, batch, i).forEach(({ value }, j) => {
        if (value !== Number.NEGATIVE_INFINITY) return;
        const first = (batch * call.m + j) * call.f;
        for (let at = first; at < first + call.f; at++) if (!Number.isFinite(values[at])) values[at] = 0;
      });
    }
  }
  return valued(v.dtype, v.placement, values);
}

/** A mask of bool, which no case draws: it has no special values. */
function keeping(placement: Placement, excluded: () => boolean): Plan {
  const values = range(1, sizeOf(placement.shape)).map(() => (excluded() ? 0 : 1));
  return valued("bool", placement, values);
}

/** What a mask adds to the scores. */
function addedBy(mask: Plan): readonly number[] {
  if (mask.dtype !== "bool") return numbersOf(mask);
  return numbersOf(mask).map((kept) => (kept === 0 ? Number.NEGATIVE_INFINITY : 0));
}

function sampleOf(variant: Variant): KernelModel["sample"] {
  return (dtype, problem, placers, draw, source) => {
    const batch = problem.slice(0, -4);
    const [n, m, e, f] = problem.slice(-4) as [number, number, number, number];
    const operand = (i: number, shape: Problem, ordinary: () => Value): Plan =>
      valued(dtype, placers[i]!(shape), draw(i, dtype, sizeOf(shape), ordinary));
    const factor = (): number => between(dtype, -2, 2, source);
    const q = operand(1, [...batch, n, e], factor);
    const k = operand(2, [...batch, m, e], factor);
    const drawn = operand(3, [...batch, m, f], factor);
    const excluded = (): boolean => source.next() < 0.25;
    const additive = (): number => (excluded() ? Number.NEGATIVE_INFINITY : source.pick([0, 0, factor()]));
    let mask: Plan | undefined;
    if (variant === "mask") mask = operand(4, [...batch, n, m], additive);
    else if (variant === "bool-mask") mask = keeping(placers[4]!([...batch, n, m]), excluded);
    const causal = variant === "causal";
    const scale = source.pick([1 / Math.sqrt(Math.max(1, e)), 1, 0.5]);
    const call: Call = {
      batches: sizeOf(batch),
      n,
      m,
      e,
      f,
      q: numbersOf(q),
      k: numbersOf(k),
      mask: mask === undefined ? undefined : addedBy(mask),
      causal,
      scale,
    };
    const v = finiteUnderZero(call, drawn);
    return {
      outputs: [unwritten(dtype, placers[0]!([...batch, n, f]))],
      inputs: mask === undefined ? [q, k, v] : [q, k, v, mask],
      ints: [causal ? 1 : 0],
      floats: [scale],
      expected: () => [attended(call, numbersOf(v))],
    };
  };
}

const PLACERS: readonly Placer[] = [contiguous, contiguous, contiguous, contiguous];

/** Scores whose exponentials no dtype holds, so that the largest must be subtracted first. */
const large = (sample: KernelModel["sample"]): OwnCase => ({
  name: "large-scores",
  dtypes: FLOAT_DTYPES,
  samples: (dtype, source) =>
    range(1, 20).map((m) => {
      const far: Draw = (operand, d, count, ordinary) =>
        ordinaryDraw(operand, d, count, operand === 3 ? ordinary : () => between(d, -40, 40, source));
      return sample(dtype, [3, m, 4, 2], PLACERS, far, source);
    }),
});

function model(variant: Variant): KernelModel {
  const sample = sampleOf(variant);
  const masked = variant === "mask" || variant === "bool-mask";
  const counts = {
    constant: 16,
    perTerm: 2,
    perDistance: 4,
    distance: "max (|s − max s| + (e + 2)·|scale|·Σ|q·k| + |mask|)",
  };
  return {
    spec: OPERATIONS.attention,
    ...(variant === "plain" ? {} : { variant }),
    bound: accumulated("Σ|w·v|", counts),
    exactBound: wide("Σ|w·v|", counts),
    roles: masked ? ["out", "in", "in", "in", "in"] : ["out", "in", "in", "in"],
    problems: [
      [4, 5, 3, 2],
      [2, 3, 3, 4, 5],
      [2, 1, 5, 2, 1, 3],
    ],
    sizes: [
      ...range(1, 40).flatMap((n) => [
        [2, n, 3, 2],
        [2, 3, n, 2],
        [2, 3, 2, n],
      ]),
      ...range(1, 20).map((n) => [n, 4, 2, 3]),
    ],
    ones: [
      [1, 1, 1, 1],
      [1, 4, 1, 1],
      [1, 1, 3, 1, 1, 2],
    ],
    empty: [
      [2, 3, 0, 2],
      [2, 0, 3, 2],
    ],
    small: [
      [1, 3, 1, 1],
      [3, 2, 2, 2],
    ],
    pointwise: false,
    largest: false,
    special: variant === "mask" ? [1, 2, 3, 4] : [1, 2, 3],
    own: variant === "plain" ? [large(sample)] : [],
    randomProblem: (source) => [
      ...range(1, source.integer(0, 2)).map(() => source.integer(1, 3)),
      ...range(1, 4).map(() => source.integer(1, 6)),
    ],
    sample,
  };
}

/** `attention` as it is, causal, and with a mask of each kind. */
export function attentionModels(): readonly KernelModel[] {
  return (["plain", "causal", "mask", "bool-mask"] as const).map(model);
}
