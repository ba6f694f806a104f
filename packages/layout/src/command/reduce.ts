import type { RearrangeCommand } from "./rearrange.js";
import { readInput, readOutput, requireTokens, splitAtArrow } from "./reference.js";
import { commandError } from "./tokens.js";

/** A reduction read from a command: what is not kept is reduced. @since 0.1.0 */
export interface ReduceCommand extends RearrangeCommand {
  /** The leaves of the selection that the output omits, ascending. */
  readonly reduced: readonly number[];
}

/**
 * Reads a reduction, such as `a b c -> c a`, which reduces over `b` (VA-47). `[output, reduced]` is the arrangement
 * that brings the kept and the reduced modes together.
 *
 * @throws TypeError, LayoutError as `parseRearrange`; also `SW_LAYOUT_COMMAND` when nothing is omitted.
 * @example
 * ```ts
 * import { parseReduce } from "@sw/layout/command";
 * console.log(parseReduce("a b c -> c a").reduced); // [ 1 ]
 * ```
 * @since 0.1.0
 */
export function parseReduce(command: string): ReduceCommand {
  const { before, after } = splitAtArrow("parseReduce", command);
  requireTokens(before, after);
  const { selection, names, ids } = readInput(before);
  const { output, placed } = readOutput(after, ids);
  const reduced: number[] = [];
  for (let id = 0; id < names.length; id++) if (!placed.has(id)) reduced.push(id);
  if (reduced.length === 0) {
    throw commandError("parseReduce", "nothing to reduce", "all names again", "one or more omitted after the arrow");
  }
  return { selection, output, names, reduced };
}
