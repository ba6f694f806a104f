// Loops of the optimiser steps.
import { loop } from "../loop.mjs";
import { FLOATS, table } from "../text.mjs";

export const title = "Rows of the optimiser steps.";

export function family() {
  const attributes = "_ints: readonly number[],\nfloats: readonly number[],";
  const plain = "const rate = floats[0]!;\nconst decay = floats[2]!;";
  const gradient = "const x = $p!;\nconst d = decay === 0 ? $g! : $g! + decay * x;\n";
  return [
    ...FLOATS.map((d) => loop("sgd", d, ["p", "g"], `${gradient}$p = x - rate * d;`, { before: plain, attributes })),
    table("sgd", "TwoRow", FLOATS),
    ...FLOATS.map((d) =>
      loop(
        "sgdMomentum",
        d,
        ["p", "v", "g"],
        `${gradient}const velocity = momentum * $v! + d;\n$v = velocity;\n$p = x - rate * (nesterov ? d + momentum * velocity : velocity);`,
        {
          before: `const rate = floats[0]!;\nconst momentum = floats[1]!;\nconst decay = floats[2]!;\nconst nesterov = ints[0] === 1;`,
          attributes: "ints: readonly number[],\nfloats: readonly number[],",
        },
      ),
    ),
    table("sgdMomentum", "ThreeRow", FLOATS),
  ].join("\n");
}
