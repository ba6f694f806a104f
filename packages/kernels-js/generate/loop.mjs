// The template of element-wise loops.
import { ARRAY, functionName, indent } from "./text.mjs";

/**
 * An element-wise loop. `operands` are one-letter names, the output first; each has an offset (`ao`) and a stride
 * (`as`). `body` is the statement for one element, written with `$a` for "the element of a".
 */
export function loop(kernel, dtype, operands, body, { before = "", attributes = "" } = {}) {
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
export function wrap(dtype, expression) {
  if (dtype === "int64") return `BigInt.asIntN(64, ${expression})`;
  if (dtype === "uint64") return `BigInt.asUintN(64, ${expression})`;
  return expression;
}
