// Loops that move elements to others.
import { loop, wrap } from "../loop.mjs";
import { FLOATS, INTEGERS, table } from "../text.mjs";

export const title = "Rows of accumulate.";

export function family() {
  const numeric = [...FLOATS, ...INTEGERS];
  return [
    ...numeric.map((d) => loop("accumulate", d, ["r", "a"], `$r = ${wrap(d, "$r! + $a!")};`)),
    table("accumulate", "TwoRow", numeric),
  ].join("\n");
}
