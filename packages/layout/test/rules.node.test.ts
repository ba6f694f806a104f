import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** The rules of the layout algebra, by the sections of their source, as first and last number. */
const SECTIONS = {
  "shapes, strides, layouts": [1, 11],
  "coordinates and indices": [20, 26],
  queries: [30, 35],
  "taking apart, putting together": [40, 48],
  "coalesce and filter": [50, 53],
  composition: [60, 69],
  complement: [70, 73],
  division: [80, 85],
  products: [90, 95],
  "inverses, common parts, recasts": [100, 107],
  "index maps": [110, 117],
  "reading the vectors": [130, 132],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

/** Rules that are no behaviour of this package, with the reason. */
const NO_TEST: Readonly<Record<string, string>> = {
  "LA-130": "says how the vectors were made",
  "LA-131": "is the form in which the tests compare with the vectors: normalForm in support.ts",
  "LA-132": "says what the vectors record of other libraries",
};

const RULES = Object.values(SECTIONS).flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, i) => `LA-${first + i}`),
);

/** The rules that titles of tests name. A title is the string that follows `test(`, `describe(`, `law(` or `.each(…)(`. */
function citedRules(): Set<string> {
  const cited = new Set<string>();
  const here = new URL(".", import.meta.url);
  for (const file of readdirSync(here)) {
    if (!file.endsWith(".test.ts") && file !== "laws.ts") continue;
    const source = readFileSync(new URL(file, here), "utf8");
    for (const [, title] of source.matchAll(/(?:\b(?:test|describe|law)\(|\)\()\s*(["'`].*?LA-\d+.*?)$/gm)) {
      for (const [id] of title!.matchAll(/LA-\d+/g)) cited.add(id);
    }
  }
  return cited;
}

describe("the rules of the layout algebra", () => {
  const cited = citedRules();

  test.each(RULES.filter((id) => !(id in NO_TEST)))("a test cites %s", (id) => {
    expect(cited).toContain(id);
  });

  test("every rule that a test cites exists, and none is excused that has a test", () => {
    expect([...cited].filter((id) => !RULES.includes(id))).toEqual([]);
    expect(Object.keys(NO_TEST).filter((id) => cited.has(id))).toEqual([]);
  });
});
