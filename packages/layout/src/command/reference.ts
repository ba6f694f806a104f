import { describe } from "../errors.js";
import type { Arrangement } from "../rearrange.js";
import { MAX_DEPTH } from "../tree.js";
import { type CommandToken, commandError, tokensOf } from "./tokens.js";

/** One side of a command: the tokens from `from` to before `to`. */
export interface Reference {
  readonly operation: string;
  readonly tokens: readonly CommandToken[];
  readonly from: number;
  readonly to: number;
}

/** A reference to the modes of an operand. */
export interface Input {
  /** The form of the operand; its leaves are their own numbers, depth-first. */
  readonly selection: Arrangement[];
  /** The name of each leaf; `"1"` for one without. */
  readonly names: readonly string[];
  /** The leaf of each name. */
  readonly ids: ReadonlyMap<string, number>;
}

/** Splits a command at its only arrow, and refuses an empty side. */
export function splitAtArrow(operation: string, text: string): { before: Reference; after: Reference } {
  const tokens = tokensOf(operation, text);
  const arrow = onlyOne(operation, tokens, "arrow", tokens.length);
  return {
    before: { operation, tokens, from: 0, to: arrow },
    after: { operation, tokens, from: arrow + 1, to: tokens.length },
  };
}

/** Finds the only token of a kind among the first ones. */
export function onlyOne(
  operation: string,
  tokens: readonly CommandToken[],
  kind: "arrow" | "comma",
  to: number,
): number {
  let found = -1;
  let count = 0;
  for (let i = 0; i < to; i++) {
    if (tokens[i]!.kind !== kind) continue;
    found = i;
    count++;
  }
  if (count === 1) return found;
  const [what, expected] = kind === "arrow" ? ["arrows", "one ->"] : ["commas before the arrow", "one"];
  throw commandError(operation, `the wrong number of ${what}`, String(count), expected);
}

/** Refuses references of no token; done before any is read. */
export function requireTokens(...references: readonly Reference[]): void {
  for (const { operation, from, to } of references) {
    if (from === to) throw commandError(operation, "an empty side", "nothing", "names, groups or 1");
  }
}

/** Reads a reference to the modes of an operand (VA-43). */
export function readInput(reference: Reference): Input {
  const names: string[] = [];
  const ids = new Map<string, number>();
  const selection = readModes(reference, (token) => {
    const id = names.length;
    names.push(token.value);
    if (token.kind === "symbol") {
      if (ids.has(token.value)) throw badName(reference, "a name twice", token, "each name once before the arrow");
      ids.set(token.value, id);
    }
    return id;
  });
  return { selection, names, ids };
}

/** Reads the reference after the arrow: names become numbers, `1` stays (VA-44). `placed` says which numbers occur. */
export function readOutput(
  reference: Reference,
  ids: ReadonlyMap<string, number>,
): { output: Arrangement[]; placed: ReadonlySet<number> } {
  const placed = new Set<number>();
  const output = readModes(reference, (token) => {
    if (token.kind === "one") return "1";
    const id = ids.get(token.value);
    if (id === undefined) throw badName(reference, "an unknown name", token, "a name that stands before the arrow");
    if (placed.has(id)) throw badName(reference, "a name twice", token, "each name once after the arrow");
    placed.add(id);
    return id;
  });
  return { output, placed };
}

/** Reads modes and groups of them, leaves by a given rule. A stack of its own: the depth of a text is not bounded. */
function readModes(reference: Reference, leaf: (token: CommandToken) => number | "1"): Arrangement[] {
  const { operation, tokens, from, to } = reference;
  const open: { readonly modes: Arrangement[]; readonly start: number }[] = [];
  let modes: Arrangement[] = [];
  for (let i = from; i < to; i++) {
    const token = tokens[i]!;
    if (token.kind === "one" || token.kind === "symbol") modes.push(leaf(token));
    else if (token.kind === "left_paren") {
      if (open.length === MAX_DEPTH - 1) {
        const expected = `at most ${MAX_DEPTH} levels, the outermost included`;
        throw commandError(operation, "groups too deep", "another (", expected, token.start);
      }
      open.push({ modes, start: token.start });
      modes = [];
    } else if (token.kind === "right_paren") {
      const group = open.pop();
      if (group === undefined) throw commandError(operation, "an unmatched )", ")", "( before it", token.start);
      if (modes.length === 0) throw commandError(operation, "an empty group", "()", "a name or 1 in it", group.start);
      group.modes.push(modes);
      modes = group.modes;
    } else {
      throw commandError(operation, `a misplaced ${token.kind}`, token.value, "names, groups or 1", token.start);
    }
  }
  const unclosed = open.pop();
  if (unclosed !== undefined) throw commandError(operation, "an unclosed (", "no )", ") after it", unclosed.start);
  return modes;
}

function badName({ operation }: Reference, what: string, token: CommandToken, expected: string): Error {
  return commandError(operation, what, describe(token.value), expected, token.start);
}
