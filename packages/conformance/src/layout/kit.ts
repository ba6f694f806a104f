import type { Case } from "../case.js";
import { type Checks, checksOf } from "../expect.js";
import { linesOf } from "../format/vectors.js";
import type { Kit } from "../kit.js";
import { LAYOUT_LINES } from "./golden.js";
import { type LayoutLine, type LayoutVector, questionsOf, type Tree } from "./vectors.js";

/**
 * An algebra of layouts, over JSON: `[shape, strides]`, first mode fastest. What a layout is inside is the candidate's.
 * A member that is absent is not tried; what is inadmissible is refused by an error of any kind.
 *
 * @since 0.1.0
 */
export interface LayoutCandidate {
  readonly name: string;
  /** Makes a layout of `[shape, strides]`. */
  parse(layout: unknown): unknown;
  /** Writes a layout as `[shape, strides]`. */
  show(layout: unknown): unknown;
  size?(layout: unknown): number;
  /** The index at a coordinate: a tree, or one number that counts coordinates. */
  index?(layout: unknown, coordinate: unknown): number;
  /** The layout of `a(b(c))`. */
  compose?(a: unknown, b: unknown): unknown;
  complement?(layout: unknown, codomain?: number): unknown;
  /** The logical division. */
  divide?(layout: unknown, tile: unknown): unknown;
  /** The logical product. */
  product?(a: unknown, b: unknown): unknown;
  coalesce?(layout: unknown): unknown;
}

/** Which operands of a member are layouts. */
const LAYOUTS: { readonly [M in LayoutVector["member"]]: readonly boolean[] } = {
  size: [true],
  index: [true, false],
  compose: [true, true],
  complement: [true, false],
  divide: [true, true],
  product: [true, true],
  coalesce: [true],
};

/** The form in which layouts are compared: strides of extents of 1 say nothing, a bare number is one mode (LA-131). */
function normalForm([shape, stride]: readonly [Tree, Tree], collapse: boolean): readonly [Tree, Tree] {
  const wrapped = (tree: Tree): readonly Tree[] => (typeof tree === "number" ? [tree] : tree);
  const walk = (s: Tree, d: Tree, isTop: boolean): readonly [Tree, Tree] => {
    if (typeof s === "number") return [s, s === 1 ? 0 : d];
    const modes = s.map((mode, i) => walk(mode, (d as readonly Tree[])[i]!, false));
    if (collapse && !isTop && modes.length === 1) return modes[0]!;
    return [modes.map(([m]) => m), modes.map(([, m]) => m)];
  };
  return walk(wrapped(shape), wrapped(stride), true);
}

function ask(checks: Checks, candidate: LayoutCandidate, { member, operands, want, collapse }: LayoutVector): void {
  const what = `${member}(${operands.map((operand) => JSON.stringify(operand)).join(", ")})`;
  const call = (): unknown => {
    const values = operands.map((operand, i) => (LAYOUTS[member][i] ? candidate.parse(operand) : operand));
    // Called as a method: members may need their candidate.
    return (candidate as unknown as { [name: string]: (...values: unknown[]) => unknown })[member]!(...values);
  };
  if (want === undefined) {
    checks.refused(call, what, "an error", () => true);
    return;
  }
  const got = call();
  if (typeof want === "number") {
    checks.same(got, want, what);
    return;
  }
  const shown = normalForm(candidate.show(got) as readonly [Tree, Tree], collapse);
  checks.same(shown, normalForm(want as readonly [Tree, Tree], collapse), what);
}

/** The id of a question: what is asked. Indices of one layout are one case. */
function idOf({ member, operands, want }: LayoutVector): string {
  const told = member === "index" && want !== undefined ? operands.slice(0, 1) : operands;
  return `layout/${member}/${told.map((operand) => JSON.stringify(operand) ?? "undefined").join(";")}`;
}

function check(operation: string, candidate: unknown): asserts candidate is LayoutCandidate {
  const value = candidate as Partial<LayoutCandidate> | null | undefined;
  const isCandidate = typeof value === "object" && value !== null;
  if (isCandidate && typeof value.parse === "function" && typeof value.show === "function") return;
  throw new TypeError(
    `${operation}: the candidate has no layouts: got ${value === null ? "null" : typeof value}, expected an object with name, parse and show.`,
  );
}

function casesOf(lines: readonly LayoutLine[], filter: (id: string) => boolean): readonly Case<LayoutCandidate>[] {
  const byId = new Map<string, LayoutVector[]>();
  for (const question of lines.flatMap(questionsOf)) {
    const id = idOf(question);
    if (filter(id)) byId.set(id, [...(byId.get(id) ?? []), question]);
  }
  return [...byId].map(([id, questions]) => ({
    id,
    since: "0.1.0",
    subject: questions[0]!.member,
    needs: [questions[0]!.member],
    run(candidate) {
      const checks = checksOf(id);
      for (const question of questions) ask(checks, candidate, question);
      return checks.outcome();
    },
  }));
}

/**
 * Makes a kit of vectors of layouts: `layout/<member>/<operands>`.
 *
 * @since 0.1.0
 */
export function layoutKitOf(lines: () => readonly LayoutLine[]): Kit<LayoutCandidate> {
  return {
    name: "layout",
    check,
    nameOf: ({ name }) => name,
    subjects: (candidate) =>
      Object.keys(LAYOUTS).filter((member) => candidate[member as keyof LayoutCandidate] !== undefined),
    lacks: (candidate, need) =>
      candidate[need as keyof LayoutCandidate] === undefined ? `the candidate has no ${need}` : undefined,
    cases: (filter = () => true) => casesOf(lines(), filter),
  };
}

/**
 * What an algebra of layouts keeps to, by a small set of vectors that the package carries.
 *
 * @since 0.1.0
 */
export const layoutKit: Kit<LayoutCandidate> = layoutKitOf(() => linesOf<LayoutLine>(LAYOUT_LINES));
