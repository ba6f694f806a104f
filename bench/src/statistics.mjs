/** The value below which the part `at` of the values lies, by straight lines between neighbours. */
function quantile(sorted, at) {
  const place = at * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/**
 * The median and the quartiles around it.
 *
 * @param {readonly number[]} values - at least one.
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
  return theirs.slice(0, ours.length).map((time, round) => time / ours[round]);
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
  const out = [...values];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}
