import { expect, test } from "vitest";
import { EQUIVALENT_FORMULAS } from "./equivalent.js";
import { loadFormulas, survivorsOf } from "./formulas.js";

const { formulas, functions } = await loadFormulas();

for (const formula of formulas) {
  const [kernel] = formula;
  test(`every change of the formulas of ${kernel} is caught`, async () => {
    const listed = EQUIVALENT_FORMULAS.filter(([changed]) => changed.startsWith(`${kernel} `)).map(
      ([changed]) => changed,
    );
    expect([...(await survivorsOf(formula, functions))].sort()).toEqual([...listed].sort());
  });
}
