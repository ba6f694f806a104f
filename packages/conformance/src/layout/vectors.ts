/** A shape or strides, as JSON has them. @since 0.1.0 */
export type Tree = number | readonly Tree[];
/** A layout as JSON: its shape and its strides. A bare number is a layout of one leaf. @since 0.1.0 */
export type LayoutJSON = readonly [shape: Tree, stride: Tree];

/** What is to come of an operation; of what is to be refused, the reason. @since 0.1.0 */
export type Wanted = LayoutJSON | { readonly err: string; readonly why?: string };

/** A case of a vector file, beside the name of the file: the fields differ from file to file. @since 0.1.0 */
export interface LayoutLine {
  readonly file: string;
  readonly l?: LayoutJSON;
  readonly a?: LayoutJSON;
  readonly b?: LayoutJSON;
  readonly size?: number;
  /** By ordinal, first mode fastest. */
  readonly index?: readonly number[];
  readonly key?: unknown;
  readonly cotarget?: number;
  readonly coalesce?: { readonly want?: Wanted };
  readonly want?: Wanted | { readonly logical_product?: Wanted };
  /** Whether a nested mode of one child is involved, which counts as its child. */
  readonly n1?: boolean;
}

/** One question to a candidate. */
export interface LayoutVector {
  /** The member that is asked. */
  readonly member: "size" | "index" | "compose" | "complement" | "divide" | "product" | "coalesce";
  readonly operands: readonly unknown[];
  /** A layout or a number; absent where the operands are to be refused. */
  readonly want?: unknown;
  readonly collapse: boolean;
}

type Ask = (line: LayoutLine) => readonly Omit<LayoutVector, "collapse">[];

function asked(
  member: LayoutVector["member"],
  operands: readonly unknown[],
  want: unknown,
): Omit<LayoutVector, "collapse">[] {
  if (want === undefined) return [];
  return [typeof want === "object" && "err" in want! ? { member, operands } : { member, operands, want }];
}

/** The questions of a case, by its file. */
const ASK: { readonly [file: string]: Ask } = {
  basic: ({ l, size, index }) => [
    ...(typeof size === "number" ? asked("size", [l], size) : []),
    ...(Array.isArray(index) ? index.flatMap((want, ordinal) => asked("index", [l, ordinal], want)) : []),
  ],
  index_errors: ({ l, key }) => [{ member: "index", operands: [l, key] }],
  coalesce_filter: ({ l, coalesce }) => asked("coalesce", [l], coalesce?.want),
  composition: ({ a, b, want }) => asked("compose", [a, b], want),
  complement: ({ l, cotarget, want }) => asked("complement", [l, cotarget], want),
  divide: ({ a, b, want }) => asked("divide", [a, b], want),
  product: ({ a, b, want }) =>
    asked("product", [a, b], (want as { readonly logical_product?: Wanted } | undefined)?.logical_product),
};

/** The files that questions come from. */
export const LAYOUT_FILES: readonly string[] = Object.keys(ASK);

/** Turns a case of a vector file into questions. */
export function questionsOf(line: LayoutLine): readonly LayoutVector[] {
  const ask = Object.hasOwn(ASK, line.file) ? ASK[line.file] : undefined;
  return (ask?.(line) ?? []).map((question) => ({ ...question, collapse: line.n1 === true }));
}
