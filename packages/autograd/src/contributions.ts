import { isTensor, type Tensor } from "@sw/tensor";
import { type BackwardRecord, type Edge, type GradNode, plain } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";
import { ruleOf } from "./rules.js";

function show(shape: readonly number[]): string {
  return `[${shape.join(",")}]`;
}

/**
 * Checks a cotangent against the shape and dtype it must have.
 *
 * @throws TypeError for what is no tensor; GradientError `SW_AUTOGRAD_SHAPE`.
 */
export function checkCotangent(
  operation: string,
  problem: string,
  { shape, dtype }: Pick<Edge, "shape" | "dtype">,
  given: Tensor,
  where: string,
): void {
  if (!isTensor(given)) plain(given, where);
  const fits =
    given.dtype === dtype && given.rank === shape.length && given.shape.every((extent, axis) => extent === shape[axis]);
  if (fits) return;
  throw new GradientError(
    "SW_AUTOGRAD_SHAPE",
    `${where}: ${problem} does not fit: got ${given.dtype}${show(given.shape)}, expected ${dtype}${show(shape)}.`,
    { operation, given: given.shape, expected: shape },
  );
}

/**
 * Runs a record's rule and checks what it gives against the record's inputs.
 *
 * @throws GradientError `SW_AUTOGRAD_RULE_MISSING`, or `SW_AUTOGRAD_SHAPE` naming the operation.
 */
export function contributions(record: BackwardRecord, cotangent: Tensor): readonly (Tensor | undefined)[] {
  const { kind, inputs } = record;
  const where = `backward of ${kind}`;
  const given = ruleOf(record)(record, cotangent);
  const count = Array.isArray(given) ? given.length : undefined;
  if (count !== inputs.length) {
    // Whatever becomes of a promise: the process is not to end of it.
    if ((given as unknown) instanceof Promise) (given as unknown as Promise<unknown>).catch(() => undefined);
    throw new GradientError(
      "SW_AUTOGRAD_SHAPE",
      `${where}: the rule gives another number of cotangents: got ${count ?? "no list"}, expected ${inputs.length}.`,
      { operation: kind, given: count, expected: inputs.length },
    );
  }
  given.forEach((contribution, i) => {
    const edge = inputs[i] as Edge;
    if (contribution === undefined || edge.node === undefined) return;
    checkCotangent(kind, `the cotangent of input ${i}`, edge, contribution, where);
  });
  return given;
}

/**
 * A record in which only the inputs that lead on have a node, so that its rule computes for no other. The record itself
 * where all do.
 */
export function pruned(record: BackwardRecord, leads: ReadonlySet<GradNode>): BackwardRecord {
  const cut = ({ node }: Edge): boolean => node !== undefined && !leads.has(node);
  if (!record.inputs.some(cut)) return record;
  return { ...record, inputs: record.inputs.map((edge) => (cut(edge) ? { ...edge, node: undefined } : edge)) };
}
