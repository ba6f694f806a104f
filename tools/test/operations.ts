import { DTYPES, type DType, type DTypeKind } from "@sw/tensor";
import { OPERATIONS, type OperationSpec } from "@sw/tensor/seam";

// What `docs/operations.md` is made of: which dtypes an operation takes, and why not the others.

/** A family of dtypes that some operations do not take, and why. */
interface Reason {
  readonly kinds: readonly DTypeKind[];
  readonly of: readonly string[];
  readonly why: string;
}

const INTEGERS: readonly DTypeKind[] = ["int", "uint"];
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Every empty cell of the table has one of these, and none is left over: a test sees to that. */
export const REASONS: readonly Reason[] = [
  {
    kinds: ["bool"],
    of: words(`add sub mul pow remainder minimum maximum clamp neg abs sign min max argmax argmin argsort topK accumulate
      scatterAdd indexAdd`),
    why: "bool is neither added nor ordered: `cast` it, or use the logical operations, `any`, `all`, `where`",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words(`div exp expm1 log log1p sqrt rsqrt reciprocal sin cos tanh erf leakyRelu elu sigmoid silu softplus gelu
      geluTanh variance norm logSumExp softmax logSoftmax layerNorm rmsNorm batchNorm attention nllLoss nllLossBackward
      avgPool2d avgPool2dBackward adaptiveAvgPool2d adaptiveAvgPool2dBackward`),
    why: "the result is no integer: `cast` to the float dtype that it is to have",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words("mean"),
    why: "the result is no integer: say which float dtype it is to have, `mean(x, { dtype })`",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words("floor ceil round trunc"),
    why: "nothing to round",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words("isNaN isFinite isInfinite"),
    why: "every value is finite",
  },
  {
    kinds: [...INTEGERS, "float"],
    of: words("logicalAnd logicalOr logicalXor logicalNot"),
    why: "the kernel takes bool; the operation casts first, and all but 0 is true",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words("relu reluBackward"),
    why: "a function of networks, whose values are floats; `maximum(x, 0)` is for integers",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words("matmul conv2d conv2dInputBackward conv2dWeightBackward"),
    why: "sums of products of integers pass their dtype, and wrapping is not what anybody wants: `cast` to a float dtype",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words("maxPool2d"),
    why: "images have floats here: `cast` first",
  },
  {
    kinds: [...INTEGERS, "bool"],
    of: words("sgdStep adamStep"),
    why: "parameters are floats",
  },
];

/** The operations that have a kernel. */
export const WITH_KERNEL: readonly OperationSpec[] = Object.values<OperationSpec>(OPERATIONS).filter(
  ({ family }) => family !== "view" && family !== "composed",
);

/** The dtypes in the order of the columns. */
export const COLUMNS: readonly DType[] = [
  ...(["float16", "bfloat16", "float32", "float64"] as const),
  ...(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"] as const),
];

/** The reasons for an empty cell: one, where the list is in order. */
export function reasonsFor(kind: string, dtype: DType): number[] {
  const family = DTYPES[dtype].kind;
  return REASONS.flatMap(({ kinds, of }, i) => (kinds.includes(family) && of.includes(kind) ? [i] : []));
}

/** A number of a footnote as it stands in a cell. */
export const mark = (reason: number): string => "abcdefghijklmnopqrstuvwxyz"[reason] as string;

/** A table in Markdown: a row a kernel, a column a dtype. */
export function table(rows: readonly string[], cell: (row: string, dtype: DType) => string): string {
  return [
    `| | ${COLUMNS.map((dtype) => `\`${dtype}\``).join(" | ")} |`,
    `|---|${COLUMNS.map(() => ":-:").join("|")}|`,
    ...rows.map((row) => `| \`${row}\` | ${COLUMNS.map((dtype) => cell(row, dtype)).join(" | ")} |`),
  ].join("\n");
}
