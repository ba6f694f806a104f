import { describe, LayoutError } from "@sw/layout";
import type { Arrangement } from "@sw/layout/algebra";
import { type EinsumCommand, type EinsumOperand, parseEinsum } from "@sw/layout/command";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, showShape } from "../gate.js";
import { contiguous, reshape } from "../movement.js";
import { type ResultType, resultType } from "../promotion.js";
import { permute } from "../row-major-views.js";
import type { Tensor } from "../tensor.js";
import { rearrange } from "../views.js";
import { matmul } from "./matmul.js";
import { replaced } from "./owned.js";
import { FLOATS } from "./spec.js";

/** Names that are written as NumPy writes them, one letter each. */
const COMPACT = /^\s*([A-Za-z]+)\s*,\s*([A-Za-z]+)\s*->\s*([A-Za-z]*)\s*$/;

/** The command with a space between any two letters, where it has none. */
function spelled(command: string): string | undefined {
  const parts = COMPACT.exec(command)?.slice(1);
  if (parts === undefined || parts.every((part) => part.length < 2)) return undefined;
  const [left, right, output] = parts.map((part) => [...part].join(" ")) as [string, string, string];
  return `${left}, ${right} -> ${output === "" ? "1" : output}`;
}

function read(command: string): EinsumCommand {
  try {
    return parseEinsum(command, "einsum");
  } catch (error) {
    const spelling = typeof command === "string" ? spelled(command) : undefined;
    if (spelling === undefined) throw error;
    throw new LayoutError(
      "SW_LAYOUT_COMMAND",
      "einsum",
      `no spaces between the names: got ${describe(command)}, expected names that spaces separate. Write ${describe(spelling)}.`,
    );
  }
}

/** Checks that an operand has the axes that the command names; what nests is for `rearrange` to check. */
function checkAxes(command: string, t: Tensor, { selection }: EinsumOperand): void {
  if (t.rank === selection.length) return;
  const spelling = spelled(command);
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `einsum: the command names other axes than an operand has: got shape ${showShape(t.shape)}, expected ${selection.length} axes.${spelling === undefined ? "" : ` Spaces separate names: write ${describe(spelling)}.`}`,
    { given: t.rank, expected: selection.length, shape: t.shape },
  );
}

/** The axes of an operand in the order of some names; leaves without a name are left out. */
function arranged<D extends DType>(t: Tensor<D>, operand: EinsumOperand, places: readonly number[]): Tensor<D> {
  const order = places.map((place) => operand.aligned[place] as Arrangement);
  const plainNames = operand.selection.every((entry) => typeof entry === "number") && !operand.names.includes("1");
  return plainNames ? permute(t, order as number[], "einsum") : rearrange(t, order, operand.selection);
}

const product = (extents: readonly number[]): number => extents.reduce((size, extent) => size * extent, 1);

/**
 * Multiplies two tensors and sums over names that they share and the result lacks: "i k, k j -> i j" is the product of
 * matrices. A name that both have and the result keeps is a batch; a name of one operand must be kept, and one name at
 * least is shared. Spaces separate names, which are words; parentheses take a nested axis apart, or make one, as in
 * `views.rearrange` (VA-47).
 *
 * Computed by {@link matmul}, and so exact; records its parts.
 *
 * @returns fresh memory, row-major, in the operands' {@link resultType}.
 * @throws TypeError for a command that is no text; LayoutError `SW_LAYOUT_COMMAND` for one that cannot be read, as
 * "ik,kj->ij", for which the error has the right spelling; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for operands that
 * do not fit the command or each other; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for operands that meet in no float.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { einsum, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const a = tensor([[1, 2], [3, 4]]);
 * console.log(einsum("i k, j k -> j i", a, tensor([[1, 1]])).toArray()); // [ [ 3, 7 ] ]
 * ```
 * @since 0.1.0
 */
export function einsum<D extends DType>(command: string, a: Tensor<D>, b: Tensor<NoInfer<D>>): Tensor<D>;
export function einsum<A extends DType, B extends DType>(
  command: string,
  a: Tensor<A>,
  b: Tensor<B>,
): Tensor<ResultType<A, B>>;
export function einsum(command: string, a: Tensor, b: Tensor): Tensor {
  const { names, left, right, contracted, batch, output } = read(command);
  plain(a, "einsum");
  plain(b, "einsum");
  checkKind("einsum", resultType(a.dtype, b.dtype), FLOATS);
  checkAxes(command, a, left);
  checkAxes(command, b, right);
  const first = arranged(a, left, [...batch, ...left.free, ...contracted]);
  const second = arranged(b, right, [...batch, ...contracted, ...right.free]);

  const shared = first.shape.slice(0, batch.length);
  const rows = first.shape.slice(batch.length, batch.length + left.free.length);
  const depth = first.shape.slice(batch.length + left.free.length);
  const columns = second.shape.slice(batch.length + contracted.length);
  checkShared(names, batch, shared, second.shape.slice(0, batch.length));
  checkShared(names, contracted, depth, second.shape.slice(batch.length, batch.length + contracted.length));

  const [n, m, k, p] = [shared, rows, depth, columns].map(product) as [number, number, number, number];
  const x = reshape(first, [n, m, k]);
  const y = reshape(second, [n, k, p]);
  const copies = [x, y].filter(({ buffer }) => buffer !== a.buffer && buffer !== b.buffer);
  let products: Tensor;
  try {
    products = replaced(matmul(x, y), ...copies);
  } catch (error) {
    for (const copy of copies) copy.dispose();
    throw error;
  }
  const order = [...batch, ...left.free, ...right.free];
  const whole = reshape(products, [...shared, ...rows, ...columns]);
  const view = viewed(whole, output, order);
  const out = contiguous(view);
  if (out.buffer !== products.buffer) products.dispose();
  return out;
}

/** The result's axes as the command has them after the arrow. */
function viewed(whole: Tensor, output: readonly Arrangement[], order: readonly number[]): Tensor {
  const placed = (entry: Arrangement): Arrangement => {
    if (typeof entry === "number") return order.indexOf(entry);
    return entry === "1" ? entry : entry.map(placed);
  };
  const arrangement = output.map(placed);
  if (arrangement.every((entry, axis) => entry === axis)) return whole;
  if (arrangement.every((entry) => typeof entry === "number")) return permute(whole, arrangement, "einsum");
  return rearrange(whole, arrangement);
}

function checkShared(
  names: readonly string[],
  places: readonly number[],
  left: readonly number[],
  right: readonly number[],
): void {
  const at = places.findIndex((_, i) => left[i] !== right[i]);
  if (at < 0) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `einsum: the extents of a shared name differ: got ${left[at]} and ${right[at]} for ${describe(names[places[at] as number])}, expected one.`,
    { given: right[at], expected: left[at] },
  );
}
