// Loops of softmax and logSoftmax.
import { ARRAY, FLOATS, functionName, table } from "./text.mjs";

function softmaxRow(kernel, dtype) {
  const softmax = kernel === "softmax";
  return `function ${functionName(kernel, dtype)}(
  n: number,
  r: ${ARRAY[dtype]},
  ro: number,
  rs: number,
  a: ${ARRAY[dtype]},
  ao: number,
  as: number,
): void {
  const held = rowScratch(n);
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    const x = a[ao]!;
    held[i] = x;
    if (x > max) max = x;
    ao += as;
  }
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const ${softmax ? "e = Math.exp(held[i]! - max)" : "d = held[i]! - max"};
    held[i] = ${softmax ? "e" : "d"};
    sum += ${softmax ? "e" : "Math.exp(d)"};
  }
${softmax ? "" : "  const logarithm = Math.log(sum);\n"}  for (let i = 0; i < n; i++) {
    r[ro] = held[i]! ${softmax ? "/ sum" : "- logarithm"};
    ro += rs;
  }
}
`;
}

export const normaliseFamily = () =>
  ["softmax", "logSoftmax"]
    .map((k) => [...FLOATS.map((d) => softmaxRow(k, d)), table(k, "TwoRow", FLOATS)].join("\n"))
    .join("\n");
