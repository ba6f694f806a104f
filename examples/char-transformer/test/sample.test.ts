import { jsKernels } from "@sw/kernels-js";
import { createArena, createGenerator, setKernels } from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";
import { draw, sampleText } from "../src/sample.js";
import { ALPHABET, smallTraining } from "./support.js";

beforeAll(() => setKernels(jsKernels));

describe("draw", () => {
  test("takes the index whose stretch of [0, 1) the number is in", () => {
    expect([0, 0.24, 0.25, 0.74, 0.75, 0.999].map((x) => draw([0.25, 0.5, 0.25], x))).toEqual([0, 0, 1, 1, 2, 2]);
  });
  test("never takes what has no probability, and stays inside where the sum is rounded below 1", () => {
    expect(draw([0, 1], 0)).toBe(1);
    expect(draw([0.3, 0.3, 0.3], 0.95)).toBe(2);
  });
});

describe("sampleText", () => {
  const options = (seed: number, temperature = 1) => ({
    length: 40,
    temperature,
    generator: createGenerator(seed),
    arena: createArena(),
  });

  test("continues a prompt, also beyond the context, by characters of the alphabet", () => {
    const { model } = smallTraining();
    const text = sampleText(model, ALPHABET, "row, ", options(1));
    expect(text).toHaveLength(45);
    expect(text.startsWith("row, ")).toBe(true);
    expect(() => ALPHABET.encode(text)).not.toThrow();
  });
  test("the same seed writes the same; near temperature 0 every seed does", () => {
    const { model } = smallTraining();
    const write = (seed: number, temperature: number) => sampleText(model, ALPHABET, "r", options(seed, temperature));
    expect(write(1, 1)).toBe(write(1, 1));
    expect(write(1, 1)).not.toBe(write(2, 1));
    expect(write(1, 0.001)).toBe(write(2, 0.001));
  });
});
