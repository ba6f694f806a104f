import fc from "fast-check";
import { describe, it } from "vitest";
import { type DType, expectSame, FLOATS, operand, PLACINGS, placings, read, rounded, run } from "./operands.js";

interface Step {
  readonly rate: number;
  readonly momentum: number;
  readonly decay: number;
  readonly nesterov: boolean;
}

/** The formula of the kernel's documentation, for one element. */
function model(dtype: DType, p: number, v: number, g: number, s: Step): { p: number; v: number } {
  const d = s.decay === 0 ? g : g + s.decay * p;
  const velocity = s.momentum * v + d;
  const step = s.nesterov ? d + s.momentum * velocity : velocity;
  return { p: rounded(dtype, p - s.rate * step), v: rounded(dtype, velocity) };
}

const numbers = fc.array(
  fc.double({ min: -4, max: 4, noNaN: true }).map((x) => Math.fround(x)),
  { minLength: 6, maxLength: 6 },
);
const steps: fc.Arbitrary<Step> = fc.record({
  rate: fc.double({ min: 0.001, max: 1, noNaN: true }),
  momentum: fc.constantFrom(0, 0.5, 0.9),
  decay: fc.constantFrom(0, 0.01),
  nesterov: fc.boolean(),
});

describe("sgdStep", () => {
  for (const dtype of FLOATS) {
    it(`moves parameter and velocity of ${dtype} by the documented formula`, () => {
      fc.assert(
        fc.property(numbers, numbers, numbers, steps, placings, placings, (p, v, g, s, one, two) => {
          const parameter = operand(dtype, [2, 3], p, one);
          const velocity = operand(dtype, [2, 3], v, two);
          const floats = [s.rate, s.momentum, s.decay];
          run("sgdStep", [parameter, velocity], [operand(dtype, [2, 3], g, one)], [s.nesterov ? 1 : 0], floats);
          const expected = p.map((x, i) => model(dtype, x, v[i]!, g[i]!, s));
          expectSame(
            read(parameter),
            expected.map((e) => e.p),
          );
          expectSame(
            read(velocity),
            expected.map((e) => e.v),
          );
        }),
        { numRuns: 60 },
      );
    });

    it(`moves a parameter of ${dtype} alone, without momentum`, () => {
      for (const placing of PLACINGS) {
        for (const decay of [0, 0.25]) {
          const parameter = operand(dtype, [4], [1, -2, 0.5, 3], placing);
          run("sgdStep", [parameter], [operand(dtype, [4], [0.5, 1, -1, 2], placing)], [0], [0.5, 0, decay]);
          const step = { rate: 0.5, momentum: 0, decay, nesterov: false };
          expectSame(
            read(parameter),
            [1, -2, 0.5, 3].map((p, i) => model(dtype, p, 0, [0.5, 1, -1, 2][i]!, step).p),
          );
        }
      }
    });
  }

  it("two steps with momentum, worked by hand", () => {
    const p = operand("float32", [1], [1]);
    const v = operand("float32", [1], [0]);
    const g = operand("float32", [1], [2]);
    run("sgdStep", [p, v], [g], [0], [0.25, 0.5, 0]);
    expectSame([...read(p), ...read(v)], [0.5, 2]);
    run("sgdStep", [p, v], [g], [0], [0.25, 0.5, 0]);
    expectSame([...read(p), ...read(v)], [-0.25, 3]);
  });

  it("without weight decay an infinite parameter does not turn its gradient into NaN", () => {
    const p = operand("float32", [1], [Infinity]);
    const v = operand("float32", [1], [0]);
    run("sgdStep", [p, v], [operand("float32", [1], [1])], [0], [0.5, 0.5, 0]);
    expectSame([...read(p), ...read(v)], [Infinity, 1]);
  });
});
