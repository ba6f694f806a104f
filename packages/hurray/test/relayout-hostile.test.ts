import { BufferPool, heapMemory } from "@sw/buffer";
import { expect, test } from "vitest";
import { loadCompound, storeCompound, valuesTensor } from "../src/compound/index.js";
import { type DescriptorLayout, decodeDescriptor, descriptorLength } from "../src/descriptor/index.js";
import type { StoredTensor } from "../src/stored.js";
import { checkData, type LayoutTarget, relayout, valuesOf } from "../src/values/index.js";
import { expectTyped, mutateSmall } from "./mutate.js";
import { bytesOf, randomOf, vectors } from "./support.js";
import { raw, split, valuesCases } from "./support-values.js";

const SEED = 20260102;
const KINDS = ["rowMajor", "columnMajor", "strided", "morton", "hilbert", "coo", "csr", "csc", "csf"] as const;
const LIMIT = { maximumBytes: 4000 };

const seeds = valuesCases("values", "lookup", "dequant", "invalid-buffers").map(bytesOf);

const descriptors = vectors("descriptor").map(bytesOf);

/** Layouts as others ask for them: those of changed descriptors. */
const layouts = (random: () => number): DescriptorLayout | undefined => {
  const bytes = mutateSmall(descriptors[Math.floor(random() * descriptors.length)]!, random);
  try {
    return decodeDescriptor(bytes, { accept: () => true }).layout;
  } catch {
    return undefined;
  }
};

test(`2,000 changed tensors (seed ${SEED}) are brought into other layouts, or refused by typed errors`, () => {
  const random = randomOf(SEED);
  const pool = new BufferPool({ source: heapMemory() });
  const outcomes = { moved: 0, parts: 0, values: 0, refused: 0 };
  const attempt = (k: number, outcome: keyof typeof outcomes, run: () => void): void => {
    try {
      run();
      outcomes[outcome]++;
    } catch (error) {
      expectTyped(error, k);
      outcomes.refused++;
    }
  };
  // Zeros that a sparse layout leaves out have no sign, those of a scale below 0 have.
  const valuesHex = (item: StoredTensor): string => {
    const { elements } = valuesOf(item, LIMIT);
    const isQuantised = item.descriptor.quantisation !== undefined;
    const values = isQuantised ? Float32Array.from(elements as Float32Array, (x) => x + 0) : elements;
    return Buffer.from(raw(values)).toString("hex");
  };
  for (let k = 0; k < 2000; k++) {
    const bytes = mutateSmall(seeds[k % seeds.length]!, random);
    let item: StoredTensor;
    try {
      const descriptor = decodeDescriptor(bytes);
      item = { descriptor, buffers: split(descriptor, bytes.slice(descriptorLength(bytes))) };
    } catch {
      continue;
    }
    const to: LayoutTarget = (random() < 0.3 && layouts(random)) || { kind: KINDS[k % KINDS.length]! };
    attempt(k, "moved", () => {
      const copy = relayout(item, to, LIMIT);
      checkData(copy);
      expect(copy.descriptor.layout.kind).toBe(to.kind);
      const back = relayout(copy, { kind: "rowMajor" }, LIMIT);
      expect(valuesHex(relayout(back, { kind: "coo" }, LIMIT))).toBe(valuesHex(back));
    });
    attempt(k, "values", () => valuesTensor(item, { memory: pool, ...LIMIT }).tensor.dispose());
    if (item.descriptor.quantisation === undefined) continue;
    attempt(k, "parts", () => {
      const compound = loadCompound(item, { memory: pool });
      storeCompound(compound);
      compound.dispose();
    });
  }
  expect(Object.values(outcomes).every((times) => times > 20)).toBe(true);
  expect(pool.statistics().live).toBe(0);
});
