// Loops of sum and mean.
import { ARRAY, FLOATS, functionName, HALVES, INTEGERS, isWide, table } from "../text.mjs";

export const title = "Rows of sum and mean.";

/** What an element is, added up. */
function read(dtype, at) {
  if (isWide(dtype)) return `BigInt.asIntN(64, a[${at}]!)`;
  return HALVES[dtype] === undefined ? `a[${at}]!` : `${HALVES[dtype][0]}(a[${at}]!)`;
}

function sumRow(dtype) {
  const wide = isWide(dtype);
  const add = (to, value) => (wide ? `${to} = BigInt.asIntN(64, ${to} + ${value});` : `${to} += ${value};`);
  const sums = wide ? "BigInt64Array" : "Float64Array";
  return `function ${functionName("sum", dtype)}(
  m: number,
  n: number,
  sums: ${sums},
  a: ${ARRAY[dtype] ?? "Uint16Array"},
  ao: number,
  ms: number,
  ns: number,
): void {
  if (m >= 8 && Math.abs(ms) < Math.abs(ns)) {
    // Neighbouring sums read neighbouring elements: one sweep over memory, all sums advancing together.
    for (let j = 0; j < n; j++) {
      let at = ao + j * ns;
      for (let i = 0; i < m; i++) {
        ${wide ? `sums[i] = BigInt.asIntN(64, sums[i]! + ${read(dtype, "at")});` : `sums[i] = sums[i]! + ${read(dtype, "at")};`}
        at += ms;
      }
    }
    return;
  }
  for (let i = 0; i < m; i++) {
    let at = ao + i * ms;
    let sum = sums[i]!;
    if (ns === 1) {
      for (let j = 0; j < n; j++) ${add("sum", read(dtype, "at + j"))}
    } else {
      for (let j = 0; j < n; j++) {
        ${add("sum", read(dtype, "at"))}
        at += ns;
      }
    }
    sums[i] = sum;
  }
}
`;
}

export function family() {
  const sums = [...FLOATS, ...Object.keys(HALVES), ...INTEGERS, "bool"];
  return [...sums.map(sumRow), table("sum", "SumRow", sums)].join("\n");
}
