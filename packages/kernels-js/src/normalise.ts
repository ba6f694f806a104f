import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { floatRows, unloadRows } from "./generated/lines.js";
import type { LoadRow } from "./rows.js";
import { rowScratch } from "./scratch.js";
import { turn } from "./turn.js";

// A group of elements is read whole, in the order of its loops, before anything of it is written, so the first output
// may be the very same elements as the input. All is computed in float64, and every output rounded once from what was
// not rounded before. Means come first and squares of distances then: nothing cancels.

/**
 * Writes `(x - mean) / sqrt(variance + epsilon) * weight + bias` along the last axis, mean and biased variance being the
 * row's; where asked also what stands before `* weight`, and `1 / sqrt(variance + epsilon)` of each row. A NaN or an
 * infinity makes its row NaN. A row of equal elements is 0 before `* weight`. Ba, Kiros, Hinton, "Layer Normalization",
 * 2016.
 */
export function layerNorm(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  _ints: readonly number[],
  floats: readonly number[],
): void {
  const [out, normalised, inverse] = outputs as [Operand, Operand?, Operand?];
  const [x, weight, bias] = inputs as [Operand, Operand?, Operand?];
  const level = out.shape.length - 1;
  normalise(
    { kernel: "layerNorm", level, out, normalised, inverse, x, weight, bias, epsilon: floats[0]! },
    standardise,
  );
}

/**
 * Writes `x / sqrt(mean of x^2 + epsilon) * weight` along the last axis; where asked also what stands before `* weight`,
 * and `1 / sqrt(mean of x^2 + epsilon)` of each row. A NaN makes its row NaN; beside an infinity, which becomes NaN,
 * what is finite becomes 0. Zhang, Sennrich, "Root Mean Square Layer Normalization", 2019.
 */
export function rmsNorm(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  _ints: readonly number[],
  floats: readonly number[],
): void {
  const [out, normalised, inverse] = outputs as [Operand, Operand?, Operand?];
  const [x, weight] = inputs as [Operand, Operand?];
  const level = out.shape.length - 1;
  normalise({ kernel: "rmsNorm", level, out, normalised, inverse, x, weight, epsilon: floats[0]! }, scaleToOne);
}

/**
 * Does what `layerNorm` does for all elements of each channel, the first axis being the channels, with one weight and
 * one bias a channel; also writes mean and biased variance of each channel. The mean of no elements is NaN. Ioffe,
 * Szegedy, "Batch Normalization", 2015.
 */
export function batchNorm(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  _ints: readonly number[],
  floats: readonly number[],
): void {
  const [out, mean, variance, normalised, inverse] = outputs as [Operand, Operand, Operand, Operand?, Operand?];
  const [x, weight, bias] = inputs as [Operand, Operand?, Operand?];
  const epsilon = floats[0]!;
  const call = { kernel: "batchNorm", level: 1, out, mean, variance, normalised, inverse, x, weight, bias, epsilon };
  normalise(call, standardise);
}

/** One call: the loops from `level` inwards are a group. */
interface Call {
  readonly kernel: string;
  readonly level: number;
  readonly out: Operand;
  readonly mean?: Operand;
  readonly variance?: Operand;
  readonly normalised: Operand | undefined;
  readonly inverse: Operand | undefined;
  readonly x: Operand;
  /** Of the first axis where that is the one outside the groups; of the last one otherwise. */
  readonly weight: Operand | undefined;
  readonly bias?: Operand | undefined;
  readonly epsilon: number;
}

/** Normalises `n` elements in place; writes their mean, variance, and the factor they were scaled by to `facts`. */
type Change = (n: number, group: Float64Array, epsilon: number, facts: Float64Array) => void;

const standardise: Change = (n, group, epsilon, facts) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += group[i]!;
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    const d = group[i]! - mean;
    group[i] = d;
    squares += d * d;
  }
  const variance = squares / n;
  const factor = 1 / Math.sqrt(variance + epsilon);
  for (let i = 0; i < n; i++) group[i] = group[i]! * factor;
  facts[MEAN] = mean;
  facts[VARIANCE] = variance;
  facts[INVERSE] = factor;
};

const scaleToOne: Change = (n, group, epsilon, facts) => {
  let squares = 0;
  for (let i = 0; i < n; i++) squares += group[i]! * group[i]!;
  const factor = 1 / Math.sqrt(squares / n + epsilon);
  for (let i = 0; i < n; i++) group[i] = group[i]! * factor;
  facts[INVERSE] = factor;
};

const MEAN = 0;
const VARIANCE = 1;
const INVERSE = 2;

function normalise(call: Call, change: Change): void {
  const { kernel, level, out, mean, variance, normalised, inverse, x, epsilon } = call;
  const load = rowOf(kernel, floatRows, x.dtype);
  const unload = rowOf(kernel, unloadRows, out.dtype);
  let n = 1;
  for (let k = level; k < x.shape.length; k++) n *= x.shape[k]!;
  const group = rowScratch(n);
  const facts = rowScratch(3, 1);
  const weight = call.weight === undefined ? undefined : lineOf(load, call.weight, 2);
  const bias = call.bias === undefined ? undefined : lineOf(load, call.bias, 3);
  const perChannel = mean !== undefined;
  let channel = 0;
  const operands = [out, x, mean ?? out, variance ?? out, normalised ?? out, inverse ?? out];
  turn(level, operands, (at) => {
    move(load, x, level, at[1]!, group, 0);
    change(n, group, epsilon, facts);
    if (mean !== undefined) unload(1, facts.subarray(MEAN), mean.data, at[2]!, 1);
    if (variance !== undefined) unload(1, facts.subarray(VARIANCE), variance.data, at[3]!, 1);
    if (normalised !== undefined) move(unload, normalised, level, at[4]!, group, 0);
    if (inverse !== undefined) unload(1, facts.subarray(INVERSE), inverse.data, at[5]!, 1);
    if (perChannel) affine(n, group, weight, bias, channel, 0);
    else affine(n, group, weight, bias, 0, 1);
    move(unload, out, level, at[0]!, group, 0);
    channel += 1;
  });
}

/** A whole operand of one axis. */
function lineOf(load: LoadRow, o: Operand, which: number): Float64Array {
  const n = o.shape[0]!;
  const line = rowScratch(n, which);
  load(n, line, o.data, o.offset, o.strides[0]!);
  return line;
}

/** Moves all elements of the loops from `level` inwards to or from `held`; answers where the next ones come. */
function move(row: LoadRow, o: Operand, level: number, at: number, held: Float64Array, first: number): number {
  const n = o.shape[level]!;
  const stride = o.strides[level]!;
  if (level === o.shape.length - 1) {
    row(n, first === 0 ? held : held.subarray(first), o.data, at, stride);
    return first + n;
  }
  let next = first;
  for (let i = 0; i < n; i++) next = move(row, o, level + 1, at + i * stride, held, next);
  return next;
}

/** Multiplies by weights and adds biases, `step` leading from that of one element to that of the next. */
function affine(
  n: number,
  group: Float64Array,
  weight: Float64Array | undefined,
  bias: Float64Array | undefined,
  first: number,
  step: number,
): void {
  if (weight !== undefined) for (let i = 0; i < n; i++) group[i] = group[i]! * weight[first + i * step]!;
  if (bias !== undefined) for (let i = 0; i < n; i++) group[i] = group[i]! + bias[first + i * step]!;
}
