// Loops of sum and mean.
import { ARRAY, FLOATS, functionName, INTEGERS, isWide, table } from "../text.mjs";

export const title = "Rows of sum and mean.";

function sumRow(dtype) {
  const wide = isWide(dtype);
  const add = (to, value) => (wide ? `${to} = BigInt.asIntN(64, ${to} + ${value});` : `${to} += ${value};`);
  const sums = wide ? "BigInt64Array" : "Float64Array";
  return `function ${functionName("sum", dtype)}(
  m: number,
  n: number,
  sums: ${sums},
  a: ${ARRAY[dtype]},
  ao: number,
  ms: number,
  ns: number,
): void {
  if (m >= 8 && Math.abs(ms) < Math.abs(ns)) {
    // Neighbouring sums read neighbouring elements: one sweep over memory, all sums advancing together.
    for (let j = 0; j < n; j++) {
      let at = ao + j * ns;
      for (let i = 0; i < m; i++) {
        ${wide ? "sums[i] = BigInt.asIntN(64, sums[i]! + BigInt.asIntN(64, a[at]!));" : "sums[i] = sums[i]! + a[at]!;"}
        at += ms;
      }
    }
    return;
  }
  for (let i = 0; i < m; i++) {
    let at = ao + i * ms;
    let sum = sums[i]!;
    if (ns === 1) {
      for (let j = 0; j < n; j++) ${add("sum", wide ? "BigInt.asIntN(64, a[at + j]!)" : "a[at + j]!")}
    } else {
      for (let j = 0; j < n; j++) {
        ${add("sum", wide ? "BigInt.asIntN(64, a[at]!)" : "a[at]!")}
        at += ns;
      }
    }
    sums[i] = sum;
  }
}
`;
}

const storeQuotients = (dtype) => `function ${functionName("quotient", dtype)}(
  m: number,
  sums: Float64Array,
  divisor: number,
  r: ${ARRAY[dtype]},
  ro: number,
  rs: number,
): void {
  for (let i = 0; i < m; i++) {
    r[ro] = sums[i]! / divisor;
    ro += rs;
  }
}
`;

export function family() {
  const sums = ["float32", "float64", ...INTEGERS, "bool"];
  return [
    ...sums.map(sumRow),
    table("sum", "SumRow", sums),
    ...FLOATS.map(storeQuotients),
    table("quotient", "QuotientRow", FLOATS),
  ].join("\n");
}
