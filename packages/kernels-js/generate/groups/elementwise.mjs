// Element-wise loops.
import { loop, wrap } from "../loop.mjs";
import { FLOATS, INTEGERS, table } from "../text.mjs";

export const title = "Element-wise rows.";

/** A product of two 32-bit integers does not fit in a float64: its low bits come from Math.imul. */
const product = (dtype, a, b) => (/^u?int32$/.test(dtype) ? `Math.imul(${a}, ${b})` : wrap(dtype, `${a} * ${b}`));

export function family() {
  const numeric = [...FLOATS, ...INTEGERS];
  const kernels = [
    ["add", "ThreeRow", numeric, ["r", "a", "b"], (d) => `$r = ${wrap(d, "$a! + $b!")};`],
    ["sub", "ThreeRow", numeric, ["r", "a", "b"], (d) => `$r = ${wrap(d, "$a! - $b!")};`],
    ["mul", "ThreeRow", numeric, ["r", "a", "b"], (d) => `$r = ${product(d, "$a!", "$b!")};`],
    ["div", "ThreeRow", FLOATS, ["r", "a", "b"], () => "$r = $a! / $b!;"],
    ["reluBackward", "ThreeRow", FLOATS, ["r", "g", "y"], () => "$r = $y! > 0 ? $g! : 0;"],
    ["neg", "TwoRow", numeric, ["r", "a"], (d) => `$r = ${wrap(d, "-$a!")};`],
    ["relu", "TwoRow", FLOATS, ["r", "a"], () => "const x = $a!;\n$r = x < 0 ? 0 : x;"],
    ["exp", "TwoRow", FLOATS, ["r", "a"], () => "$r = Math.exp($a!);"],
    ["log", "TwoRow", FLOATS, ["r", "a"], () => "$r = Math.log($a!);"],
  ];
  return kernels
    .map(([kernel, type, dtypes, operands, body]) =>
      [...dtypes.map((d) => loop(kernel, d, operands, body(d))), table(kernel, type, dtypes)].join("\n"),
    )
    .join("\n");
}
