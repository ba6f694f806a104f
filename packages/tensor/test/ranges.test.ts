import { arange, linspace, type Tensor, tensor } from "@sw/tensor";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import vectors from "./vectors/numpy-creation.json" with { type: "json" };

const cases = vectors.cases as readonly { kind: string; args: number[]; endpoint?: boolean; out: number[] }[];
const dtype = "float64";

describe("linspace", () => {
  const rows = cases.filter(({ kind }) => kind === "linspace");

  test.each(rows)("of $args, endpoint $endpoint, is NumPy's", ({ args, endpoint, out }) => {
    const [start, end, count] = args as [number, number, number];
    expect(linspace(start, end, count, { dtype, endpoint: endpoint! }).toArray()).toEqual(out);
  });

  test("begins and ends exactly, and stays between", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, fc.integer({ min: 2, max: 50 }), (start, end, count) => {
        const x = [...linspace(start, end, count, { dtype }).data()];
        expect([x[0], x.at(-1)]).toEqual([start, end]);
        for (let i = 1; i < count - 1; i++) {
          expect(x[i]).toBeGreaterThanOrEqual(Math.min(start, end));
          expect(x[i]).toBeLessThanOrEqual(Math.max(start, end));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("rounds once to the dtype, and an integer dtype takes integers only", () => {
    expectTypeOf(linspace(0, 1, 3)).toEqualTypeOf<Tensor<"float32">>();
    expect(linspace(0, 1, 4).data()).toEqual(Float32Array.of(0, 1 / 3, 2 / 3, 1));
    expect(linspace(0, 6, 4, { dtype: "int64" }).toArray()).toEqual([0n, 2n, 4n, 6n]);
    expect(() => linspace(0, 1, 3, { dtype: "int32" })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE", given: 0.5, position: 1 }),
    );
  });

  test.each([
    [0, 1, 2.5, TypeError],
    [0, 1, undefined, TypeError],
    ["0", 1, 3, TypeError],
    [0, 1n, 3, TypeError],
  ])("of %j, %s, %j is a TypeError", (start, end, count, type) => {
    expect(() => linspace(start as never, end as never, count as never)).toThrow(type);
  });

  test("bounds that are not finite and counts that are not possible are refused by code", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => linspace(0, bad, 3)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OPTION", given: [0, bad] }));
    }
    expect(() => linspace(0, 1, -1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID", given: -1 }));
    expect(() => linspace(0, 1, 2 ** 30)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
  });
});

describe("arange", () => {
  const rows = cases.filter(({ kind }) => kind === "arange");

  test.each(rows)("of $args is NumPy's", ({ args, out }) => {
    const [start, end, step] = args as [number, number, number];
    expect(arange(start, end, step, { dtype }).toArray()).toEqual(out);
  });

  test("field case 24: int64 counts in bigints", () => {
    expect(arange(2, 4, 1, { dtype: "int64" }).toArray()).toEqual([2n, 3n]);
  });

  test("more numbers than a tensor holds are refused before any is made", () => {
    for (const [start, end, step] of [
      [0, 2 ** 31, 1],
      [0, 1e308, 1e-300],
      [-1.5e308, 1.5e308, 1],
    ]) {
      expect(() => arange(start!, end, step)).toThrow(
        expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT", expected: 2 ** 31 - 1 }),
      );
    }
    expect(arange(-1.5e308, 1.5e308, 1.5e308, { dtype }).toArray()).toEqual([-1.5e308, 0]);
  });

  test("a step of 0, and what is not finite, is refused by code", () => {
    expect(() => arange(0, 1, 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OPTION", given: [0, 1, 0] }));
    expect(() => arange(Number.POSITIVE_INFINITY)).toThrow(expect.objectContaining({ code: "SW_TENSOR_OPTION" }));
    expect(() => arange(tensor(3) as never)).toThrow(TypeError);
  });
});
