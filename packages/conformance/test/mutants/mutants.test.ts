import { describe, expect, test } from "vitest";
import { EQUIVALENT, EQUIVALENT_FORMULAS } from "./equivalent.js";
import { loadFormulas, survivorsOf as survivorsOfFormula } from "./formulas.js";
import { survivesExactly, survivorsOf, testedSpecs } from "./run.js";

// A sample of each: the whole is in the long lane.

describe("generic defects are caught of", () => {
  test.each(["add", "sum", "matmul", "nllLoss"])("%s", async (kind) => {
    const spec = testedSpecs().find((one) => one.kind === kind)!;
    const listed = EQUIVALENT.filter(([name]) => name.startsWith(`${kind} `)).map(([name]) => name);
    expect([...(await survivorsOf(spec))].sort()).toEqual([...listed].sort());
  });
});

describe("changed formulas are caught of", () => {
  test.each(["add", "relu", "sign", "abs", "where"])("%s", async (kernel) => {
    const { formulas, functions } = await loadFormulas();
    const formula = formulas.find(([name]) => name === kernel)!;
    const listed = EQUIVALENT_FORMULAS.filter(([name]) => name.startsWith(`${kernel} `)).map(([name]) => name);
    expect([...(await survivorsOfFormula(formula, functions))].sort()).toEqual([...listed].sort());
  });
});

test.each(["sum", "exp"])(
  "D8: %s that is one unit of float32 beside is caught where it has to be exact",
  async (kind) => {
    expect(await survivesExactly(testedSpecs().find((one) => one.kind === kind)!)).toBe(false);
  },
);
