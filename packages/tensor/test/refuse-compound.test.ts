import * as tensors from "@sw/tensor";
import { tensor, UnsupportedError, zeros } from "@sw/tensor";
import { blockInt8, dequantize, quantize } from "@sw/tensor/compound";
import * as seam from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

const t = zeros([2, 4]);
const one = tensor(1);
const labels = zeros([2], { dtype: "int64" });
const compound = quantize(zeros([2, 4]), blockInt8, { blockSize: 4 });
// In JavaScript nothing keeps it out.
const c = compound as never;
const located = { layout: t.layout, start: 0 };
const nothing = (): void => {};

const signal = zeros([1, 1, 1]);
const image = zeros([1, 1, 1, 1]);
const places = zeros([2, 4], { dtype: "int32" });
const mask = zeros([2, 4], { dtype: "bool" });

/** The program of one step. */
const program: seam.Program = {
  inputs: ["float32"],
  constants: [],
  steps: [{ kind: "relu", operands: [0] }],
  outputs: [1],
};

const UNARY = [
  ...["neg", "abs", "sign", "floor", "ceil", "round", "trunc", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt"],
  ...["reciprocal", "sin", "cos", "tanh", "erf", "relu", "leakyRelu", "elu", "sigmoid", "silu", "softplus", "gelu"],
  ...["geluTanh", "logicalNot", "isNaN", "isFinite", "isInfinite"],
];

/** The same uses of several exports. */
function eachRefuses<F>(names: readonly string[], uses: (of: F) => readonly (() => unknown)[]) {
  return Object.fromEntries(
    names.map((name) => [name, uses((tensors as Readonly<Record<string, unknown>>)[name] as F)]),
  );
}

/** Every use of an export that takes tensors, with a tensor of several parts in each place. */
const OF_TENSOR: { readonly [name: string]: readonly (() => unknown)[] } = {
  add: [() => tensors.add(c, t), () => tensors.add(t, c), () => tensors.add(1 as never, c), () => tensors.add(c, 1)],
  sub: [() => tensors.sub(c, t), () => tensors.sub(t, c), () => tensors.sub(1 as never, c)],
  mul: [() => tensors.mul(c, t), () => tensors.mul(t, c), () => tensors.mul(c, c)],
  div: [() => tensors.div(c, t), () => tensors.div(t, c)],
  ...eachRefuses(
    ["pow", "remainder", "minimum", "maximum", "eq", "ne", "lt", "le", "gt", "ge"],
    (of: (a: never, b: never) => unknown) => [
      () => of(c, t as never),
      () => of(1 as never, c),
      () => of(c, 1 as never),
    ],
  ),
  ...eachRefuses(["logicalAnd", "logicalOr", "logicalXor"], (of: (a: never, b: never) => unknown) => [
    () => of(c, t as never),
    () => of(t as never, c),
  ]),
  ...eachRefuses(UNARY, (of: (x: never) => unknown) => [() => of(c)]),
  clamp: [() => tensors.clamp(c, 0, 1), () => tensors.clamp(t, c), () => tensors.clamp(t, 0, c)],
  where: [() => tensors.where(c, t, t), () => tensors.where(mask, c, 1), () => tensors.where(mask, 1, c)],
  maskedFill: [() => tensors.maskedFill(c, mask, 0), () => tensors.maskedFill(t, c, 0)],
  triu: [() => tensors.triu(c)],
  tril: [() => tensors.tril(c)],
  cast: [() => tensors.cast(c, "float64")],
  matmul: [() => tensors.matmul(c, t), () => tensors.matmul(t, c)],
  softmax: [() => tensors.softmax(c, 0)],
  logSoftmax: [() => tensors.logSoftmax(c, 0)],
  nllLoss: [() => tensors.nllLoss(c, labels), () => tensors.nllLoss(t, c)],
  crossEntropy: [() => tensors.crossEntropy(c, labels), () => tensors.crossEntropy(t, c)],
  mseLoss: [() => tensors.mseLoss(c, t), () => tensors.mseLoss(t, c)],
  gather: [() => tensors.gather(c, labels, 0), () => tensors.gather(t, c, 0)],
  ...eachRefuses(["scatter", "scatterAdd"], (of: (x: never, index: never, source: never, axis: number) => unknown) => [
    () => of(c, places as never, t as never, 0),
    () => of(t as never, c, t as never, 0),
    () => of(t as never, places as never, c, 0),
  ]),
  indexSelect: [() => tensors.indexSelect(c, labels, 0), () => tensors.indexSelect(t, c, 0)],
  indexAdd: [
    () => tensors.indexAdd(c, labels, t, 0),
    () => tensors.indexAdd(t, c, t, 0),
    () => tensors.indexAdd(t, labels, c, 0),
  ],
  embedding: [() => tensors.embedding(c, labels), () => tensors.embedding(t, c)],
  oneHot: [() => tensors.oneHot(c, 2)],
  sort: [() => tensors.sort(c, 0)],
  topK: [() => tensors.topK(c, 1, 0)],
  concat: [() => tensors.concat([t, c], 0)],
  stack: [() => tensors.stack([c, t], 0)],
  roll: [() => tensors.roll(c, 1, 0)],
  split: [() => tensors.split(c, 2, 0)],
  pad: [() => tensors.pad(c, [[0, 0]])],
  tile: [() => tensors.tile(c, [1, 2])],
  repeat: [() => tensors.repeat(c, 2, 0)],
  einsum: [() => tensors.einsum("i j, i j -> i", c, t), () => tensors.einsum("i j, i j -> i", t, c)],
  sum: [() => tensors.sum(c)],
  mean: [() => tensors.mean(c)],
  argmax: [() => tensors.argmax(c, 0)],
  ...eachRefuses(["argmin", "argsort", "cumsum"], (of: (x: never, axis: number) => unknown) => [() => of(c, 0)]),
  ...eachRefuses(
    ["prod", "min", "max", "any", "all", "variance", "norm", "logSumExp", "batchNormTraining"],
    (of: (x: never) => unknown) => [() => of(c)],
  ),
  ...eachRefuses(["layerNorm", "rmsNorm"], (of: (x: never, shape: readonly number[], options?: object) => unknown) => [
    () => of(c, [4]),
    () => of(t as never, [4], { weight: c }),
  ]),
  groupNorm: [() => tensors.groupNorm(c, 2), () => tensors.groupNorm(t, 2, { weight: c })],
  batchNorm: [
    () => tensors.batchNorm(c, { mean: one, variance: one }),
    () => tensors.batchNorm(t, { mean: c, variance: one }),
    () => tensors.batchNorm(t, { mean: one, variance: c }),
  ],
  conv1d: [() => tensors.conv1d(c, signal), () => tensors.conv1d(signal, c)],
  ...eachRefuses(["conv2d", "convTranspose2d"], (of: (x: never, weight: never) => unknown) => [
    () => of(c, image as never),
    () => of(image as never, c),
  ]),
  ...eachRefuses(
    ["maxPool2d", "maxPool2dWithIndices", "avgPool2d", "adaptiveAvgPool2d"],
    (of: (x: never, options: object) => unknown) => [() => of(c, { kernel: 1 })],
  ),
  attention: [
    () => tensors.attention(c, t, t),
    () => tensors.attention(t, c, t),
    () => tensors.attention(t, t, c),
    () => tensors.attention(t, t, t, { mask: c }),
  ],
  arrayEqual: [() => tensors.arrayEqual(c, t), () => tensors.arrayEqual(t, c)],
  allClose: [() => tensors.allClose(c, t), () => tensors.allClose(t, c)],
  format: [() => tensors.format(c)],
  imageLayout: [() => tensors.imageLayout(c)],
  keep: [() => tensors.keep(c)],
  withData: [() => tensors.withData(c, nothing)],
  withMutableData: [() => tensors.withMutableData(c, nothing)],
  tensor: [() => tensor(c)],
};

const OF_SEAM: { readonly [name: string]: readonly (() => unknown)[] } = {
  plain: [() => seam.plain(c, "test")],
  live: [() => seam.live(c, "test")],
  refuseCompound: [() => seam.refuseCompound(c, "test")],
  checkLive: [() => seam.checkLive(c, "test")],
  derive: [() => seam.derive(c, located)],
  allocateLike: [() => seam.allocateLike(c, "test", "float32", t.layout)],
  allocateRowMajor: [() => seam.allocateRowMajor(c, "test", "float32", [2])],
  copyBox: [() => seam.copyBox(c, t, "test"), () => seam.copyBox(t, c, "test")],
  runLoops: [() => seam.runLoops(seam.COPY, [c], [t]), () => seam.runLoops(seam.COPY, [t], [c])],
  checkLoops: [() => seam.checkLoops(seam.COPY, [c], [t]), () => seam.checkLoops(seam.COPY, [t], [c])],
  runReduce: [() => seam.runReduce(seam.OPERATIONS.sum, c, t, []), () => seam.runReduce(seam.OPERATIONS.sum, t, c, [])],
  runAxes: [() => seam.runAxes(seam.OPERATIONS.matmul, [c], [t]), () => seam.runAxes(seam.OPERATIONS.matmul, [t], [c])],
  runProgram: [() => seam.runProgram(program, [c], [t]), () => seam.runProgram(program, [t], [c])],
  scatterInto: [() => seam.scatterInto(t.layout, located, c)],
  gatherFrom: [() => seam.gatherFrom(c, t.layout, located)],
  reluBackward: [() => seam.reluBackward(c, t), () => seam.reluBackward(t, c)],
  conv2dInputBackward: [
    () => seam.conv2dInputBackward(c, image, [1, 1, 1, 1]),
    () => seam.conv2dInputBackward(image, c, [1, 1, 1, 1]),
  ],
  conv2dWeightBackward: [
    () => seam.conv2dWeightBackward(c, image, [1, 1, 1, 1]),
    () => seam.conv2dWeightBackward(image, c, [1, 1, 1, 1]),
  ],
  avgPool2dBackward: [() => seam.avgPool2dBackward(c, [1, 1, 1, 1], { kernel: 1 })],
  adaptiveAvgPool2dBackward: [() => seam.adaptiveAvgPool2dBackward(c, [1, 1, 1, 1])],
  nllLossBackward: [() => seam.nllLossBackward(c, labels, 4), () => seam.nllLossBackward(one, c, 4)],
};

/** What takes no tensor, asks only whether it is one, or is told of tensors that passed the gate. */
const OTHERS: readonly string[] = [
  ...[
    "DTYPES",
    "explain",
    "Tensor",
    "arange",
    "asTensor",
    "createArena",
    "createGenerator",
    "dtypeFromOnnx",
    "fromBuffer",
    "full",
  ],
  ...[
    "isDType",
    "isTensor",
    "ones",
    "bernoulli",
    "permutation",
    "rand",
    "randint",
    "randn",
    "setKernels",
    "withArena",
    "withKernels",
    "zeros",
  ],
  ...["bfloat16ToNumber", "numberToBfloat16", "halfToNumber", "numberToHalf", "checkAxis", "checkKind", "sameDType"],
  ...[
    "ACCUMULATE",
    "ADAM_STEP",
    "checkProgram",
    "COPY",
    "OPERATIONS",
    "SGD_STEP",
    "operationSpec",
    "isNeeded",
    "isRecorded",
    "record",
    "save",
    "unpack",
    "withLeaf",
    "choose",
    "current",
  ],
  ...["defaultPool", "withRecording", "withScope", "checkSaved", "views"],
  ...["broadcastShapes", "eye", "linspace", "matrix", "resultType", "strided"],
];

describe("VA-10 everything but views and dequantize refuses a tensor of several parts", () => {
  for (const [name, uses] of [...Object.entries(OF_TENSOR), ...Object.entries(OF_SEAM)]) {
    test(`${name} refuses it before any effect`, () => {
      const before = compound.versions.map(({ version }) => version);
      const { live } = seam.defaultPool().statistics();
      for (const use of uses) {
        expect(use).toThrow(UnsupportedError);
        expect(use).toThrow(/several parts: got CompoundTensor blockInt8 \[2,4\], expected a Tensor\. Call dequantize/);
      }
      expect(seam.defaultPool().statistics().live).toBe(live);
      expect(compound.versions.map(({ version }) => version)).toEqual(before);
    });
  }

  test("the methods that take a tensor refuse it too", () => {
    expect(() => t.copyFrom(c)).toThrow(UnsupportedError);
    expect(() => quantize(c, blockInt8)).toThrow(UnsupportedError);
    expect(tensors.isTensor(compound)).toBe(false);
    expect(dequantize(compound).toArray()).toEqual(t.toArray());
  });

  test("no export is left out", () => {
    const exported = [...Object.keys(tensors), ...Object.keys(seam)].filter((name) => !/Error$/.test(name));
    const known = [...Object.keys(OF_TENSOR), ...Object.keys(OF_SEAM), ...OTHERS];
    expect(exported.filter((name) => !known.includes(name))).toEqual([]);
  });
});
