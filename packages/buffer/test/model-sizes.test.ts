import { describe, expect, test } from "vitest";
import { byteSizes, gpt2Small, resNet50 } from "./model-sizes.js";

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

describe("tensor sizes of models", () => {
  test("ResNet-50 has 161 parameter tensors of 25,557,032 elements, GPT-2 small 148 of 124,439,808", () => {
    const [resNet, gpt2] = [resNet50(1), gpt2Small(1, 1024)];
    expect([resNet.parameters.length, sum(resNet.parameters)]).toEqual([161, 25_557_032]);
    expect([gpt2.parameters.length, sum(gpt2.parameters)]).toEqual([148, 124_439_808]);
  });

  test("activations grow with the batch, and attention with the square of the length", () => {
    expect(sum(resNet50(4).activations)).toBe(4 * sum(resNet50(1).activations));
    expect(sum(gpt2Small(4, 64).activations)).toBe(4 * sum(gpt2Small(1, 64).activations));
    const quadratic = sum(gpt2Small(1, 128).activations) - 2 * sum(gpt2Small(1, 64).activations);
    expect(quadratic).toBe(2 * 12 * 12 * (128 ** 2 - 2 * 64 ** 2));
  });

  test("sizes are the bytes of float32, from a bias to the token embedding", () => {
    const sizes = byteSizes(gpt2Small(4, 64));
    expect(Math.min(...sizes)).toBe(4 * 768);
    expect(Math.max(...sizes)).toBe(4 * 50_257 * 768);
    expect(Math.max(...byteSizes(resNet50(4)))).toBe(4 * 4 * 64 * 112 * 112);
  });
});
