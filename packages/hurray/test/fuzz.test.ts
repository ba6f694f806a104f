import { BufferPool, heapMemory } from "@sw/buffer";
import { arange, tensor, zeros } from "@sw/tensor";
import { expect, test } from "vitest";
import { decodeDescriptor, encodeDescriptor, encodeHurray, openHurray } from "../src/index.js";
import { memberNames, readItem } from "../src/stream/index.js";
import { expectTyped, mutate } from "./mutate.js";
import { bytesOf, randomOf, vectors } from "./support.js";

const SEED = 20260101;

test(`10,000 changed descriptors (seed ${SEED}) give errors of ours or descriptors that encode and decode to themselves`, () => {
  const random = randomOf(SEED);
  const seeds = vectors("descriptor", "odd-descriptor").map(bytesOf);
  const strict = { accept: () => true };
  const permissive = { mode: "permissive" } as const;
  let accepted = 0;
  let opaque = 0;
  for (let k = 0; k < 10_000; k++) {
    const bytes = mutate(seeds[k % seeds.length]!, random, 400);
    for (const options of [strict, permissive]) {
      try {
        const descriptor = decodeDescriptor(bytes, options);
        const again = encodeDescriptor(descriptor);
        expect(decodeDescriptor(again, options)).toEqual(descriptor);
        accepted++;
        if (descriptor.opaque) opaque++;
      } catch (error) {
        expectTyped(error, k);
      }
    }
  }
  expect(accepted).toBeGreaterThan(200);
  expect(accepted).toBeLessThan(19_800);
  expect(opaque).toBeGreaterThan(100);
});

test(`10,000 changed files (seed ${SEED}) give errors of ours or tensors, and return their memory`, async () => {
  const random = randomOf(SEED);
  const pool = new BufferPool({ source: heapMemory() });
  const tensors = { w: arange(6).reshape([2, 3]).T, m: tensor([true, false]), e: zeros([0, 3]) };
  const own = encodeHurray(tensors, { metadata: { a: 1, b: "x", c: [1n, 2n] } });
  const small = vectors("file")
    .map(bytesOf)
    .filter((b) => b.length < 30_000);
  const seeds = [own, ...small];
  let opened = 0;
  let read = 0;
  let composites = 0;
  for (let k = 0; k < 10_000; k++) {
    const bytes = mutate(seeds[k % seeds.length]!, random, 300);
    // Without its checksum the index is reached by mutations too.
    if (k % 2 === 0 && bytes.length > 104) {
      bytes[12] = bytes[12]! & ~4;
      bytes.fill(0, bytes.length - 12, bytes.length - 8);
    }
    try {
      const file = await openHurray(bytes);
      opened++;
      for (const name of file.names()) {
        if ((await memberNames(file, name)).length > 0) {
          await readItem(file, name);
          composites++;
          continue;
        }
        const t = await file.tensor(name, { memory: pool });
        read++;
        expect(t.buffer.byteLength).toBeLessThanOrEqual(8 * bytes.length);
        t.dispose();
      }
    } catch (error) {
      expectTyped(error, k);
    }
  }
  expect(opened).toBeGreaterThan(100);
  expect(read).toBeGreaterThan(100);
  expect(composites).toBeGreaterThan(100);
  expect(pool.statistics().live).toBe(0);
});
