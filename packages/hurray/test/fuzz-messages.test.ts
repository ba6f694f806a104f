import { expect, test } from "vitest";
import { decodeMessage, encodeMessage, receiveItems } from "../src/messages/index.js";
import { expectTyped, mutate } from "./mutate.js";
import { bytesOf, randomOf, vectors } from "./support.js";

const SEED = 20260103;

test(`10,000 changed messages and exchanges (seed ${SEED}) give errors of ours or what is written again`, async () => {
  const random = randomOf(SEED);
  const whole = vectors("exchange").map(bytesOf);
  const seeds = [...vectors("message", "invalid-exchange").map(bytesOf), ...whole, ...whole, ...whole];
  let messages = 0;
  let items = 0;
  for (let k = 0; k < 10_000; k++) {
    const bytes = mutate(seeds[k % seeds.length]!, random, 200);
    try {
      const message = decodeMessage(bytes);
      expect(decodeMessage(encodeMessage(message))).toEqual(message);
      messages++;
    } catch (error) {
      expectTyped(error, k);
    }
    try {
      const from = k % 2 === 0 ? "server" : "client";
      for await (const { item } of receiveItems([bytes], { from, greeted: true })) {
        const held = "buffers" in item ? item.buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0) : 0;
        expect(held).toBeLessThanOrEqual(bytes.length);
        items++;
      }
    } catch (error) {
      expectTyped(error, k);
    }
  }
  expect(messages).toBeGreaterThan(100);
  expect(items).toBeGreaterThan(100);
});
