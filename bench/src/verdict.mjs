// @ts-check
import { quartiles, ratios } from "./statistics.mjs";

/**
 * What a row asks for, one of: at least `faster` times as fast as another (`best` is the fastest peer), at least the
 * part `share` of what the machine allows, or at most `atMost` of the row's unit.
 *
 * @typedef {{ faster: number, than: string } | { share: number, of: string } | { atMost: number }} Reach
 */

/**
 * What was measured of a row: a number a round for each contestant, less is better. `ours` and `peers` name contestants;
 * `limit` is one that shows what the machine allows, with how much of the same work it did.
 *
 * @typedef {object} Measured
 * @property {{ readonly [contestant: string]: readonly number[] }} samples
 * @property {string} ours
 * @property {readonly string[]} peers
 * @property {number} [work]
 * @property {{ readonly name: string, readonly work: number }} [limit]
 */

/** @typedef {"met" | "within spread" | "missed" | "not measured"} Verdict */

/**
 * The fastest of the peers that were measured.
 *
 * @param {Measured} measured
 */
export function bestPeer({ samples, peers }) {
  const median = (/** @type {string} */ name) => quartiles(samples[name] ?? []).median;
  return peers
    .filter((name) => (samples[name]?.length ?? 0) > 0)
    .reduce((/** @type {string | undefined} */ best, name) => {
      return best === undefined || median(name) < median(best) ? name : best;
    }, undefined);
}

/**
 * What a reach compares, more is better: how many times as fast, or which part of the limit. Of `atMost` it is the
 * measure itself. Undefined where something of it was not measured.
 *
 * @param {Reach} reach
 * @param {Measured} measured
 */
export function compared(reach, measured) {
  const { samples, ours, work = 1, limit } = measured;
  const own = samples[ours] ?? [];
  if (own.length === 0) return undefined;
  if ("atMost" in reach) return quartiles(own);
  const name = "share" in reach ? limit?.name : reach.than === "best" ? bestPeer(measured) : reach.than;
  const others = name === undefined ? undefined : samples[name];
  if (others === undefined || others.length === 0) return undefined;
  const scale = "share" in reach && limit !== undefined ? work / limit.work : 1;
  return quartiles(ratios(others, own).map((ratio) => ratio * scale));
}

/**
 * Judges a row by one reach: it is missed where the reach lies outside of the quartiles.
 *
 * @param {Reach} reach
 * @param {Measured} measured
 */
export function judge(reach, measured) {
  const got = compared(reach, measured);
  return { reach, got, verdict: verdictOf(reach, got) };
}

/** @returns {Verdict} */
function verdictOf(/** @type {Reach} */ reach, /** @type {ReturnType<typeof compared>} */ got) {
  if (got === undefined) return "not measured";
  if ("atMost" in reach) {
    if (got.median <= reach.atMost) return "met";
    return got.low <= reach.atMost ? "within spread" : "missed";
  }
  const wanted = "share" in reach ? reach.share : reach.faster;
  if (got.median >= wanted) return "met";
  return got.high >= wanted ? "within spread" : "missed";
}

const ORDER = ["met", "not measured", "within spread", "missed"];

/**
 * The worst of some verdicts.
 *
 * @param {readonly Verdict[]} verdicts
 */
export function worst(verdicts) {
  return verdicts.reduce((a, b) => (ORDER.indexOf(b) > ORDER.indexOf(a) ? b : a), "met");
}
