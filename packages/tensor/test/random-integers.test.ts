import { bernoulli, createGenerator, permutation, randint, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";

const option = expect.objectContaining({ code: "SW_TENSOR_OPTION" });
const refused = expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" });

describe("bernoulli", () => {
  test("the same seed draws the same, from the generator's uniform numbers", () => {
    const drawn = bernoulli([2, 3], { p: 0.5, seed: 7 });
    const g = createGenerator(7);
    expect(drawn.dtype).toBe("bool");
    expect([...drawn.data()]).toEqual(Array.from({ length: 6 }, () => (g.uniform() < 0.5 ? 1 : 0)));
    expect(bernoulli([6], { p: 0.5, generator: createGenerator(7), dtype: "float16" }).toArray()).toEqual(
      [...drawn.data()].map(Number),
    );
  });

  test("is never true for 0, always for 1, and about as often as it says", () => {
    expect([...bernoulli([100], { p: 0, seed: 1 }).data()]).not.toContain(1);
    expect([...bernoulli([100], { p: 1, seed: 1 }).data()]).not.toContain(0);
    const count = [...bernoulli([10_000], { p: 0.3, seed: 5 }).data()].filter((x) => x === 1).length;
    // Six deviations of √(10000 · 0.3 · 0.7).
    expect(Math.abs(count - 3000)).toBeLessThan(6 * 46);
  });

  test("a generator goes on", () => {
    const generator = createGenerator(3);
    const first = bernoulli([64], { p: 0.5, generator });
    const second = bernoulli([64], { p: 0.5, generator });
    expect([...first.data()]).not.toEqual([...second.data()]);
  });

  test("refuses what is no probability", () => {
    for (const p of [-0.1, 1.1, NaN, Infinity]) expect(() => bernoulli([1], { p, seed: 1 })).toThrow(option);
    expect(() => bernoulli([1], { p: "1" as never, seed: 1 })).toThrow(TypeError);
    expect(() => bernoulli([1], { seed: 1 } as never)).toThrow(TypeError);
    expect(() => bernoulli([1], { p: 0.5 } as never)).toThrow(/come of a seed or of a generator/);
    expect(() => bernoulli([1], { p: 0.5, seed: 1, dtype: "half" as never })).toThrow(TypeError);
  });
});

describe("randint", () => {
  test("draws from low on and below high, as the generator's integers", () => {
    const drawn = randint([50], { low: -3, high: 4, seed: 11 });
    const g = createGenerator(11);
    expect(drawn.dtype).toBe("int32");
    expect([...drawn.data()]).toEqual(Array.from({ length: 50 }, () => -3 + g.integer(7)));
    expect(new Set(drawn.data())).toEqual(new Set([-3, -2, -1, 0, 1, 2, 3]));
  });

  test("holds every integer of a dtype, 64-bit ones within 2^53", () => {
    expect(randint([3], { low: 255, high: 256, seed: 1, dtype: "uint8" }).toArray()).toEqual([255, 255, 255]);
    const wide = randint([4], { low: -(2 ** 52), high: 2 ** 52 - 1, seed: 2, dtype: "int64" });
    const g = createGenerator(2);
    expect(wide.toArray()).toEqual(Array.from({ length: 4 }, () => BigInt(-(2 ** 52) + g.integer(2 ** 53 - 1))));
  });

  test("refuses bounds that are none, or that the dtype cannot hold", () => {
    for (const [low, high] of [
      [0, 0],
      [2, 1],
      [0.5, 3],
      [0, Infinity],
      [-(2 ** 53), 2],
      [-(2 ** 52), 2 ** 53 - 1],
    ] as const) {
      expect(() => randint([1], { low, high, seed: 1, dtype: "int64" })).toThrow(option);
    }
    expect(() => randint([1], { high: 257, seed: 1, dtype: "uint8" })).toThrow(option);
    expect(() => randint([1], { low: -1, high: 2, seed: 1, dtype: "uint64" })).toThrow(option);
    expect(() => randint([1], { high: 2, seed: 1, dtype: "float32" })).toThrow(refused);
    expect(() => randint([1], { high: 2, seed: 1, dtype: "bool" })).toThrow(refused);
    expect(() => randint([1], { seed: 1 } as never)).toThrow(TypeError);
    expect(() => randint([1], { high: 2 } as never)).toThrow(TypeError);
  });
});

describe("permutation", () => {
  test("is the generator's order of the integers below n", () => {
    const order = permutation(10, { seed: 4 });
    expect(order.dtype).toBe("int32");
    expect([...order.data()]).toEqual([...createGenerator(4).permutation(10)]);
    expect([...order.data()].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(permutation(2, { seed: 4, dtype: "int64" }).toArray()).toEqual(
      [...createGenerator(4).permutation(2)].map(BigInt),
    );
    expect(permutation(0, { seed: 4 }).shape).toEqual([0]);
  });

  test("refuses a number of integers that there is not", () => {
    for (const n of [-1, 2 ** 31]) expect(() => permutation(n, { seed: 1 })).toThrow(option);
    for (const n of [0.5, "3", tensor(3)]) expect(() => permutation(n as never, { seed: 1 })).toThrow(TypeError);
    expect(() => permutation(3, { seed: 1, dtype: "float32" })).toThrow(refused);
    expect(() => permutation(300, { seed: 1, dtype: "uint8" })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE" }),
    );
    expect(() => permutation(3, {} as never)).toThrow(/^permutation: numbers come of a seed/);
  });
});
