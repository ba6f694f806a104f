// @ts-check
/** How many products and sums a check may cost. */
const EFFORT = 4e6;

/**
 * Compares values with a reference, as many of them as are cheap: all where an element costs little, else at least
 * 1000 that are spread evenly, the last among them. Gives the largest difference as a part of `scale`, by default of
 * the largest magnitude that was expected.
 *
 * @param {ArrayLike<number>} got
 * @param {object} reference
 * @param {number} reference.length
 * @param {(index: number) => number} reference.at - in float64.
 * @param {number} [reference.terms] - what an element costs.
 * @param {number} [reference.scale]
 */
export function deviation(got, { length, at, terms = 1, scale }) {
  if (got.length !== length) throw new Error(`wrong length: got ${got.length}, expected ${length}`);
  const count = Math.min(length, Math.max(1000, Math.floor(EFFORT / terms)));
  let largest = 0;
  let magnitude = 0;
  for (let k = 1; k <= count; k++) {
    const i = Math.floor((k * length) / count) - 1;
    const expected = at(i);
    // A NaN stays.
    largest = Math.max(largest, Math.abs((got[i] ?? Number.NaN) - expected));
    magnitude = Math.max(magnitude, Math.abs(expected));
  }
  return largest / (scale ?? magnitude);
}
