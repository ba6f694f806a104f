import {
  abs,
  adaptiveAvgPool2d,
  add,
  attention,
  avgPool2d,
  clamp,
  conv2d,
  cos,
  cumsum,
  div,
  elu,
  erf,
  exp,
  expm1,
  gather,
  gelu,
  geluTanh,
  indexAdd,
  indexSelect,
  layerNorm,
  leakyRelu,
  log,
  log1p,
  logSoftmax,
  logSumExp,
  matmul,
  max,
  maximum,
  maxPool2d,
  mean,
  min,
  minimum,
  mul,
  neg,
  nllLoss,
  norm,
  pow,
  prod,
  reciprocal,
  relu,
  rmsNorm,
  rsqrt,
  scatter,
  scatterAdd,
  sigmoid,
  silu,
  sin,
  softmax,
  softplus,
  sqrt,
  sub,
  sum,
  type Tensor,
  tanh,
  tensor,
  variance,
} from "@sw/tensor";

// Functions whose gradients are compared with differences of their values: a kernel each, and what its rule calls.

type F64 = Tensor<"float64">;

/**
 * An operand: `apart` has no two elements near each other, nor one near 0, so that no step crosses a kink; `positive` has
 * those of 0.5 and on.
 */
export interface Operand {
  readonly shape: readonly number[];
  readonly values: "apart" | "positive";
}

/** A function of some operands, which runs the kernel of the name. */
export interface CheckedKernel {
  readonly kernel: string;
  readonly operands: readonly Operand[];
  readonly fn: (...operands: readonly F64[]) => Tensor;
}

const apart = (...shape: number[]): Operand => ({ shape, values: "apart" });
const positive = (...shape: number[]): Operand => ({ shape, values: "positive" });

/** The kernels of functions of one operand, with the operand that suits them. */
const UNARY: readonly (readonly [kernel: string, operand: Operand, fn: (x: F64) => Tensor])[] = [
  ["abs", apart(3, 4), abs],
  ["clamp", apart(3, 4), (x) => clamp(x, -0.3, 0.3)],
  ["cos", apart(3, 4), cos],
  ["cumsum", apart(3, 4), (x) => cumsum(x, 1)],
  ["elu", apart(3, 4), elu],
  ["erf", apart(3, 4), erf],
  ["exp", apart(3, 4), exp],
  ["expm1", apart(3, 4), expm1],
  ["gelu", apart(3, 4), gelu],
  ["geluTanh", apart(3, 4), geluTanh],
  ["leakyRelu", apart(3, 4), leakyRelu],
  ["log", positive(3, 4), log],
  ["log1p", positive(3, 4), log1p],
  ["logSoftmax", apart(3, 4), (x) => logSoftmax(x, -1)],
  ["logSumExp", apart(3, 4), (x) => logSumExp(x, { axes: [1] })],
  ["max", apart(3, 4), (x) => max(x, { axes: [0] })],
  ["mean", apart(3, 4), (x) => mean(x, { axes: [1] })],
  ["min", apart(3, 4), (x) => min(x, { axes: [1] })],
  ["neg", apart(3, 4), neg],
  ["norm", apart(3, 4), (x) => norm(x, { axes: [1] })],
  ["prod", apart(3, 4), (x) => prod(x, { axes: [1] })],
  ["reciprocal", positive(3, 4), reciprocal],
  ["relu", apart(3, 4), relu],
  ["rsqrt", positive(3, 4), rsqrt],
  ["sigmoid", apart(3, 4), sigmoid],
  ["silu", apart(3, 4), silu],
  ["sin", apart(3, 4), sin],
  ["softmax", apart(3, 4), (x) => softmax(x, 0)],
  ["softplus", apart(3, 4), softplus],
  ["sqrt", positive(3, 4), sqrt],
  ["sum", apart(3, 4), (x) => sum(x, { axes: [0] })],
  ["tanh", apart(3, 4), tanh],
  ["variance", apart(3, 4), (x) => variance(x, { axes: [1] })],
  ["adaptiveAvgPool2d", apart(1, 2, 3, 4), (x) => adaptiveAvgPool2d(x, [2, 3])],
  ["avgPool2d", apart(1, 2, 3, 4), (x) => avgPool2d(x, { kernel: [2, 3], stride: [1, 2], padding: [1, 1] })],
  ["maxPool2d", apart(1, 2, 3, 4), (x) => maxPool2d(x, { kernel: [2, 2], stride: [1, 2] })],
  ["nllLoss", apart(3, 4), (x) => nllLoss(x, indices(3), { reduction: "sum" })],
  ["indexSelect", apart(3, 4), (x) => indexSelect(x, indices(5), 0)],
  ["gather", apart(3, 4), (x) => gather(x, tensor([0, 2, 2, 1], { shape: [1, 4], dtype: "int32" }), 0)],
];

/** Numbers of rows, one of them twice. */
function indices(count: number): Tensor {
  return tensor([2, 0, 1, 2, 1].slice(0, count), { dtype: "int32" });
}

const BINARY: readonly (readonly [kernel: string, second: Operand, fn: (a: F64, b: F64) => Tensor])[] = [
  ["add", apart(4), add],
  ["sub", apart(4), sub],
  ["mul", apart(4), mul],
  ["div", positive(4), div],
  ["minimum", apart(4), minimum],
  ["maximum", apart(4), maximum],
  ["matmul", apart(4, 2), matmul],
  ["indexAdd", apart(5, 4), (x, source) => indexAdd(x, indices(5), source, 0)],
  ["scatterAdd", apart(2, 4), (x, source) => scatterAdd(x, places(), source, 0)],
  ["scatter", apart(2, 4), (x, source) => scatter(x, places(), source, 0)],
];

/** A place for each of two rows of four, some of them the same. */
function places(): Tensor {
  return tensor([0, 1, 2, 0, 0, 2, 2, 1], { shape: [2, 4], dtype: "int32" });
}

/** Every function that the kit has. */
export const FUNCTIONS: readonly CheckedKernel[] = [
  ...UNARY.map(([kernel, operand, fn]): CheckedKernel => ({ kernel, operands: [operand], fn: (x) => fn(x as F64) })),
  ...BINARY.map(
    ([kernel, second, fn]): CheckedKernel => ({
      kernel,
      operands: [apart(3, 4), second],
      fn: (a, b) => fn(a as F64, b as F64),
    }),
  ),
  { kernel: "pow", operands: [positive(3, 4), apart(4)], fn: (a, b) => pow(a as F64, b as F64) },
  {
    kernel: "layerNorm",
    operands: [apart(3, 4), apart(4), apart(4)],
    fn: (x, weight, bias) => layerNorm(x as F64, [4], { weight, bias, epsilon: 0.1 } as never),
  },
  {
    kernel: "rmsNorm",
    operands: [apart(3, 4), apart(4)],
    fn: (x, weight) => rmsNorm(x as F64, [4], { weight, epsilon: 0.1 } as never),
  },
  {
    kernel: "conv2d",
    operands: [apart(1, 2, 4, 3), apart(2, 1, 2, 2), apart(2)],
    fn: (x, weight, bias) =>
      conv2d(x as F64, weight as F64, { bias, stride: [2, 1], padding: [1, 0], dilation: [1, 2], groups: 2 } as never),
  },
  {
    kernel: "attention",
    operands: [apart(2, 3, 4), apart(2, 3, 4), apart(2, 3, 2)],
    fn: (q, k, v) => attention(q as F64, k as F64, v as F64, { causal: true }),
  },
];
