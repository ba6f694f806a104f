import {
  add,
  arange,
  cast,
  concat,
  DTYPES,
  type DType,
  le,
  matmul,
  mul,
  ne,
  pad,
  softmax,
  sub,
  sum,
  type Tensor,
  where,
} from "@sw/tensor";
import { type BackwardRecord, type BackwardRule, unpack } from "@sw/tensor/seam";
import { noGrad } from "../mode.js";
import { tidied } from "../scratch.js";
import { needs } from "./needs.js";
import { sumTo } from "./sum-to.js";

// The weights are computed again, for some rows of queries at a time: no more of them than that is in memory. Such a
// block gives the cotangents of its own queries, which stand one below another, and what it adds to those of keys and
// values. There may be as many blocks as queries, so what 16 bits hold is summed in float32 and rounded once.

/** How many weights are in memory at a time, unless a single row of queries has more. */
const WEIGHTS = 2 ** 16;

/** The inputs of a record, which are its saved slots too. */
const [Q, K, V, MASK] = [0, 1, 2, 3] as const;

type Shape = readonly number[];
type Parts = readonly (Tensor | undefined)[];

/** Some rows of queries, and how many keys the last of them sees. */
interface Block {
  readonly start: number;
  readonly end: number;
  readonly keys: number;
}

export const attentionRule: BackwardRule = (record, g) => {
  const shapes = shapesOf(record);
  // A mask that is one for all queries gets a sum, as keys do.
  const stacks = shapes.map((shape, input) => input === Q || (input === MASK && shape.at(-2) === g.shape.at(-2)));
  const pieces = shapes.map((): Tensor[] => []);
  const blocks = blocksOf(record, g);
  const sumDType = blocks.length > 1 && DTYPES[g.dtype].byteLength < 4 ? "float32" : g.dtype;
  let sums: Parts = [];
  for (const block of blocks) {
    const before = sums;
    const given = tidied(before, () =>
      partsOf(record, g, block).map((part, input) => {
        if (part === undefined) return undefined;
        return stacks[input]
          ? lengthened(part, -1, shapes[input])
          : plus(before[input], as(part, sumDType), keyAxis(input));
      }),
    );
    for (const [input, t] of given.entries()) if (t !== undefined && stacks[input]) pieces[input]?.push(t);
    sums = given.map((t, input) => (stacks[input] ? undefined : t));
  }
  return record.inputs.map(({ shape }, input) => {
    if (!needs(record, input)) return undefined;
    if (stacks[input]) return concat(pieces[input] as Tensor[], -2);
    return as(lengthened(sums[input] as Tensor, keyAxis(input), shapes[input]), g.dtype).reshape(shape);
  });
};

function as(t: Tensor, dtype: DType): Tensor {
  return t.dtype === dtype ? t : cast(t, dtype);
}

/** The shapes of the inputs, those of masks with at least two axes. */
function shapesOf({ inputs }: BackwardRecord): readonly Shape[] {
  return inputs.map(({ shape }) => (shape.length < 2 ? [1, shape[0] ?? 1] : shape));
}

/** The axis along which a block that sees fewer keys gives less. */
function keyAxis(input: number): -1 | -2 {
  return input === MASK ? -1 : -2;
}

function blocksOf({ inputs, ints }: BackwardRecord, { shape }: Tensor): readonly Block[] {
  const n = shape.at(-2) as number;
  const m = inputs[K]?.shape.at(-2) as number;
  const batch = shape.slice(0, -2).reduce((product, extent) => product * extent, 1);
  const rows = Math.max(1, Math.floor(WEIGHTS / (batch * m)));
  const blocks: Block[] = [];
  // Of no queries there is a block too: it gives keys their zeros.
  for (let start = 0; start === 0 || start < n; start += rows) {
    const end = Math.min(n, start + rows);
    blocks.push({ start, end, keys: ints[0] === 0 ? m : Math.min(m, end) });
  }
  return blocks;
}

/** What a block gives each input that wants it. */
function partsOf(record: BackwardRecord, g: Tensor, block: Block): Parts {
  const { start, end, keys } = block;
  const [scale = 1] = record.floats;
  const shapes = shapesOf(record);
  const rows = g.slice(-2, start, end);
  const q = unpack(record, Q).slice(-2, start, end);
  const k = unpack(record, K).slice(-2, 0, keys);
  const scores = masked(record, mul(matmul(q, k.transpose(-2, -1)), scale), block);
  const weights = softmax(scores, -1);
  const inBatches = (input: number, t: Tensor): Tensor =>
    sumTo(t, [...(shapes[input] as Shape).slice(0, -2), ...t.shape.slice(-2)]);
  const ofValues = (): Tensor => inBatches(V, matmul(weights.transpose(-2, -1), rows));
  // Where they alone have a cotangent, no values are read.
  if (![Q, K, MASK].some((input) => needs(record, input)))
    return record.inputs.map((_, input) => (input === V ? ofValues() : undefined));
  const ofScores = throughWeights(record, rows, scores, weights);
  const all = [
    () => inBatches(Q, mul(matmul(ofScores, k), scale)),
    () => inBatches(K, mul(matmul(ofScores.transpose(-2, -1), q), scale)),
    ofValues,
    () => sumTo(ofScores, within(shapes[MASK] as Shape, end - start, keys)),
  ];
  return record.inputs.map((_, input) => (needs(record, input) ? all[input]?.() : undefined));
}

/** The cotangent of a block's scores: that of its weights, through softmax. What is excluded counts nowhere. */
function throughWeights(record: BackwardRecord, rows: Tensor, scores: Tensor, weights: Tensor): Tensor {
  const v = unpack(record, V).slice(-2, 0, scores.shape.at(-1));
  const taken = noGrad(() => ne(scores, Number.NEGATIVE_INFINITY));
  const ofWeights = where(taken, matmul(rows, v.transpose(-2, -1)), 0);
  const average = sum(mul(ofWeights, weights), { axes: -1, keepAxes: true }) as Tensor;
  return mul(weights, sub(ofWeights, average));
}

/** The scores as the weights are made of: with what the mask adds, and -Infinity where it or the order excludes. */
function masked(record: BackwardRecord, scores: Tensor, { start, end, keys }: Block): Tensor {
  let result = scores;
  const shape = shapesOf(record)[MASK];
  if (shape !== undefined) {
    const [rows, columns] = within(shape, end - start, keys).slice(-2) as [number, number];
    const first = shape.at(-2) === 1 ? 0 : start;
    const mask = unpack(record, MASK)
      .reshape(shape)
      .slice(-2, first, first + rows)
      .slice(-1, 0, columns);
    result = mask.dtype === "bool" ? where(mask, result, Number.NEGATIVE_INFINITY) : add(result, mask);
  }
  if (record.ints[0] === 0) return result;
  const seen = noGrad(() => le(arange(keys), arange(start, end).unsqueeze(1)));
  return where(seen, result, Number.NEGATIVE_INFINITY);
}

/** The shape of a mask within a block. */
function within(shape: Shape, rows: number, keys: number): Shape {
  return [...shape.slice(0, -2), shape.at(-2) === 1 ? 1 : rows, shape.at(-1) === 1 ? 1 : keys];
}

/** Adds a part to what earlier blocks gave, which may have seen fewer keys. */
function plus(before: Tensor | undefined, part: Tensor, axis: -1 | -2): Tensor {
  return before === undefined ? part : add(lengthened(before, axis, part.shape), part);
}

/** The tensor with zeros after it, up to the extent that a shape has along an axis. */
function lengthened(t: Tensor, axis: -1 | -2, shape: Shape = t.shape): Tensor {
  const missing = (shape.at(axis) as number) - (t.shape.at(axis) as number);
  if (missing === 0) return t;
  const padding = t.shape.map((_, a): [number, number] => [0, a === t.rank + axis ? missing : 0]);
  return pad(t, padding);
}
