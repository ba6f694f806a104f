// Loops of the optimiser steps.
import { loop } from "../loop.mjs";
import { stagedTable } from "../rows-of.mjs";
import { FLOATS } from "../text.mjs";

export const title = "Rows of the optimiser steps.";

const attributes = "ints: readonly number[],\nfloats: readonly number[],";
const gradient = "const x = $p;\nconst d = decay === 0 ? $g : $g + decay * x;\n";

const steps = [
  [
    "sgd",
    "TwoRow",
    ["p", "g"],
    "const rate = floats[0]!;\nconst decay = floats[2]!;",
    `${gradient}$p = x - rate * d;`,
    attributes.replace("ints", "_ints"),
  ],
  [
    "sgdMomentum",
    "ThreeRow",
    ["p", "v", "g"],
    "const rate = floats[0]!;\nconst momentum = floats[1]!;\nconst decay = floats[2]!;\nconst nesterov = ints[0] === 1;",
    `${gradient}const velocity = momentum * $v + d;
$v = velocity;
$p = x - rate * (nesterov ? d + momentum * velocity : velocity);`,
    attributes,
  ],
  [
    "adam",
    "FourRow",
    ["p", "m", "v", "g"],
    `const rate = floats[0]!;
const beta1 = floats[1]!;
const beta2 = floats[2]!;
const epsilon = floats[3]!;
const decay = ints[0] === 1 ? 0 : floats[4]!;
const kept = ints[0] === 1 ? 1 - rate * floats[4]! : 1;
const correction1 = floats[5]!;
const correction2 = floats[6]!;`,
    `${gradient}const first = beta1 * $m + (1 - beta1) * d;
const second = beta2 * $v + (1 - beta2) * d * d;
$m = first;
$v = second;
$p = x * kept - rate * (first / correction1 / (Math.sqrt(second / correction2) + epsilon));`,
    attributes,
  ],
];

export function family() {
  return steps
    .map(([kernel, type, operands, before, body, list]) =>
      [
        ...FLOATS.map((d) => loop(kernel, d, operands, body, { before, attributes: list })),
        stagedTable(kernel, type, FLOATS),
      ].join("\n"),
    )
    .join("\n");
}
