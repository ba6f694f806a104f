// @ts-check
/** A number in three digits or so. */
export function short(/** @type {number} */ value) {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

/** @type {{ readonly [unit: string]: number }} */
const PER_NANOSECOND = { "GFLOP/s": 1, µs: 1e-3, ms: 1e-6 };

/** What a row keeps of a time: nanoseconds where its unit is a rate, else the unit. Less is better in either case. */
export function sampleOf(/** @type {string} */ unit, /** @type {number} */ nanoseconds) {
  return nanoseconds * (PER_NANOSECOND[unit] ?? 1);
}

/** A sample as it is shown: work a nanosecond of a rate, else itself. */
export function shown(
  /** @type {{ readonly unit: string, readonly work?: number }} */ { unit, work = 1 },
  /** @type {number} */ sample,
) {
  return unit === "GFLOP/s" ? work / sample : sample;
}

/** A reach in words. */
export function reachText(/** @type {import("./verdict.mjs").Reach} */ reach, unit = "") {
  if ("atMost" in reach) return `≤ ${short(reach.atMost)} ${unit}`;
  if ("share" in reach) return `≥ ${short(100 * reach.share)} % of ${reach.of}`;
  return `≥ ${short(reach.faster)}× ${reach.than}`;
}

/** What a reach compares, with its quartiles. */
export function gotText(
  /** @type {import("./verdict.mjs").Reach} */ reach,
  /** @type {{ low: number, median: number, high: number } | undefined} */ got,
) {
  if (got === undefined) return "–";
  const scale = "share" in reach ? 100 : 1;
  const suffix = "atMost" in reach ? "" : "share" in reach ? " %" : "×";
  const [low, median, high] = [got.low, got.median, got.high].map((value) => short(value * scale));
  return `${median}${suffix} [${low}–${high}]`;
}
