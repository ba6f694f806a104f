import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bound, type Facts, keepsTo, showBound } from "../src/bounds.js";
import { kernelModels } from "../src/kernels/models.js";
import { ulpOf } from "../src/values.js";

const MODELS = kernelModels();
const boundOf = (kernel: string): Bound => MODELS.find(({ spec }) => spec.kind === kernel)!.bound;
const exactBoundOf = (kernel: string): Bound => MODELS.find(({ spec }) => spec.kind === kernel)!.exactBound!;
const EXACT = MODELS.flatMap(({ spec, exactBound }) => (exactBound === undefined ? [] : [spec.kind]));

const facts: Facts = { terms: 4, magnitude: 10, distance: 0 };
const ulp2: Bound = boundOf("exp");
const sum: Bound = boundOf("sum");

describe("keepsTo", () => {
  test.each(["add", "exp", "sum", "matmul", "softmax"])(
    "%s: NaN is met by NaN only, an infinity by itself",
    (kernel) => {
      const bound = boundOf(kernel);
      for (const [got, expected, ok] of [
        [Number.NaN, Number.NaN, true],
        [1, Number.NaN, false],
        [Number.NaN, 1, false],
        [Infinity, Infinity, true],
        [-Infinity, Infinity, false],
        [3e38, Infinity, false],
        [Infinity, 3, false],
      ] as const) {
        expect(keepsTo(bound, "float32", got, expected, facts)).toBe(ok);
        expect(keepsTo(bound, "float64", got, expected, facts)).toBe(ok);
      }
    },
  );

  test("integers are exact under every bound", () => {
    expect(keepsTo(sum, "int64", 5n, 5n, facts)).toBe(true);
    expect(keepsTo(sum, "int64", 6n, 5n, facts)).toBe(false);
    expect(keepsTo(sum, "int32", 6, 5, facts)).toBe(false);
  });

  test("a rounded result has one bit pattern, the sign of zero included", () => {
    const bound = boundOf("add");
    expect(keepsTo(bound, "float32", Math.fround(0.1), 0.1, facts)).toBe(true);
    expect(keepsTo(bound, "float32", Math.fround(0.1) + 2 ** -27, 0.1, facts)).toBe(false);
    expect(keepsTo(bound, "float32", 0, -0, facts)).toBe(false);
    expect(keepsTo(bound, "float16", 0.0999755859375, 0.1, facts)).toBe(true);
  });

  test("2 ulp are taken, 3 are not; and the largest number is beside infinity", () => {
    const x = 1.5;
    const ulp = ulpOf("float32", x);
    expect(keepsTo(ulp2, "float32", x + 2 * ulp, x, facts)).toBe(true);
    expect(keepsTo(ulp2, "float32", x + 3 * ulp, x, facts)).toBe(false);
    expect(keepsTo(ulp2, "float32", Infinity, 3.4028234e38, facts)).toBe(true);
    expect(keepsTo(ulp2, "float32", Infinity, 3.3e38, facts)).toBe(false);
    expect(keepsTo(ulp2, "float32", -0, 0, facts)).toBe(false);
  });

  test("field case 17: a sum may be off by 64 at most where 16777216 meets a thousand ones", () => {
    const large: Facts = { terms: 1001, magnitude: 16778216, distance: 0 };
    expect(keepsTo(sum, "float32", 16778216, 16778216, large)).toBe(true);
    expect(keepsTo(sum, "float32", 16778216 - 64, 16778216, large)).toBe(false);
    expect(keepsTo(sum, "float32", 16777216, 16778216, large)).toBe(false);
  });

  test("the sign of a zero that was added up is open, except for an exact set", () => {
    expect(keepsTo(sum, "float32", -0, 0, facts)).toBe(true);
    expect(keepsTo(exactBoundOf("sum"), "float32", -0, 0, facts)).toBe(false);
  });

  test("an exact set is never allowed more than a conforming one", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...EXACT),
        fc.double({ min: -100, max: 100, noNaN: true }),
        fc.integer({ min: -400, max: 400 }),
        fc.integer({ min: 1, max: 100 }),
        (kernel, expected, ulps, terms) => {
          const got = Math.fround(expected + ulps * ulpOf("float32", expected));
          const known: Facts = { terms, magnitude: Math.abs(expected), distance: 1 };
          if (keepsTo(exactBoundOf(kernel), "float32", got, expected, known)) {
            expect(keepsTo(boundOf(kernel), "float32", got, expected, known)).toBe(true);
          }
        },
      ),
    );
  });
});

describe("showBound", () => {
  test("writes the formula and the number", () => {
    expect(showBound(boundOf("add"), "int32", 1, facts)).toBe("exact");
    expect(showBound(boundOf("add"), "float32", 1, facts)).toBe("the exact result, rounded once");
    expect(showBound(ulp2, "float32", 1, facts)).toBe(`2 ulp, |error| <= ${2 ** -22}`);
    expect(showBound(sum, "float32", Infinity, facts)).toBe("exactly this");
    expect(showBound(sum, "float32", 1, facts)).toMatch(
      /^½ ulp \+ \(16 \+ 2·⌈log2 n⌉\)·u·\(Σ\|x\|\), u of float32, n = 4/,
    );
    expect(showBound(sum, "float64", 1, facts)).toMatch(
      /^½ ulp \+ \(16 \+ 1·n \+ 2·⌈log2 n⌉\)·u·\(Σ\|x\|\), u of float64/,
    );
    expect(showBound(boundOf("softmax"), "float32", 1, facts)).toContain("1·(max − x)");
  });
});
