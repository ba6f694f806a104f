// Loops of the losses.
import { ARRAY, FLOATS, functionName, INTEGERS, isWide, table } from "../text.mjs";

export const title = "Rows of nllLoss and nllLossBackward.";

const targetRow = (dtype) => `function ${functionName("target", dtype)}(
  n: number,
  classes: number,
  to: Int32Array,
  a: ${ARRAY[dtype]},
  ao: number,
  as: number,
): number {
  for (let i = 0; i < n; i++) {
    const target = ${isWide(dtype) ? "Number(a[ao]!)" : "a[ao]!"};
    if (target < 0 || target >= classes) return i;
    to[i] = target;
    ao += as;
  }
  return -1;
}
`;

const pickedRow = (dtype) => `function ${functionName("picked", dtype)}(
  n: number,
  targets: Int32Array,
  a: ${ARRAY[dtype]},
  ao: number,
  ns: number,
  cs: number,
): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum -= a[ao + targets[i]! * cs]!;
    ao += ns;
  }
  return sum;
}
`;

const scatterRow = (dtype) => `function ${functionName("scatter", dtype)}(
  n: number,
  classes: number,
  targets: Int32Array,
  share: number,
  r: ${ARRAY[dtype]},
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
    r[ro + targets[i]! * cs] = share;
    ro += ns;
  }
}
`;

export const family = () =>
  [
    ...INTEGERS.map(targetRow),
    table("target", "TargetRow", INTEGERS),
    ...FLOATS.map(pickedRow),
    table("picked", "PickedRow", FLOATS),
    ...FLOATS.map(scatterRow),
    table("scatter", "ScatterRow", FLOATS),
  ].join("\n");
