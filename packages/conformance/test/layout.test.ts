import { compose, indexOf, type Layout, layout } from "@sw/layout";
import { complement, logicalDivide } from "@sw/layout/algebra";
import { describe, expect, test } from "vitest";
import { type LayoutCandidate, layoutKit, run, type Tree } from "../src/index.js";
import { layouts as ours } from "./candidates/layouts.js";
import { codesOf } from "./support.js";

test("@sw/layout passes the kit", async () => {
  const report = await run(layoutKit, ours);
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report).toMatchObject({ candidate: "@sw/layout", ok: true, skipped: [], unchecked: [] });
  expect(report.passed.length).toBeGreaterThan(80);
});

test("what a candidate lacks is skipped by name", async () => {
  const { name, parse, show, size } = ours;
  const report = await run(layoutKit, { name, parse, show, size });
  expect(report.ok).toBe(true);
  expect(report.passed.every((id) => id.startsWith("layout/size/"))).toBe(true);
  const complements = report.skipped.filter(({ id }) => id.startsWith("layout/complement/"));
  expect(new Set(complements.map(({ reason }) => reason))).toEqual(new Set(["the candidate has no complement"]));
});

const flat = (tree: Tree): number[] => (typeof tree === "number" ? [tree] : tree.flatMap(flat));

const WRONG: readonly (readonly [what: string, change: Partial<LayoutCandidate>, caughtBy: RegExp, code?: string])[] = [
  [
    "counts the last mode fastest",
    { index: (l, c) => indexOf(l as Layout, typeof c === "number" ? (l as Layout).size - 1 - c : (c as number)) },
    /^layout\/index\//,
  ],
  ["takes coordinates that are out of range", { index: () => 0 }, /^layout\/index\//, "SW_CONFORMANCE_ACCEPTED"],
  [
    "multiplies the modes of the top only",
    { size: (l) => flat((l as Layout).shape[0] ?? 1).reduce((a, b) => a * b, 1) },
    /^layout\/size\//,
  ],
  [
    "flattens instead of coalescing",
    { coalesce: (l) => layout(flat((l as Layout).shape), flat((l as Layout).stride)) },
    /^layout\/coalesce\//,
  ],
  [
    "composes the other way round",
    { compose: (a, b) => compose(b as Layout, a as Layout) },
    /^layout\/compose\//,
    "SW_CONFORMANCE_ACCEPTED",
  ],
  [
    "composes what is inadmissible",
    {
      compose(a, b) {
        try {
          return compose(a as Layout, b as Layout);
        } catch {
          return b;
        }
      },
    },
    /^layout\/compose\//,
    "SW_CONFORMANCE_ACCEPTED",
  ],
  [
    "rounds a complement that does not divide",
    {
      complement(l, codomain) {
        try {
          return complement(l as Layout, codomain);
        } catch {
          return layout([1], [0]);
        }
      },
    },
    /^layout\/complement\//,
    "SW_CONFORMANCE_ACCEPTED",
  ],
  [
    "gives the tiles first, then what is in them",
    {
      divide: (l, t) => {
        const d = logicalDivide(l as Layout, t as Layout);
        return layout([...d.shape].reverse(), [...d.stride].reverse());
      },
    },
    /^layout\/divide\//,
  ],
  [
    "repeats by the size and not by the cosize",
    {
      product: (a, b) =>
        layout([(a as Layout).shape, (b as Layout).shape], [(a as Layout).stride, (b as Layout).stride]),
    },
    /^layout\/product\//,
  ],
];

describe("an algebra that", () => {
  test.each(WRONG.map(([what, change, caughtBy, code]) => ({ what, change, caughtBy, code })))(
    "$what is caught",
    async ({ change, caughtBy, code }) => {
      const report = await run(layoutKit, { ...ours, ...change });
      const codes = Object.entries(codesOf(report));
      expect(codes.every(([id]) => caughtBy.test(id))).toBe(true);
      expect(codes.map(([, found]) => found)).toContain(code ?? "SW_CONFORMANCE_VALUE");
    },
  );
});

test("what is no candidate is refused", async () => {
  await expect(run(layoutKit, {} as LayoutCandidate)).rejects.toThrow(
    "run: the candidate has no layouts: got object, expected an object with name, parse and show.",
  );
});
