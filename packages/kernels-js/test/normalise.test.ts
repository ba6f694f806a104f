import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allocate, expectSame, FLOATS, inputOf, operand, placings, read, rounded, run } from "./operands.js";

function softmax(line: readonly number[]): number[] {
  const max = line.reduce((best, x) => (x > best ? x : best), -Infinity);
  const powers = line.map((x) => Math.exp(x - max));
  const sum = powers.reduce((total, e) => total + e, 0);
  return powers.map((e) => e / sum);
}

function logSoftmax(line: readonly number[]): number[] {
  const max = line.reduce((best, x) => (x > best ? x : best), -Infinity);
  const logarithm = Math.log(line.reduce((total, x) => total + Math.exp(x - max), 0));
  return line.map((x) => x - max - logarithm);
}

const MODELS = { softmax, logSoftmax };

describe("softmax and logSoftmax", () => {
  for (const [name, model] of Object.entries(MODELS)) {
    for (const dtype of FLOATS) {
      it(`${name} of ${dtype} is the float64 row, each element rounded once`, () => {
        const cases = fc
          .array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 })
          .chain((shape) => fc.record({ shape: fc.constant(shape), input: inputOf(dtype, shape), placing: placings }));
        fc.assert(
          fc.property(cases, ({ shape, input, placing }) => {
            const out = allocate(dtype, shape, placing);
            run(name, [out], [input], [shape.length - 1]);
            const n = shape.at(-1)!;
            const values = read(input) as number[];
            const rows =
              n === 0 ? [] : Array.from({ length: values.length / n }, (_, i) => values.slice(i * n, i * n + n));
            expectSame(
              read(out),
              rows.flatMap((row) => model(row).map((x) => rounded(dtype, x))),
            );
          }),
        );
      });
    }
  }

  it("rows of -Infinity alone, with NaN, or with +Infinity are NaN throughout", () => {
    const values = [-Infinity, -Infinity, NaN, 0, Infinity, 0];
    for (const name of ["softmax", "logSoftmax"]) {
      const out = allocate("float32", [3, 2]);
      run(name, [out], [operand("float32", [3, 2], values)], [1]);
      expectSame(read(out), [NaN, NaN, NaN, NaN, NaN, NaN]);
    }
  });

  it("large inputs do not overflow, and small probabilities keep their logarithm", () => {
    const out = allocate("float32", [2]);
    run("logSoftmax", [out], [operand("float32", [2], [0, 1e30])], [0]);
    expectSame(read(out), [-Math.fround(1e30), 0]);
    run("softmax", [out], [operand("float32", [2], [1e30, 1e30])], [0]);
    expectSame(read(out), [0.5, 0.5]);
  });

  it("work in place, on rows longer than before", () => {
    for (const n of [3, 100, 1000]) {
      const line = Array.from({ length: n }, (_, i) => Math.fround(Math.sin(i)));
      const t = operand("float32", [1, n], line, "reversed");
      run("softmax", [t], [t], [1]);
      expectSame(
        read(t),
        softmax(line).map((x) => Math.fround(x)),
      );
      expect((read(t) as number[]).reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 5);
    }
  });
});
