// @ts-check
/** The value below which the part `at` of the values lies, by straight lines between neighbours. */
function quantile(/** @type {readonly number[]} */ sorted, /** @type {number} */ at) {
  const place = at * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  const value = (/** @type {number} */ index) => sorted[index] ?? Number.NaN;
  return value(below) + (place - below) * (value(above) - value(below));
}

/**
 * The median and the quartiles around it.
 *
 * @param {readonly number[]} values - all NaN where there is none.
 */
export function quartiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) };
}

/**
 * How many times as long the first takes as the second, round by round: what disturbs a round disturbs both.
 *
 * @param {readonly number[]} theirs
 * @param {readonly number[]} ours
 */
export function ratios(theirs, ours) {
  const rounds = Math.min(theirs.length, ours.length);
  return Array.from({ length: rounds }, (_, round) => /** @type {number} */ (theirs[round]) / (ours[round] ?? 1));
}

/**
 * The values in a random order.
 *
 * @template T
 * @param {readonly T[]} values
 * @param {() => number} random - as Math.random.
 * @returns {T[]}
 */
export function shuffled(values, random) {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
