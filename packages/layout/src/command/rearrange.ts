import type { Layout } from "../layout.js";
import { type Arrangement, rearrangeFor } from "../rearrange.js";
import { readInput, readOutput, requireTokens, splitAtArrow } from "./reference.js";

/** A rearrangement read from a command: what `rearrange` takes. @since 0.1.0 */
export interface RearrangeCommand {
  /** The form that the layout must have; its leaves are their own numbers, depth-first. */
  readonly selection: readonly Arrangement[];
  /** Where each leaf goes. */
  readonly output: readonly Arrangement[];
  /** The name of each leaf of the selection; `"1"` for one that has none, so cannot be placed. */
  readonly names: readonly string[];
}

/**
 * Reads a rearrangement, such as `a (b c) -> c a b` (VA-43 to VA-45). Nothing is known of a layout yet.
 *
 * Before the arrow each name or `1` takes one leaf, or one whole nested mode, and parentheses stand for a nest. After it
 * names place what they took, `1` inserts an extent of 1 and parentheses make a nest. O(length).
 *
 * @throws TypeError when the command is not a string.
 * @throws LayoutError `SW_LAYOUT_COMMAND`, with the `position` of the character or token at fault, if one is.
 * @example
 * ```ts
 * import { parseRearrange } from "@sw/layout/command";
 * const { selection, output, names } = parseRearrange("a (b c) -> (c 1) a b");
 * console.log(selection, output, names); // [ 0, [ 1, 2 ] ] [ [ 2, '1' ], 0, 1 ] [ 'a', 'b', 'c' ]
 * ```
 * @since 0.1.0
 */
export function parseRearrange(command: string, operation = "parseRearrange"): RearrangeCommand {
  const { before, after } = splitAtArrow(operation, command);
  requireTokens(before, after);
  const { selection, names, ids } = readInput(before);
  const { output } = readOutput(after, ids);
  return { selection, output, names };
}

/**
 * Rearranges a layout by a command (VA-41): `rearrange` with the trees of `parseRearrange`.
 *
 * @throws TypeError for what is not a layout or a string.
 * @throws LayoutError `SW_LAYOUT_COMMAND` for the command; those of `rearrange` when it does not fit the layout.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { rearrangeBy } from "@sw/layout/command";
 * const l = parseLayout("(2,(3,4)):(1,(2,6))");
 * console.log(String(rearrangeBy(l, "a (b c) -> (c a) 1 b"))); // ((4,2),1,3):((6,1),0,2)
 * console.log(String(rearrangeBy(l, "a b -> b a"))); // ((3,4),2):((2,6),1)
 * ```
 * @since 0.1.0
 */
export function rearrangeBy(l: Layout, command: string): Layout {
  const { selection, output } = parseRearrange(command, "rearrangeBy");
  return rearrangeFor("rearrangeBy", l, output, selection);
}
