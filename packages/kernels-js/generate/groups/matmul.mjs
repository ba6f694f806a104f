// The register block of matmul, its packing and storing.
import { ALL_FLOATS, arrayOf, functionName, read, table, written } from "../text.mjs";

export const title = "The register block of matmul, and its packing and storing by dtype.";

/** Lines (rows of a, columns of b) that the register block takes: 4 by 4 accumulators. */
const LINES = [0, 1, 2, 3];

function registerBlock() {
  const cells = LINES.flatMap((i) => LINES.map((j) => [i, j]));
  const cell = (i, j) => `c[${i === 0 ? "co" : `co + ${i === 1 ? "" : `${i} * `}cs`}${j === 0 ? "" : ` + ${j}`}]`;
  return `/** Adds \`depth\` products to each cell of a 4 by 4 block of \`c\`, in the order of the depth. */
export function multiplyBlock(
  depth: number,
  a: Float64Array,
  ao: number,
  b: Float64Array,
  bo: number,
  c: Float64Array,
  co: number,
  cs: number,
): void {
${cells.map(([i, j]) => `  let c${i}${j} = ${cell(i, j)}!;`).join("\n")}
  for (let p = 0; p < depth; p++) {
${LINES.map((j) => `    const b${j} = b[bo${j === 0 ? "" : ` + ${j}`}]!;`).join("\n")}
${LINES.map(
  (i) =>
    `    const a${i} = a[ao${i === 0 ? "" : ` + ${i}`}]!;\n${LINES.map((j) => `    c${i}${j} += a${i} * b${j};`).join("\n")}`,
).join("\n")}
    ao += 4;
    bo += 4;
  }
${cells.map(([i, j]) => `  ${cell(i, j)} = c${i}${j};`).join("\n")}
}
`;
}

const packRow = (dtype) => `function ${functionName("pack", dtype)}(
  lines: number,
  depth: number,
  to: Float64Array,
  a: ${arrayOf(dtype)},
  ao: number,
  ls: number,
  ds: number,
): void {
  let t = 0;
  let line = 0;
  for (; line + 4 <= lines; line += 4) {
    let p0 = ao + line * ls;
    let p1 = p0 + ls;
    let p2 = p1 + ls;
    let p3 = p2 + ls;
    for (let p = 0; p < depth; p++) {
      to[t] = ${read(dtype, "a[p0]!")};
      to[t + 1] = ${read(dtype, "a[p1]!")};
      to[t + 2] = ${read(dtype, "a[p2]!")};
      to[t + 3] = ${read(dtype, "a[p3]!")};
      t += 4;
      p0 += ds;
      p1 += ds;
      p2 += ds;
      p3 += ds;
    }
  }
  if (line === lines) return;
  // The last panel is filled up with zeros; the cells that they make are never stored.
  for (let p = 0; p < depth; p++) {
    for (let l = 0; l < 4; l++) {
      to[t + l] = line + l < lines ? ${read(dtype, "a[ao + (line + l) * ls + p * ds]!")} : 0;
    }
    t += 4;
  }
}
`;

const storeRow = (dtype) => `function ${functionName("store", dtype)}(
  m: number,
  n: number,
  c: Float64Array,
  cs: number,
  r: ${arrayOf(dtype)},
  ro: number,
  ms: number,
  ns: number,
): void {
  for (let i = 0; i < m; i++) {
    const from = i * cs;
    let at = ro + i * ms;
    for (let j = 0; j < n; j++) {
      r[at] = ${written(dtype, "c[from + j]!")};
      at += ns;
    }
  }
}
`;

const lineRow = (dtype) => `function ${functionName("line", dtype)}(
  n: number,
  depth: number,
  c: Float64Array,
  a: ${arrayOf(dtype)},
  ao: number,
  as: number,
  b: ${arrayOf(dtype)},
  bo: number,
  ds: number,
  ns: number,
): void {
  if (Math.abs(ns) <= Math.abs(ds)) {
    // Columns are neighbours: all sums advance together, four products at a time, each sum in the order of p.
    for (let j = 0; j < n; j++) c[j] = 0;
    let p = 0;
    for (; p + 4 <= depth; p += 4) {
      const x0 = ${read(dtype, "a[ao + p * as]!")};
      const x1 = ${read(dtype, "a[ao + (p + 1) * as]!")};
      const x2 = ${read(dtype, "a[ao + (p + 2) * as]!")};
      const x3 = ${read(dtype, "a[ao + (p + 3) * as]!")};
      let b0 = bo + p * ds;
      let b1 = b0 + ds;
      let b2 = b1 + ds;
      let b3 = b2 + ds;
      for (let j = 0; j < n; j++) {
        c[j] = c[j]! + x0 * ${read(dtype, "b[b0]!")} + x1 * ${read(dtype, "b[b1]!")} + x2 * ${read(dtype, "b[b2]!")} + x3 * ${read(dtype, "b[b3]!")};
        b0 += ns;
        b1 += ns;
        b2 += ns;
        b3 += ns;
      }
    }
    for (; p < depth; p++) {
      const x = ${read(dtype, "a[ao + p * as]!")};
      let at = bo + p * ds;
      for (let j = 0; j < n; j++) {
        c[j] = c[j]! + x * ${read(dtype, "b[at]!")};
        at += ns;
      }
    }
    return;
  }
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    let c0 = 0;
    let c1 = 0;
    let c2 = 0;
    let c3 = 0;
    let from = ao;
    let b0 = bo + j * ns;
    let b1 = b0 + ns;
    let b2 = b1 + ns;
    let b3 = b2 + ns;
    for (let p = 0; p < depth; p++) {
      const x = ${read(dtype, "a[from]!")};
      c0 += x * ${read(dtype, "b[b0]!")};
      c1 += x * ${read(dtype, "b[b1]!")};
      c2 += x * ${read(dtype, "b[b2]!")};
      c3 += x * ${read(dtype, "b[b3]!")};
      from += as;
      b0 += ds;
      b1 += ds;
      b2 += ds;
      b3 += ds;
    }
    c[j] = c0;
    c[j + 1] = c1;
    c[j + 2] = c2;
    c[j + 3] = c3;
  }
  for (; j < n; j++) {
    let sum = 0;
    let from = ao;
    let at = bo + j * ns;
    for (let p = 0; p < depth; p++) {
      sum += ${read(dtype, "a[from]!")} * ${read(dtype, "b[at]!")};
      from += as;
      at += ds;
    }
    c[j] = sum;
  }
}
`;

export const family = () =>
  [
    registerBlock(),
    ...ALL_FLOATS.map(packRow),
    table("pack", "PackRow", ALL_FLOATS),
    ...ALL_FLOATS.map(lineRow),
    table("line", "LineRow", ALL_FLOATS),
    ...ALL_FLOATS.map(storeRow),
    table("store", "StoreRow", ALL_FLOATS),
  ].join("\n");
