import type { Rule } from "../errors.js";

/** Integers of an index buffer, which are compared before they are used: beyond 2^53 they are not exact. */
export function integersOf(bits: 32 | 64, bytes: Uint8Array, count: number): Float64Array {
  const integers = new Float64Array(count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bits === 32) {
    for (let i = 0; i < count; i++) integers[i] = view.getUint32(i * 4, true);
  } else {
    for (let i = 0; i < count; i++) {
      integers[i] = view.getUint32(i * 8, true) + view.getUint32(i * 8 + 4, true) * 2 ** 32;
    }
  }
  return integers;
}

/** Searches ascending numbers of a range for one; -1 when it is not there. */
export function search(numbers: Float64Array, from: number, to: number, wanted: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low < to && numbers[low] === wanted ? low : -1;
}

/** Throws for integer `index` of a buffer, which breaks a rule. */
export type Fail = (
  rule: Rule,
  buffer: number,
  index: number,
  problem: string,
  given: unknown,
  expected: string,
) => never;

/** Pointers that start at 0, never decrease and end where they must: then each is inside what it points into. */
export function requirePointers(
  fail: Fail,
  rule: "R103" | "R106" | "R108",
  buffer: number,
  pointers: Float64Array,
  end: number | undefined,
): void {
  if (pointers[0] !== 0) fail(rule, buffer, 0, "pointers do not start at 0", pointers[0], "0");
  for (let i = 1; i < pointers.length; i++) {
    if (pointers[i]! < pointers[i - 1]!) {
      fail(rule, buffer, i, "a pointer decreases", pointers[i], `at least ${pointers[i - 1]}`);
    }
  }
  const last = pointers.length - 1;
  if (end !== undefined && pointers[last] !== end) {
    fail(rule, buffer, last, "pointers end elsewhere", pointers[last], `${end}`);
  }
}
