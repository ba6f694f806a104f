// Loops of sum and mean.
import { ALL_FLOATS, arrayOf, functionName, INTEGERS, isWide, read, table } from "../text.mjs";

export const title = "Rows of sum and mean.";

/** What an element is, added up. */
const term = (dtype, at) => (isWide(dtype) ? `BigInt.asIntN(64, a[${at}]!)` : read(dtype, `a[${at}]!`));

function sumRow(dtype) {
  const wide = isWide(dtype);
  const add = (to, value) => (wide ? `${to} = BigInt.asIntN(64, ${to} + ${value});` : `${to} += ${value};`);
  const sums = wide ? "BigInt64Array" : "Float64Array";
  return `function ${functionName("sum", dtype)}(
  m: number,
  n: number,
  sums: ${sums},
  a: ${arrayOf(dtype)},
  ao: number,
  ms: number,
  ns: number,
): void {
  if (m >= 8 && Math.abs(ms) < Math.abs(ns)) {
    // Neighbouring sums read neighbouring elements: one sweep over memory, all sums advancing together.
    for (let j = 0; j < n; j++) {
      let at = ao + j * ns;
      for (let i = 0; i < m; i++) {
        ${wide ? `sums[i] = BigInt.asIntN(64, sums[i]! + ${term(dtype, "at")});` : `sums[i] = sums[i]! + ${term(dtype, "at")};`}
        at += ms;
      }
    }
    return;
  }
  for (let i = 0; i < m; i++) {
    let at = ao + i * ms;
    let sum = sums[i]!;
    if (ns === 1) {
      for (let j = 0; j < n; j++) ${add("sum", term(dtype, "at + j"))}
    } else {
      for (let j = 0; j < n; j++) {
        ${add("sum", term(dtype, "at"))}
        at += ns;
      }
    }
    sums[i] = sum;
  }
}
`;
}

export function family() {
  const sums = [...ALL_FLOATS, ...INTEGERS, "bool"];
  return [...sums.map(sumRow), table("sum", "SumRow", sums)].join("\n");
}
