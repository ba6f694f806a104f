// The element-wise kernels that there are, as names alone: what emits them is not needed where they are called.

/** Element-wise kernels of one input. */
export const UNARY_KINDS = [
  "neg",
  "abs",
  "sign",
  "floor",
  "ceil",
  "round",
  "trunc",
  "sqrt",
  "rsqrt",
  "reciprocal",
  "relu",
  "exp",
  "expm1",
  "log",
  "log1p",
  "sin",
  "cos",
  "tanh",
  "erf",
  "sigmoid",
  "silu",
  "softplus",
  "gelu",
  "geluTanh",
] as const;

/** Element-wise kernels of two inputs. */
export const BINARY_KINDS = ["add", "sub", "mul", "div", "minimum", "maximum", "reluBackward"] as const;

/** An element-wise kernel of one input. */
export type UnaryKind = (typeof UNARY_KINDS)[number];

/** An element-wise kernel of two inputs. */
export type BinaryKind = (typeof BINARY_KINDS)[number];

/** The name of a loop in the core module; behind the kind, how each input moves: `v` with the output, `s` not at all. */
export type LoopName = `${UnaryKind}_v` | `${BinaryKind}_${"vv" | "vs" | "sv"}`;

/** All loops of the core module that are emitted of expressions. */
export function loopNames(): readonly LoopName[] {
  return [
    ...UNARY_KINDS.map((kind) => `${kind}_v` as const),
    ...BINARY_KINDS.flatMap((kind) => (["vv", "vs", "sv"] as const).map((patterns) => `${kind}_${patterns}` as const)),
  ];
}

/** How elements come together in a reduction. */
export const FOLDS = [
  { name: "sum", operation: "add" },
  { name: "max", operation: "max" },
  { name: "min", operation: "min" },
] as const;

/** A fold of the core module. */
export type FoldName = (typeof FOLDS)[number]["name"];

/** The address of an operand that is not there. */
export const ABSENT = -1;
