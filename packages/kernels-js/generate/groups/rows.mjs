// Loops along one axis.
import { ARRAY, FLOATS, functionName, INTEGERS, table } from "../text.mjs";

export const title = "Rows of argmax, softmax and logSoftmax.";

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

const argmaxRow = (dtype) => `function ${functionName("argmax", dtype)}(
  m: number,
  r: BigInt64Array,
  ro: number,
  rs: number,
  a: ${ARRAY[dtype]},
  ao: number,
  as: number,
  ints: readonly number[],
): void {
  const n = ints[0]!;
  const ns = ints[1]!;
  for (let i = 0; i < m; i++) {
    let best = a[ao]!;
    let winner = 0;
    let at = ao + ns;
    for (let j = 1; j < n; j++) {
      const x = a[at]!;
${
  FLOATS.includes(dtype)
    ? `      // A NaN beats every number, and the first NaN beats the later ones.
      if (x > best || (x !== x && best === best)) {`
    : "      if (x > best) {"
}
        best = x;
        winner = j;
      }
      at += ns;
    }
    r[ro] = BigInt(winner);
    ro += rs;
    ao += as;
  }
}
`;

export function family() {
  const numeric = [...FLOATS, ...INTEGERS];
  return [
    ...numeric.map(argmaxRow),
    table("argmax", "TwoRow", numeric),
    ...["softmax", "logSoftmax"].flatMap((k) => [...FLOATS.map((d) => softmaxRow(k, d)), table(k, "TwoRow", FLOATS)]),
  ].join("\n");
}
