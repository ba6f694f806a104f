// The template of element-wise loops.
import { arrayOf, functionName, indent } from "./text.mjs";

/**
 * An element-wise loop. `operands` are one-letter names, the output first, with a dtype where that is not the row's
 * (`c:bool`); each has an offset (`ao`) and a stride (`as`). `body` is the statement for one element, written with
 * `$a` for "the element of a".
 */
export function loop(kernel, dtype, operands, body, { before = "", attributes = "" } = {}) {
  const typed = operands.map((operand) => operand.split(":"));
  const parameters = typed
    .map(([x, own]) => `  ${x}: ${arrayOf(own ?? dtype)},\n  ${x}o: number,\n  ${x}s: number,`)
    .join("\n");
  const names = typed.map(([x]) => x);
  const text = wrapped(dtype, body);
  // An element that is read is told to be there; one that is written need not be.
  const at = (index) =>
    text.replace(/\$(\w)!?( = )?/g, (_, x, written) => `${x}[${index(x)}]${written === undefined ? "!" : written}`);
  return `function ${functionName(kernel, dtype)}(
  n: number,
${parameters}${attributes === "" ? "" : `\n${indent(attributes, 2)}`}
): void {
${before === "" ? "" : `${indent(before, 2)}\n`}  if (${names.map((x) => `${x}s === 1`).join(" && ")}) {
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
${names.map((x) => `    ${x}o += ${x}s;`).join("\n")}
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

/** The same for `wrap(…)` inside a statement. */
function wrapped(dtype, body) {
  return body.replaceAll("wrap(", dtype === "uint64" ? "BigInt.asUintN(64, " : "BigInt.asIntN(64, ");
}
