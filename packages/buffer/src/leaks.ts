import type { PoolAccount } from "./account.js";

/** Buffers rented at one place in a program that did not come back. @since 0.1.0 */
export interface Leak {
  /** The stack below the call that rented them; "" where the pool does not track sites. */
  readonly site: string;
  /** How many are out at this moment. */
  readonly live: number;
  /** How many were collected without having been released. */
  readonly forgotten: number;
  /** The bytes of both, in size classes. */
  readonly bytes: number;
}

/** Adds to the sums of a site. */
export function tally(sums: Map<string, Leak>, site: string, live: number, forgotten: number, bytes: number): void {
  const sum = sums.get(site) ?? { live: 0, forgotten: 0, bytes: 0 };
  sums.set(site, { site, live: sum.live + live, forgotten: sum.forgotten + forgotten, bytes: sum.bytes + bytes });
}

/** Sums up what is out and what was forgotten, by creation site, most bytes first. */
export function leaksOf({ counts, lost, out, trackSites }: PoolAccount): readonly Leak[] {
  const sums = new Map(lost);
  for (const { site, byteLength } of out) tally(sums, site, 1, 0, byteLength);
  if (!trackSites && counts.live > 0) tally(sums, "", counts.live, 0, counts.liveBytes);
  return [...sums.values()].sort((a, b) => b.bytes - a.bytes);
}
