import * as tensors from "@sw/tensor";
import { tensor, UnsupportedError, zeros } from "@sw/tensor";
import { blockInt8, dequantize, quantize } from "@sw/tensor/compound";
import * as seam from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

const t = zeros([2, 4]);
const one = tensor(1);
const row = zeros([4]);
const labels = zeros([2], { dtype: "int64" });
const compound = quantize(zeros([2, 4]), blockInt8, { blockSize: 4 });
// In JavaScript nothing keeps it out.
const c = compound as never;
const located = { layout: t.layout, start: 0 };
const nothing = (): void => {};

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
  ...eachRefuses(
    ["softmax", "logSoftmax", "cumsum", "argmax", "argmin", "argsort"],
    (of: (x: never, axis: number) => unknown) => [() => of(c, 0)],
  ),
  ...eachRefuses(
    ["sum", "prod", "mean", "min", "max", "any", "all", "variance", "norm", "logSumExp"],
    (of: (x: never) => unknown) => [() => of(c)],
  ),
  ...eachRefuses(["layerNorm", "rmsNorm"], (of: (x: never, shape: number[], options?: object) => unknown) => [
    () => of(c, [4]),
    () => of(t as never, [2, 4], { weight: c }),
  ]),
  batchNorm: [
    () => tensors.batchNorm(c, { mean: one, variance: one }),
    () => tensors.batchNorm(t, { mean: c, variance: one }),
    () => tensors.batchNorm(t, { mean: row, variance: c }),
  ],
  batchNormTraining: [() => tensors.batchNormTraining(c), () => tensors.batchNormTraining(t, { weight: c })],
  groupNorm: [() => tensors.groupNorm(c, 2), () => tensors.groupNorm(t, 2, { bias: c })],
  ...eachRefuses(["conv1d", "conv2d", "convTranspose2d"], (of: (x: never, weight: never) => unknown) => [
    () => of(c, c),
    () => of(c, t as never),
  ]),
  ...eachRefuses(["maxPool2d", "maxPool2dWithIndices", "avgPool2d"], (of: (x: never, options: object) => unknown) => [
    () => of(c, { kernel: 2 }),
  ]),
  adaptiveAvgPool2d: [() => tensors.adaptiveAvgPool2d(c, 1)],
  attention: [
    () => tensors.attention(c, t, t),
    () => tensors.attention(t, c, t),
    () => tensors.attention(t, t, c),
    () => tensors.attention(t, t, t, { mask: c }),
  ],
  nllLoss: [() => tensors.nllLoss(c, labels), () => tensors.nllLoss(t, c)],
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
  runProgram: [() => seam.runProgram(program, [c], [t]), () => seam.runProgram(program, [t], [c])],
  runAxes: [() => seam.runAxes(seam.OPERATIONS.matmul, [c], [t]), () => seam.runAxes(seam.OPERATIONS.matmul, [t], [c])],
  scatterInto: [() => seam.scatterInto(t.layout, located, c)],
  gatherFrom: [() => seam.gatherFrom(c, t.layout, located)],
  reluBackward: [() => seam.reluBackward(c, t), () => seam.reluBackward(t, c)],
  conv2dInputBackward: [() => seam.conv2dInputBackward(c, t, [2, 4])],
  conv2dWeightBackward: [() => seam.conv2dWeightBackward(c, t, [2, 4])],
  avgPool2dBackward: [() => seam.avgPool2dBackward(c, [2, 4], { kernel: 2 })],
  adaptiveAvgPool2dBackward: [() => seam.adaptiveAvgPool2dBackward(c, [2, 4])],
  nllLossBackward: [() => seam.nllLossBackward(c, labels, 4), () => seam.nllLossBackward(one, c, 4)],
};

/** What takes no tensor, asks only whether it is one, or is told of tensors that passed the gate. */
const OTHERS: readonly string[] = [
  ...[
    "DTYPES",
    "Tensor",
    "arange",
    "asTensor",
    "createArena",
    "createGenerator",
    "dtypeFromOnnx",
    "fromBuffer",
    "full",
  ],
  ...["explain", "isDType", "isTensor", "ones", "rand", "randn", "setKernels", "withArena", "withKernels", "zeros"],
  ...["bfloat16ToNumber", "numberToBfloat16", "halfToNumber", "numberToHalf", "checkAxis", "checkKind", "sameDType"],
  ...[
    "ACCUMULATE",
    "ADAM_STEP",
    "checkProgram",
    "COPY",
    "OPERATIONS",
    "SGD_STEP",
    "operationSpec",
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
