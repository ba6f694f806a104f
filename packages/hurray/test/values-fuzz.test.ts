import { expect, test } from "vitest";
import { decodeDescriptor, descriptorLength } from "../src/descriptor/index.js";
import { checkData, elementPlace, sparsePosition, valueAt, valuesOf } from "../src/values/index.js";
import { bytesOf, randomOf } from "./support.js";
import { split, valuesCases } from "./support-values.js";

const SEED = 20261130;
const TYPED = /^SW_(HURRAY|LAYOUT)_/;

/** Changes a few bytes, more often those of the descriptor and of small numbers than others. */
function mutate(bytes: Uint8Array, random: () => number): Uint8Array {
  const out = bytes.slice();
  const pick = (n: number): number => Math.floor(random() * n);
  for (let k = 1 + pick(3); k > 0; k--) {
    const at = pick(out.length);
    if (random() < 0.3) out.fill([0, 0xff, 0x7f, 0x80][pick(4)]!, at, at + 8);
    else out[at] = random() < 0.5 ? pick(6) : pick(256);
  }
  return out;
}

test(`10,000 changed tensors (seed ${SEED}) give errors of ours or values`, () => {
  const random = randomOf(SEED);
  const seeds = valuesCases("values", "lookup", "dequant", "invalid-buffers").map(bytesOf);
  let read = 0;
  let refused = 0;
  for (let k = 0; k < 10_000; k++) {
    const bytes = mutate(seeds[k % seeds.length]!, random);
    try {
      const descriptor = decodeDescriptor(bytes);
      const item = { descriptor, buffers: split(descriptor, bytes.subarray(descriptorLength(bytes))) };
      checkData(item, { mode: "permissive" });
      const { elements, shape } = valuesOf(item, { maximumBytes: 4000 });
      read++;
      if (elements.length === 0) continue;
      const coordinate = shape.map((extent) => Math.floor(random() * extent));
      const { kind } = descriptor.layout;
      if (kind === "coo" || kind === "csf" || kind === "csr" || kind === "csc") sparsePosition(item, coordinate);
      else if (kind !== "blockPaged") elementPlace(descriptor, coordinate);
      if (kind !== "blockPaged") valueAt(item, coordinate);
    } catch (error) {
      const { code, stack } = error as { code?: string; stack?: string };
      if (code === undefined || !TYPED.test(code)) throw new Error(`mutation ${k}: ${stack}`);
      refused++;
    }
  }
  expect(read).toBeGreaterThan(1000);
  expect(refused).toBeGreaterThan(1000);
});
