import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TensorValueError } from "../src/errors.js";
import { createGenerator, Generator, type GeneratorState, isGenerator } from "../src/generator.js";

function take<T>(count: number, draw: () => T): T[] {
  return Array.from({ length: count }, draw);
}

// Computed by a program of its own, in integers of any size.
const STATE_42 = [939911724, 3948730756, 321366731, 3317318717];
const UNIFORM_42 = [0.6606157208001621, 0.1117019639532224, 0.0791056456144914];
const INTEGER_42 = [6, 8, 4, 2, 3, 8];
const PERMUTATION_42 = [2, 6, 0, 4, 1, 7, 3, 5];

function codeOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error instanceof TensorValueError ? [error.code, error.given] : error;
  }
  return undefined;
}

describe("Generator", () => {
  test("draws the published numbers of xoshiro128** from the state 1, 2, 3, 4", () => {
    const generator = new Generator([1, 2, 3, 4]);
    expect(take(10, () => generator.bits())).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]);
  });

  test("the same seed gives the same numbers, for good", () => {
    const generator = createGenerator(42);
    expect(generator.state()).toEqual(STATE_42);
    expect(take(3, () => generator.uniform())).toEqual(UNIFORM_42);
    expect(take(6, () => generator.integer(10))).toEqual(INTEGER_42);
    expect([...generator.permutation(8)]).toEqual(PERMUTATION_42);
  });

  test("seeds that differ in their low or their high half give different numbers", () => {
    const seeds = [0, 1, 2, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 33, Number.MAX_SAFE_INTEGER];
    expect(new Set(seeds.map((seed) => createGenerator(seed).uniform())).size).toBe(seeds.length);
  });

  test("uniform numbers are multiples of 2^-53 in [0, 1) with the mean and spread of that interval", () => {
    const generator = createGenerator(1);
    const numbers = take(100_000, () => generator.uniform());
    expect(numbers.every((x) => x >= 0 && x < 1 && Number.isInteger(x * 2 ** 53))).toBe(true);
    const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length;
    // Five standard errors each.
    expect(Math.abs(mean - 0.5)).toBeLessThan((5 * Math.sqrt(1 / 12)) / Math.sqrt(numbers.length));
    expect(Math.abs(variance - 1 / 12)).toBeLessThan((5 * Math.sqrt(1 / 180)) / Math.sqrt(numbers.length));
  });

  test("normal numbers have mean 0, deviation 1 and the right share in the tails", () => {
    const generator = createGenerator(2);
    const numbers = take(100_000, () => generator.normal());
    const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    const variance = numbers.reduce((sum, x) => sum + x * x, 0) / numbers.length;
    const tail = numbers.filter((x) => Math.abs(x) > 1.959963984540054).length / numbers.length;
    expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(numbers.length));
    expect(Math.abs(variance - 1)).toBeLessThan((5 * Math.SQRT2) / Math.sqrt(numbers.length));
    expect(Math.abs(tail - 0.05)).toBeLessThan((5 * Math.sqrt(0.05 * 0.95)) / Math.sqrt(numbers.length));
  });

  test("integers below a bound are equally likely", () => {
    const generator = createGenerator(3);
    const counts = new Array<number>(7).fill(0);
    for (let k = 0; k < 70_000; k++) counts[generator.integer(7)]!++;
    // Chi squared with six degrees of freedom: 35 is passed once in 200,000 seeds.
    expect(counts.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0)).toBeLessThan(35);
  });

  test("integers reach the whole of a bound beyond 32 bits", () => {
    const generator = createGenerator(4);
    const bound = 3 * 2 ** 51;
    const numbers = take(300, () => generator.integer(bound));
    expect(numbers.every((x) => Number.isSafeInteger(x) && x >= 0 && x < bound)).toBe(true);
    for (const third of [0, 1, 2]) expect(numbers.some((x) => Math.floor(x / 2 ** 51) === third)).toBe(true);
    expect(generator.integer(1)).toBe(0);
    expect(generator.integer(Number.MAX_SAFE_INTEGER)).toBeLessThan(Number.MAX_SAFE_INTEGER);
    expect(generator.integer(2 ** 32)).toBeLessThan(2 ** 32);
  });

  test("a permutation holds every number once", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(), (n, seed) => {
        const order = createGenerator(seed).permutation(n);
        expect(order).toBeInstanceOf(Int32Array);
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, k) => k));
      }),
    );
  });

  test("all orders of three are equally likely", () => {
    const generator = createGenerator(5);
    const counts = new Map<string, number>();
    for (let k = 0; k < 12_000; k++) {
      const order = generator.permutation(3).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    // Chi squared with five degrees of freedom.
    expect([...counts.values()].reduce((sum, n) => sum + (n - 2000) ** 2 / 2000, 0)).toBeLessThan(33);
    expect(counts.size).toBe(6);
  });

  test("a state can be kept and gone back to, and a clone goes its own way", () => {
    const generator = createGenerator(6);
    generator.normal();
    const state: GeneratorState = JSON.parse(JSON.stringify(generator.state()));
    const clone = generator.clone();
    const first = take(5, () => generator.normal());
    expect(take(5, () => clone.normal())).toEqual(first);
    const resumed = new Generator(state);
    expect(take(5, () => resumed.normal())).toEqual(first);
    generator.restore(state);
    expect(take(5, () => generator.normal())).toEqual(first);
  });

  test("a generator is known by its brand", () => {
    expect(isGenerator(createGenerator(0))).toBe(true);
    expect([undefined, null, 5, {}].some(isGenerator)).toBe(false);
    expect(createGenerator(0)["@sw/tensor/Generator/1"]).toBe(true);
  });

  test("a seed that is not an integer is a TypeError, one out of range names the range", () => {
    for (const seed of [1.5, Number.NaN, Number.POSITIVE_INFINITY, "7", 7n, undefined, null]) {
      expect(() => createGenerator(seed as number)).toThrow(TypeError);
    }
    expect(codeOf(() => createGenerator(-1))).toEqual(["SW_TENSOR_OPTION", -1]);
    expect(codeOf(() => createGenerator(2 ** 53))).toEqual(["SW_TENSOR_OPTION", 2 ** 53]);
    expect(() => createGenerator(-1)).toThrow(
      "createGenerator: seed is out of range: got -1, expected 0 to 9007199254740991.",
    );
  });

  test("a bound or a length that makes no sense is refused, and nothing is drawn", () => {
    const generator = createGenerator(8);
    const before = generator.state();
    expect(codeOf(() => generator.integer(0))).toEqual(["SW_TENSOR_OPTION", 0]);
    expect(codeOf(() => generator.permutation(-1))).toEqual(["SW_TENSOR_OPTION", -1]);
    expect(codeOf(() => generator.permutation(2 ** 31))).toEqual(["SW_TENSOR_OPTION", 2 ** 31]);
    expect(() => generator.integer(2.5)).toThrow(TypeError);
    expect(() => generator.permutation("3" as unknown as number)).toThrow(TypeError);
    expect(generator.state()).toEqual(before);
  });

  test("a state that is none is refused, and the old one stays", () => {
    const generator = createGenerator(9);
    const before = generator.state();
    expect(codeOf(() => generator.restore([0, 0, 0, 0]))).toEqual(["SW_TENSOR_OPTION", [0, 0, 0, 0]]);
    expect(codeOf(() => generator.restore([1, 2, 3, 2 ** 32]))).toEqual(["SW_TENSOR_OPTION", 2 ** 32]);
    expect(() => generator.restore([1, 2, 3] as unknown as GeneratorState)).toThrow(TypeError);
    expect(() => new Generator("1234" as unknown as GeneratorState)).toThrow(TypeError);
    expect(generator.state()).toEqual(before);
  });
});
