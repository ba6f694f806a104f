import type { DTypeKind } from "../dtype.js";

/** How a kernel sees its operands; see `docs/kernel-seam.md` and `run.ts`. @since 0.1.0 */
export type Family = "view" | "loops" | "reduce" | "axes";

/** What is known of an operation. @since 0.1.0 */
export interface OperationSpec {
  readonly family: Family;
  /** What each position of `ints` means, in kernels and in records alike. */
  readonly ints: readonly string[];
  /** What each position of `floats` means. */
  readonly floats: readonly string[];
  /** The dtype families of its first input. */
  readonly kinds: readonly DTypeKind[];
  /** Whether records of it are written, so that `@sw/autograd` must have its rule. */
  readonly differentiable: boolean;
}

/**
 * Every operation: the kinds that kernels and backward records are named by. A list that goes on (`…`) takes any
 * number of positions; one that ends in `?` is in records only, and there where an operand was a plain number. Views have
 * no kernel.
 * @since 0.1.0
 */
export const OPERATIONS = {
  add: { family: "loops", ints: [], floats: [], kinds: ["float", "int", "uint"], differentiable: true },
  sub: { family: "loops", ints: [], floats: [], kinds: ["float", "int", "uint"], differentiable: true },
  mul: { family: "loops", ints: [], floats: ["number?"], kinds: ["float", "int", "uint"], differentiable: true },
  div: { family: "loops", ints: [], floats: ["number?"], kinds: ["float"], differentiable: true },
  neg: { family: "loops", ints: [], floats: [], kinds: ["float", "int", "uint"], differentiable: true },
  relu: { family: "loops", ints: [], floats: [], kinds: ["float"], differentiable: true },
  reluBackward: { family: "loops", ints: [], floats: [], kinds: ["float"], differentiable: true },
  exp: { family: "loops", ints: [], floats: [], kinds: ["float"], differentiable: true },
  log: { family: "loops", ints: [], floats: [], kinds: ["float"], differentiable: true },
  cast: { family: "loops", ints: [], floats: [], kinds: ["float", "int", "uint", "bool"], differentiable: true },
  copy: { family: "loops", ints: [], floats: [], kinds: ["float", "int", "uint", "bool"], differentiable: false },
  accumulate: { family: "loops", ints: [], floats: [], kinds: ["float", "int", "uint"], differentiable: false },
  sgdStep: {
    family: "loops",
    ints: ["nesterov"],
    floats: ["learningRate", "momentum", "weightDecay"],
    kinds: ["float"],
    differentiable: false,
  },
  sum: { family: "reduce", ints: ["axis…"], floats: [], kinds: ["float", "int", "uint"], differentiable: true },
  mean: { family: "reduce", ints: ["axis…"], floats: [], kinds: ["float"], differentiable: true },
  argmax: { family: "axes", ints: ["axis"], floats: [], kinds: ["float", "int", "uint"], differentiable: false },
  matmul: { family: "axes", ints: [], floats: [], kinds: ["float"], differentiable: true },
  softmax: { family: "axes", ints: ["axis"], floats: [], kinds: ["float"], differentiable: true },
  logSoftmax: { family: "axes", ints: ["axis"], floats: [], kinds: ["float"], differentiable: true },
  nllLoss: { family: "axes", ints: [], floats: [], kinds: ["float"], differentiable: true },
  nllLossBackward: { family: "axes", ints: ["classes"], floats: [], kinds: ["float"], differentiable: true },
  scatterInto: { family: "view", ints: [], floats: [], kinds: ["float", "int", "uint"], differentiable: true },
  gatherFrom: { family: "view", ints: [], floats: [], kinds: ["float", "int", "uint"], differentiable: true },
  slice: {
    family: "view",
    ints: ["axis", "start", "end", "step"],
    floats: [],
    kinds: ["float", "int", "uint", "bool"],
    differentiable: true,
  },
  select: {
    family: "view",
    ints: ["axis", "index"],
    floats: [],
    kinds: ["float", "int", "uint", "bool"],
    differentiable: true,
  },
  flip: { family: "view", ints: ["axis"], floats: [], kinds: ["float", "int", "uint", "bool"], differentiable: true },
  permute: {
    family: "view",
    ints: ["axis…"],
    floats: [],
    kinds: ["float", "int", "uint", "bool"],
    differentiable: true,
  },
  reshape: { family: "view", ints: [], floats: [], kinds: ["float", "int", "uint", "bool"], differentiable: true },
  views: { family: "view", ints: [], floats: [], kinds: ["float", "int", "uint", "bool"], differentiable: true },
  expand: { family: "view", ints: [], floats: [], kinds: ["float", "int", "uint", "bool"], differentiable: true },
} as const;

/** The kinds of operations. @since 0.1.0 */
export type OperationKind = keyof typeof OPERATIONS;

/** The kinds that records are written of. @since 0.1.0 */
export type DifferentiableKind = {
  [K in OperationKind]: (typeof OPERATIONS)[K]["differentiable"] extends true ? K : never;
}[OperationKind];

/** Looks an operation up by a kind that need not exist. @since 0.1.0 */
export function operationSpec(kind: string): OperationSpec | undefined {
  return Object.hasOwn(OPERATIONS, kind) ? OPERATIONS[kind as OperationKind] : undefined;
}
