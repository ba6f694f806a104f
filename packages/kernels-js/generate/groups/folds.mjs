// Steps of reductions: how a result `r` takes an element `x`, or one that is `d` away from a centre.
export const title = "Steps of reductions.";

const NUMBERS = {
  multiply: "r *= x;",
  lower: "r = Math.min(r, x);",
  higher: "r = Math.max(r, x);",
  findTrue: "if (x !== 0) r = 1;",
  findFalse: "if (x === 0) r = 0;",
  addUp: "r += x;",
  addSizes: "r += Math.abs(x);",
  addSquares: "r += x * x;",
  higherSize: "r = Math.max(r, Math.abs(x));",
};

const DISTANCES = {
  addSquaredDistances: "r += d * d;",
  addExponentials: "r += Math.exp(d);",
};

const INTEGERS = {
  multiplyIntegers: "r = BigInt.asIntN(64, r * x);",
  lowerInteger: "if (x < r) r = x;",
  higherInteger: "if (x > r) r = x;",
};

function step([name, body], memory, distance) {
  return `export function ${name}(
  m: number,
  n: number,
  held: ${memory},
  first: number,
  block: ${memory},${distance ? "\n  centres: Float64Array," : ""}
): void {
  for (let i = 0; i < m; i++) {
    let r = held[first + i]!;
${distance ? "    const centre = centres[first + i]!;\n" : ""}    for (let j = 0; j < n; j++) {
      const ${distance ? "d = block[i + j]! - centre" : "x = block[i + j]!"};
      ${body}
    }
    held[first + i] = r;
  }
}
`;
}

export function family() {
  return [
    ...Object.entries(NUMBERS).map((one) => step(one, "Float64Array", false)),
    ...Object.entries(DISTANCES).map((one) => step(one, "Float64Array", true)),
    ...Object.entries(INTEGERS).map((one) => step(one, "BigInt64Array", false)),
  ].join("\n");
}
