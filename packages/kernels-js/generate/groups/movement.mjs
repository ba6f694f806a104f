// Loops that move elements to others.
import { loop, wrap } from "../loop.mjs";
import { ALL_FLOATS, INTEGERS, read, table, written } from "../text.mjs";

export const title = "Rows of accumulate.";

export function family() {
  const numeric = [...ALL_FLOATS, ...INTEGERS];
  const sum = (d) => written(d, wrap(d, `${read(d, "$r!")} + ${read(d, "$a!")}`));
  return [
    ...numeric.map((d) => loop("accumulate", d, ["r", "a"], `$r = ${sum(d)};`)),
    table("accumulate", "TwoRow", numeric),
  ].join("\n");
}
