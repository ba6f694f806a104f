import { BufferPool, heapMemory } from "@sw/buffer";
import { arange, tensor, zeros } from "@sw/tensor";
import { expect, test } from "vitest";
import { decodeDescriptor, encodeDescriptor, encodeHurray, openHurray } from "../src/index.js";
import { bytesOf, randomOf, vectors } from "./support.js";

const SEED = 20260101;

/** Changes a few bytes, bits or 64-bit fields, cuts, or repeats a stretch. */
function mutate(bytes: Uint8Array, random: () => number, focus: number): Uint8Array {
  const out = bytes.slice();
  const pick = (n: number): number => Math.floor(random() * n);
  // Most of a file is padding and data; the places that decide lie at both ends.
  const place = (): number =>
    random() < 0.7 ? pick(Math.min(focus, out.length)) : out.length - 1 - pick(Math.min(focus, out.length));
  for (let k = 1 + pick(3); k > 0; k--) {
    const at = place();
    switch (pick(5)) {
      case 0:
        out[at] = pick(256);
        break;
      case 1:
        out[at] = out[at]! ^ (1 << pick(8));
        break;
      case 2:
        out.fill([0, 0xff, 0x7f, 0x80][pick(4)]!, at, at + 8);
        break;
      case 3:
        out.copyWithin(at, pick(out.length), pick(out.length));
        break;
      default:
        if (random() < 0.2) return out.slice(0, pick(out.length));
        out[at] = [0, 1, 2, 0x40, 0x7f, 0x80, 0xf0, 0xff][pick(8)]!;
    }
  }
  return out;
}

const TYPED = /^(SW_HURRAY_|SW_TENSOR_|SW_LAYOUT_|SW_BUFFER_)/;

test(`10,000 changed descriptors (seed ${SEED}) give errors of ours or descriptors that encode and decode to themselves`, () => {
  const random = randomOf(SEED);
  const seeds = vectors("descriptor", "odd-descriptor").map(bytesOf);
  let accepted = 0;
  for (let k = 0; k < 10_000; k++) {
    const bytes = mutate(seeds[k % seeds.length]!, random, 400);
    try {
      const descriptor = decodeDescriptor(bytes);
      const again = encodeDescriptor(descriptor);
      expect(decodeDescriptor(again)).toEqual(descriptor);
      accepted++;
    } catch (error) {
      const { code, stack } = error as { code?: string; stack?: string };
      if (code === undefined || !TYPED.test(code)) throw new Error(`mutation ${k}: ${stack}`);
    }
  }
  expect(accepted).toBeGreaterThan(100);
  expect(accepted).toBeLessThan(9_900);
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
        const t = await file.tensor(name, { memory: pool });
        read++;
        expect(t.buffer.byteLength).toBeLessThanOrEqual(8 * bytes.length);
        t.dispose();
      }
    } catch (error) {
      const { code, stack } = error as { code?: string; stack?: string };
      if (code === undefined || !TYPED.test(code)) throw new Error(`mutation ${k}: ${stack}`);
    }
  }
  expect(opened).toBeGreaterThan(100);
  expect(read).toBeGreaterThan(100);
  expect(pool.statistics().live).toBe(0);
});
