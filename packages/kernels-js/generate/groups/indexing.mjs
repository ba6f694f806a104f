// Loops of kernels that pick elements by the numbers in another operand.

import { wrap } from "../loop.mjs";
import { ALL_FLOATS, ARRAY, arrayOf, FLOATS, functionName, INTEGERS, isWide, read, table, written } from "../text.mjs";

export const title = "Rows of indexed kernels and losses.";

/** The dtypes of indices: an operation casts the others. */
const INDICES = ["int32", "int64"];

const indexRow = (dtype) => `function ${functionName("index", dtype)}(
  n: number,
  extent: number,
  ignored: number,
  to: Int32Array,
  a: ${ARRAY[dtype]},
  ao: number,
  as: number,
): number {
  for (let i = 0; i < n; i++) {
    const index = ${isWide(dtype) ? "Number(a[ao]!)" : "a[ao]!"};
    if (index === ignored) to[i] = -1;
    else if (index < 0 || index >= extent) return i;
    else to[i] = index;
    ao += as;
  }
  return -1;
}
`;

const pickedRow = (dtype) => `function ${functionName("picked", dtype)}(
  n: number,
  targets: Int32Array,
  held: Float64Array,
  a: ${arrayOf(dtype)},
  ao: number,
  ns: number,
  cs: number,
): void {
  for (let i = 0; i < n; i++) {
    const target = targets[i]!;
    held[i] = target < 0 ? 0 : 0 - ${read(dtype, "a[ao + target * cs]!")};
    ao += ns;
  }
}
`;

const spreadRow = (dtype) => `function ${functionName("spread", dtype)}(
  n: number,
  classes: number,
  targets: Int32Array,
  shares: Float64Array,
  r: ${arrayOf(dtype)},
  ro: number,
  ns: number,
  cs: number,
): void {
  for (let i = 0; i < n; i++) {
    let at = ro;
    for (let j = 0; j < classes; j++) {
      r[at] = 0;
      at += cs;
    }
    const target = targets[i]!;
    if (target >= 0) r[ro + target * cs] = ${written(dtype, "shares[i]!")};
    ro += ns;
  }
}
`;

const routeRow = (kernel, dtype, statement) => `function ${functionName(kernel, dtype)}(
  n: number,
  indices: Int32Array,
  step: number,
  r: ${arrayOf(dtype)},
  ro: number,
  rs: number,
  ra: number,
  x: ${arrayOf(dtype)},
  xo: number,
  xs: number,
  xa: number,
): void {
  let k = 0;
  for (let i = 0; i < n; i++) {
    const index = indices[k]!;
    ${statement}
    k += step;
    ro += rs;
    xo += xs;
  }
}
`;

/** Elements move as they are: those of one class of arrays share a row. */
const SHARED = { bool: "uint8", float16: "uint16", bfloat16: "uint16" };

function moveRows() {
  const own = [...FLOATS, ...INTEGERS];
  const entries = [...own.map((dtype) => [dtype, dtype]), ...Object.entries(SHARED)];
  return [
    ...own.map((dtype) => routeRow("move", dtype, "r[ro + index * ra] = x[xo + index * xa]!;")),
    `export const moveRows: RowTable<RouteRow> = {\n${entries
      .map(([dtype, row]) => `  ${dtype}: ${functionName("move", row)} as RouteRow,`)
      .join("\n")}\n};\n`,
  ];
}

function addRows() {
  const numeric = [...ALL_FLOATS, ...INTEGERS];
  const sum = (dtype) =>
    written(dtype, wrap(dtype, `${read(dtype, "r[at]!")} + ${read(dtype, "x[xo + index * xa]!")}`));
  return [
    ...numeric.map((dtype) => routeRow("add", dtype, `const at = ro + index * ra;\n    r[at] = ${sum(dtype)};`)),
    table("add", "RouteRow", numeric),
  ];
}

export const family = () =>
  [
    ...INDICES.map(indexRow),
    table("index", "IndexRow", INDICES),
    ...moveRows(),
    ...addRows(),
    ...ALL_FLOATS.map(pickedRow),
    table("picked", "PickedRow", ALL_FLOATS),
    ...ALL_FLOATS.map(spreadRow),
    table("spread", "SpreadRow", ALL_FLOATS),
  ].join("\n");
