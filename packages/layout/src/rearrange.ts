import { describe, LayoutError, notAnInteger } from "./errors.js";
import { formatLayout, type Layout, made, requireLayout } from "./layout.js";
import { type IntTree, MAX_DEPTH, requireList, treeSize } from "./tree.js";

/** The tree of a rearranged layout: a number places a part, `"1"` inserts an extent of 1, a list nests. @since 0.1.0 */
export type Arrangement = number | "1" | readonly Arrangement[];

/** A part cut out of a layout: a leaf or a whole mode. */
interface Part {
  readonly shape: IntTree;
  readonly stride: IntTree;
}

/**
 * Takes a layout apart and builds another of the parts (LA-45).
 *
 * `selection` has the form of the layout, or less of it: each of its leaves, whose values do not matter, takes one leaf
 * or one whole nested mode; without it every leaf is a part. Parts are numbered depth-first. In `output` the number n
 * places part n, `"1"` inserts a leaf of extent 1 and stride 0, and a list makes a nested mode. Only parts of size 1
 * may be left out.
 *
 * @throws TypeError for an entry of another type.
 * @throws LayoutError `SW_LAYOUT_ARRANGEMENT` (the selection does not fit the layout; a part that does not exist, is
 * placed twice, or is left out), `SW_LAYOUT_EMPTY_MODE`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { rearrange } from "@sw/layout/algebra";
 * const l = parseLayout("(2,(3,4)):(1,(2,6))");
 * console.log(String(rearrange(l, [[2, 0], "1", 1]))); // ((4,2),1,3):((6,1),0,2)
 * console.log(String(rearrange(l, [1, 0], [0, 1]))); // ((3,4),2):((2,6),1)
 * ```
 * @since 0.1.0
 */
export function rearrange(l: Layout, output: readonly Arrangement[], selection?: readonly Arrangement[]): Layout {
  return rearrangeFor("rearrange", l, output, selection);
}

/** Does what `rearrange` does, in the name of the operation that was called. */
export function rearrangeFor(
  operation: string,
  l: Layout,
  output: readonly Arrangement[],
  given?: readonly Arrangement[],
): Layout {
  requireLayout(operation, l);
  const selection = given === undefined ? l.shape : given;
  checkArrangement(operation, "output", output);
  checkArrangement(operation, "selection", selection);
  const parts: Part[] = [];
  if (!cut(l.shape, l.stride, selection, parts)) {
    const problem = `selection does not fit the layout: got ${formatArrangement(selection)} for ${formatLayout(l)}, expected as many entries as modes at each level.`;
    throw new LayoutError("SW_LAYOUT_ARRANGEMENT", operation, problem, { layout: l });
  }
  const placed: boolean[] = parts.map(() => false);
  const shape = output.map((entry) => place(operation, l, entry, parts, placed));
  for (let n = 0; n < parts.length; n++) {
    const size = treeSize(parts[n]!.shape);
    if (placed[n] || size === 1) continue;
    throw badPart(operation, l, n, `part ${n} is left out: got size ${size}, expected size 1`);
  }
  return made(
    operation,
    shape.map((part) => part.shape),
    shape.map((part) => part.stride),
  );
}

/**
 * Gives the trees that undo a rearrangement: `rearrange(rearrange(l, output, selection), …)` is `l` again, but for the
 * strides of extents of 1 that were left out (LA-47).
 *
 * `selection` is what was given to `rearrange`; where that was nothing, pass the shape of the layout.
 *
 * @throws TypeError for an entry of another type.
 * @throws LayoutError `SW_LAYOUT_ARRANGEMENT` for a part that does not exist or is placed twice,
 * `SW_LAYOUT_EMPTY_MODE`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { inverseArrangement, rearrange } from "@sw/layout/algebra";
 * const l = parseLayout("(2,(3,4)):(1,(2,6))");
 * const back = inverseArrangement([[2, 0], "1", 1], l.shape);
 * console.log(String(rearrange(rearrange(l, [[2, 0], "1", 1]), back.output, back.selection))); // (2,(3,4)):(1,(2,6))
 * ```
 * @since 0.1.0
 */
export function inverseArrangement(
  output: readonly Arrangement[],
  selection: readonly Arrangement[],
): { output: Arrangement[]; selection: Arrangement[] } {
  checkArrangement("inverseArrangement", "output", output);
  checkArrangement("inverseArrangement", "selection", selection);
  const positions = new Map<number, number>();
  let position = 0;
  const reverseSelection = mapLeaves(output, (n) => {
    if (n !== "1") {
      if (n < 0) throw badPlace(n, "it does not exist");
      if (positions.has(n)) throw badPlace(n, "it is placed twice");
      positions.set(n, position);
    }
    return position++;
  });
  let count = 0;
  const reverseOutput = mapLeaves(selection, () => positions.get(count++) ?? "1");
  for (const n of positions.keys()) if (n >= count) throw badPlace(n, "it does not exist");
  return { output: reverseOutput, selection: reverseSelection };
}

function mapLeaves(tree: readonly Arrangement[], leaf: (n: number | "1") => number | "1"): Arrangement[] {
  return tree.map((entry) => (typeof entry === "object" ? mapLeaves(entry, leaf) : leaf(entry)));
}

/** Cuts the parts out of some modes, if the selection fits them. */
function cut(shape: readonly IntTree[], stride: readonly IntTree[], selection: readonly Arrangement[], parts: Part[]) {
  if (shape.length !== selection.length) return false;
  for (let i = 0; i < shape.length; i++) {
    const entry = selection[i]!;
    const mode = shape[i]!;
    if (typeof entry !== "object") parts.push({ shape: mode, stride: stride[i]! });
    else if (typeof mode === "number" || !cut(mode, stride[i] as readonly IntTree[], entry, parts)) return false;
  }
  return true;
}

function place(operation: string, l: Layout, entry: Arrangement, parts: readonly Part[], placed: boolean[]): Part {
  if (entry === "1") return { shape: 1, stride: 0 };
  if (typeof entry === "number") {
    const part = parts[entry];
    if (part === undefined) {
      const expected = parts.length === 0 ? "no part, since there is none" : `0 to ${parts.length - 1}`;
      throw badPart(operation, l, entry, `a part does not exist: got ${entry}, expected ${expected}`);
    }
    if (placed[entry])
      throw badPart(operation, l, entry, `part ${entry} is placed twice: got it again, expected each part once`);
    placed[entry] = true;
    return part;
  }
  const inner = entry.map((e) => place(operation, l, e, parts, placed));
  return { shape: inner.map((part) => part.shape), stride: inner.map((part) => part.stride) };
}

/** Refuses what is no arrangement: other types, empty modes, nests too deep. */
function checkArrangement(operation: string, what: string, tree: unknown, depth = 1): void {
  requireList(operation, what, tree);
  if (depth > MAX_DEPTH) {
    const problem = `${what} nests too deep: got more than ${MAX_DEPTH} levels, expected at most ${MAX_DEPTH}.`;
    throw new LayoutError("SW_LAYOUT_DEPTH", operation, problem, { value: depth });
  }
  if (depth > 1 && tree.length === 0) {
    const problem = `a nested mode of ${what} is empty: got (), expected at least one entry.`;
    throw new LayoutError("SW_LAYOUT_EMPTY_MODE", operation, problem);
  }
  for (let i = 0; i < tree.length; i++) {
    const entry = tree[i];
    if (entry === "1") continue;
    if (Array.isArray(entry)) checkArrangement(operation, what, entry, depth + 1);
    else if (typeof entry === "number") {
      if (!Number.isInteger(entry)) throw notAnInteger(operation, `an entry of ${what}`, entry);
    } else {
      throw new TypeError(
        `${operation}: an entry of ${what} has a wrong type: got ${describe(entry)}, expected a number, "1" or a list.`,
      );
    }
  }
}

function formatArrangement(tree: Arrangement): string {
  return typeof tree === "object" ? `(${tree.map(formatArrangement).join(",")})` : String(tree);
}

function badPart(operation: string, l: Layout, value: number, problem: string): LayoutError {
  return new LayoutError("SW_LAYOUT_ARRANGEMENT", operation, `${problem} (layout ${formatLayout(l)}).`, {
    layout: l,
    value,
  });
}

function badPlace(value: number, why: string): LayoutError {
  const problem = `a part cannot be placed: got ${value}, expected each part of the selection at most once, but ${why}.`;
  return new LayoutError("SW_LAYOUT_ARRANGEMENT", "inverseArrangement", problem, { value });
}
