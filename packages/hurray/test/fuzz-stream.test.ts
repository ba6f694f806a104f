import { expect, test } from "vitest";
import { itemBytes, readItems, type StoredItem } from "../src/stream/index.js";
import { expectTyped, mutate } from "./mutate.js";
import { bytesOf, randomOf, vectors } from "./support.js";

const SEED = 20260102;

/** Bytes that an item keeps. */
function kept(item: StoredItem): number {
  if ("members" in item) return item.members.reduce((sum, member) => sum + kept(member), 0);
  return item.buffers.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

test(`10,000 changed streams (seed ${SEED}) give errors of ours or items that are written as they were read`, async () => {
  const random = randomOf(SEED);
  const seeds = vectors("stream", "invalid-stream", "stream-cut").map(bytesOf);
  const outcomes = { whole: 0, refused: 0, composites: 0 };
  for (let k = 0; k < 10_000; k++) {
    const bytes = mutate(seeds[k % seeds.length]!, random, 600);
    const items: StoredItem[] = [];
    try {
      for await (const item of readItems([bytes])) items.push(item);
      outcomes.whole++;
    } catch (error) {
      expectTyped(error, k);
      outcomes.refused++;
    }
    outcomes.composites += items.filter((item) => "members" in item).length;
    // Each item has at least a descriptor of 20 bytes, and a buffer at most the bytes that arrived for it.
    expect(items.reduce((sum, item) => sum + kept(item), 0)).toBeLessThanOrEqual(bytes.byteLength);
    const again: StoredItem[] = [];
    for await (const item of readItems(itemBytes(items, { allowDynamic: true }))) again.push(item);
    expect(again).toEqual(items);
  }
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(300);
});
