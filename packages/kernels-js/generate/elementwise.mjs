// Element-wise loops and optimiser steps.
import { ARRAY, FLOATS, functionName, INTEGERS, indent, table } from "./text.mjs";

/**
 * An element-wise loop. `operands` are one-letter names, the output first; each has an offset (`ao`) and a stride
 * (`as`). `body` is the statement for one element, written with `$a` for "the element of a".
 */
function elementwise(kernel, dtype, operands, body, { before = "", attributes = "" } = {}) {
  const parameters = operands.map((x) => `  ${x}: ${ARRAY[dtype]},\n  ${x}o: number,\n  ${x}s: number,`).join("\n");
  const at = (index) => body.replace(/\$(\w)(!?)/g, (_, x, bang) => `${x}[${index(x)}]${bang}`);
  return `function ${functionName(kernel, dtype)}(
  n: number,
${parameters}${attributes === "" ? "" : `\n${indent(attributes, 2)}`}
): void {
${before === "" ? "" : `${indent(before, 2)}\n`}  if (${operands.map((x) => `${x}s === 1`).join(" && ")}) {
    for (let i = 0; i < n; i++) {
${indent(
  at((x) => `${x}o + i`),
  6,
)}
    }
    return;
  }
  for (let i = 0; i < n; i++) {
${indent(
  at((x) => `${x}o`),
  4,
)}
${operands.map((x) => `    ${x}o += ${x}s;`).join("\n")}
  }
}
`;
}

/** Wraps an integer expression to the dtype; typed arrays of up to 32 bits wrap when they are written. */
function wrap(dtype, expression) {
  if (dtype === "int64") return `BigInt.asIntN(64, ${expression})`;
  if (dtype === "uint64") return `BigInt.asUintN(64, ${expression})`;
  return expression;
}

/** A product of two 32-bit integers does not fit in a float64: its low bits come from Math.imul. */
const product = (dtype, a, b) => (/^u?int32$/.test(dtype) ? `Math.imul(${a}, ${b})` : wrap(dtype, `${a} * ${b}`));

export function elementwiseFamily() {
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
    ["accumulate", "TwoRow", numeric, ["r", "a"], (d) => `$r = ${wrap(d, "$r! + $a!")};`],
  ];
  return kernels
    .map(([kernel, type, dtypes, operands, body]) =>
      [...dtypes.map((d) => elementwise(kernel, d, operands, body(d))), table(kernel, type, dtypes)].join("\n"),
    )
    .join("\n");
}

export function optimiseFamily() {
  const attributes = "_ints: readonly number[],\nfloats: readonly number[],";
  const plain = "const rate = floats[0]!;\nconst decay = floats[2]!;";
  const gradient = "const x = $p!;\nconst d = decay === 0 ? $g! : $g! + decay * x;\n";
  return [
    ...FLOATS.map((d) =>
      elementwise("sgd", d, ["p", "g"], `${gradient}$p = x - rate * d;`, { before: plain, attributes }),
    ),
    table("sgd", "TwoRow", FLOATS),
    ...FLOATS.map((d) =>
      elementwise(
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
