import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { vectors } from "./support.js";

const HERE = new URL("./", import.meta.url);
const RULES = 167;

/** The rules that tests name, and those of the vectors that they run. */
function cited(): Set<number> {
  const rules = new Set<number>();
  const note = (text: string): void => {
    for (const [, number] of text.matchAll(/\bR(\d{1,3})\b/g)) rules.add(Number(number));
  };
  for (const file of readdirSync(HERE).filter((name) => name.endsWith(".test.ts") && name !== "rules.test.ts")) {
    const text = readFileSync(new URL(file, HERE), "utf8");
    note(text);
    for (const [, kinds] of text.matchAll(/for \(const c of vectors\(([^)]*)\)/g)) {
      for (const { spec } of vectors(...JSON.parse(`[${kinds}]`))) note(spec.rule ?? "");
    }
  }
  return rules;
}

test("every rule of the checklist is cited by a test", () => {
  const rules = cited();
  const uncited = Array.from({ length: RULES }, (_, k) => k + 1).filter((rule) => !rules.has(rule));
  expect(uncited).toEqual([]);
});
