// Loops along one axis: choices and orders, of numbers and of 64-bit integers.
import { functionName } from "../text.mjs";

export const title = "Rows of choices and orders.";

const MEMORY = { numbers: "Float64Array", integers: "BigInt64Array" };

/** Whether `x` comes before `y`: a NaN is larger than every number, and than no other NaN. */
function before(dtype, ascending) {
  if (dtype === "integers") return ascending ? "x < y" : "x > y";
  return ascending ? "x < y || (y !== y && x === x)" : "x > y || (x !== x && y === y)";
}

/** `best` is NaN only where nothing beats it: the first NaN wins, whichever end is looked for. */
function beats(dtype, largest) {
  const sign = largest ? ">" : "<";
  return dtype === "integers" ? `x ${sign} best` : `x ${sign} best || (x !== x && best === best)`;
}

const choose = (kernel, dtype) => `/** The position of the ${kernel} of \`n\` elements, the first of equals. */
export function ${functionName(kernel, dtype)}(n: number, a: ${MEMORY[dtype]}): number {
  let best = a[0]!;
  let at = 0;
  for (let i = 1; i < n; i++) {
    const x = a[i]!;
    if (${beats(dtype, kernel === "largest")}) {
      best = x;
      at = i;
    }
  }
  return at;
}
`;

const merge = (
  kernel,
  dtype,
) => `/** Sorts \`n\` positions by the elements there, merging runs from \`order\` to \`spare\` and back; answers where they ended. */
export function ${functionName(kernel, dtype)}(n: number, a: ${MEMORY[dtype]}, order: Int32Array, spare: Int32Array): Int32Array {
  for (let i = 0; i < n; i++) order[i] = i;
  let from = order;
  let to = spare;
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(middle + width, n);
      let left = start;
      let right = middle;
      for (let k = start; k < end; k++) {
        let second = left >= middle;
        if (!second && right < end) {
          const x = a[from[right]!]!;
          const y = a[from[left]!]!;
          // Of equals the left one comes first: the order is stable.
          second = ${before(dtype, kernel === "ascending")};
        }
        to[k] = second ? from[right++]! : from[left++]!;
      }
    }
    const sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}
`;

export function family() {
  return Object.keys(MEMORY)
    .flatMap((dtype) => [
      choose("largest", dtype),
      choose("smallest", dtype),
      merge("ascending", dtype),
      merge("descending", dtype),
    ])
    .join("\n");
}
