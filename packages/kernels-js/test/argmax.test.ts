import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KernelEmptyAxisError } from "../src/index.js";
import { allocate, expectSame, FLOATS, INTEGERS, inputOf, kernel, operand, placings, read, run } from "./operands.js";

describe("argmax", () => {
  for (const dtype of [...FLOATS, ...INTEGERS]) {
    it(`of ${dtype}: the first of the largest, the first NaN before all`, () => {
      const cases = fc
        .record({
          outer: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 2 }),
          n: fc.integer({ min: 1, max: 6 }),
        })
        .chain(({ outer, n }) =>
          fc.record({
            outer: fc.constant(outer),
            n: fc.constant(n),
            input: inputOf(dtype, [...outer, n]),
            placing: placings,
          }),
        );
      fc.assert(
        fc.property(cases, ({ outer, n, input, placing }) => {
          const out = allocate("int64", outer, placing);
          run("argmax", [out], [input]);
          const values = read(input);
          const winners = read(out).map((_, row) => {
            const line = values.slice(row * n, row * n + n);
            const nan = line.findIndex((x) => Number.isNaN(x));
            if (nan >= 0) return BigInt(nan);
            return BigInt(line.findIndex((x) => line.every((y) => y <= x)));
          });
          expectSame(read(out), winners);
        }),
        { numRuns: 60 },
      );
    });
  }

  it("of integers that a float64 cannot tell apart", () => {
    const out = allocate("int64", []);
    run("argmax", [out], [operand("int64", [3], [2n ** 53n, 2n ** 53n + 1n, 2n ** 53n])]);
    expectSame(read(out), [1n]);
  });

  it("of a row of -Infinity is its first element", () => {
    const out = allocate("int64", []);
    run("argmax", [out], [operand("float32", [3], [-Infinity, -Infinity, -Infinity])]);
    expectSame(read(out), [0n]);
  });

  it("of an empty axis is refused, and nothing is written", () => {
    const out = operand("int64", [2], [7n, 8n]);
    const call = () => kernel("argmax")([out], [operand("float32", [2, 0], [])], [1], []);
    expect(call).toThrow(KernelEmptyAxisError);
    expect(call).toThrow("argmax: the axis has no element: got shape [2,0], expected an extent of at least 1.");
    try {
      call();
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      expect(error).toMatchObject({ code: "SW_KERNELS_EMPTY_AXIS", shape: [2, 0], name: "KernelEmptyAxisError" });
    }
    expectSame(read(out), [7n, 8n]);
    run("argmax", [allocate("int64", [0])], [operand("float32", [0, 0], [])]);
  });
});
