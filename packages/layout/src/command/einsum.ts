import type { Arrangement } from "../rearrange.js";
import { type Input, onlyOne, readInput, readOutput, requireTokens, splitAtArrow } from "./reference.js";
import { commandError } from "./tokens.js";

/** One operand of a contraction. @since 0.1.0 */
export interface EinsumOperand {
  /** The form that its layout must have; its leaves are their own numbers, depth-first. */
  readonly selection: readonly Arrangement[];
  /** The name of each leaf of the selection; `"1"` for one that has none. */
  readonly names: readonly string[];
  /** The arrangement with one mode for each name of the command: its leaf, or `"1"` where the operand lacks it. */
  readonly aligned: readonly Arrangement[];
  /** The names, as numbers, that only this operand has. */
  readonly free: readonly number[];
}

/** A contraction of two operands read from a command. Its numbers are places in `names`. @since 0.1.0 */
export interface EinsumCommand {
  /** Every name once: those of the left operand, then those that the right one adds. */
  readonly names: readonly string[];
  readonly left: EinsumOperand;
  readonly right: EinsumOperand;
  /** Names that both operands have and the output omits: summed over. */
  readonly contracted: readonly number[];
  /** Names that both operands have and the output keeps. */
  readonly batch: readonly number[];
  /** The form of the result. */
  readonly output: readonly Arrangement[];
}

/**
 * Reads a contraction of two operands, such as `n i k, n k j -> n i j` (VA-47).
 *
 * A name of both operands is summed over when the output omits it, and a batch name when it is kept; a name of one
 * operand must be kept. `rearrange(l, operand.aligned, operand.selection)` brings both operands to the modes of `names`.
 *
 * @throws TypeError, LayoutError as `parseRearrange`; also `SW_LAYOUT_COMMAND` when the operands share no name, or the
 * output omits one that they do not share.
 * @example
 * ```ts
 * import { parseEinsum } from "@sw/layout/command";
 * const { names, left, right, contracted, output } = parseEinsum("i k, k j -> i j");
 * console.log(names, left.aligned, right.aligned); // [ 'i', 'k', 'j' ] [ 0, 1, '1' ] [ '1', 0, 1 ]
 * console.log(contracted, output); // [ 1 ] [ 0, 2 ]
 * ```
 * @since 0.1.0
 */
export function parseEinsum(command: string, operation = "parseEinsum"): EinsumCommand {
  const { before, after } = splitAtArrow(operation, command);
  const comma = onlyOne(operation, before.tokens, "comma", before.to);
  const leftSide = { ...before, to: comma };
  const rightSide = { ...before, from: comma + 1 };
  requireTokens(leftSide, rightSide, after);
  const left = readInput(leftSide);
  const right = readInput(rightSide);

  const names = [...left.ids.keys()];
  for (const name of right.ids.keys()) if (!left.ids.has(name)) names.push(name);
  const { output, placed } = readOutput(after, new Map(names.map((name, place) => [name, place])));

  const contracted: number[] = [];
  const batch: number[] = [];
  const leftFree: number[] = [];
  const rightFree: number[] = [];
  const missing: string[] = [];
  names.forEach((name, place) => {
    const isLeft = left.ids.has(name);
    const isShared = isLeft && right.ids.has(name);
    if (isShared) (placed.has(place) ? batch : contracted).push(place);
    else {
      (isLeft ? leftFree : rightFree).push(place);
      if (!placed.has(place)) missing.push(name);
    }
  });
  if (contracted.length + batch.length === 0) {
    throw commandError(operation, "no shared name", "two operands without one", "a name that both have");
  }
  if (missing.length > 0) {
    const got = missing.length > 8 ? `${missing.slice(0, 8).join(", ")}, …` : missing.join(", ");
    throw commandError(operation, "no place for names of one operand", got, "each of them after the arrow");
  }
  return {
    names,
    left: operand(left, names, leftFree),
    right: operand(right, names, rightFree),
    contracted,
    batch,
    output,
  };
}

function operand({ selection, names, ids }: Input, all: readonly string[], free: readonly number[]): EinsumOperand {
  return { selection, names, aligned: all.map((name) => ids.get(name) ?? "1"), free };
}
