import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, wide } from "../../bounds.js";
import { sizeOf } from "../../operands/placing.js";
import { loops } from "../loops.js";
import type { KernelModel } from "../model.js";
import { everyday, numbersOf, valued } from "../plans.js";
import type { Expected } from "../sample.js";

const ADDED = "the sizes of all that is added up";

/** The attributes of a step, `floats` and `ints` of the kernel. */
interface Step {
  readonly rate: number;
  readonly momentum: number;
  readonly decay: number;
  readonly nesterov: boolean;
}

/** What becomes of one parameter and its velocity, and the sizes of all that is added up on the way. */
function stepped(step: Step, parameter: number, velocity: number, gradient: number): readonly number[] {
  const { rate, momentum, decay, nesterov } = step;
  const d = decay === 0 ? gradient : gradient + decay * parameter;
  const v = momentum * velocity + d;
  const p = parameter - rate * (nesterov ? d + momentum * v : v);
  const dSize = Math.abs(gradient) + Math.abs(decay * parameter);
  const vSize = Math.abs(momentum * velocity) + dSize;
  const pSize = Math.abs(parameter) + rate * (nesterov ? dSize + momentum * vSize : vSize);
  return [p, pSize, v, vSize];
}

function model(withVelocity: boolean): KernelModel {
  const gradientAt = withVelocity ? 2 : 1;
  return {
    ...loops(),
    spec: OPERATIONS.sgdStep,
    bound: accumulated(ADDED, { constant: 8 }),
    exactBound: wide(ADDED, { constant: 8 }),
    ...(withVelocity ? {} : { variant: "plain" }),
    roles: withVelocity ? ["inout", "inout", "in"] : ["inout", "in"],
    largest: false,
    special: withVelocity ? [0, 1, 2] : [0, 1],
    own: [],
    sample(dtype, shape, placers, draw, source) {
      const count = sizeOf(shape);
      const step: Step = {
        rate: source.pick([0.1, 0.01, 1, 0.003]),
        momentum: withVelocity ? source.pick([0.9, 0.5, 0.99]) : 0,
        decay: source.pick([0, 0, 0.0005, 0.1]),
        nesterov: withVelocity && source.next() < 0.5,
      };
      const plan = (i: number) =>
        valued(
          dtype,
          placers[i]!(shape),
          draw(i, dtype, count, () => everyday(dtype, source)),
        );
      const parameter = plan(0);
      const velocity = withVelocity ? plan(1) : undefined;
      const gradient = plan(gradientAt);
      const expected = (): readonly Expected[] => {
        const results = numbersOf(gradient).map((g, i) =>
          stepped(step, numbersOf(parameter)[i]!, velocity === undefined ? 0 : numbersOf(velocity)[i]!, g),
        );
        const at = (column: number): Expected => ({
          values: results.map((r) => r[column]!),
          magnitudes: results.map((r) => r[column + 1]!),
          terms: 3,
        });
        return velocity === undefined ? [at(0)] : [at(0), at(2)];
      };
      return {
        outputs: velocity === undefined ? [parameter] : [parameter, velocity],
        inputs: [gradient],
        ints: [step.nesterov ? 1 : 0],
        floats: [step.rate, step.momentum, step.decay],
        expected,
      };
    },
  };
}

/** `sgdStep` with a velocity, and without one. */
export function optimiseModels(): readonly KernelModel[] {
  return [true, false].map(model);
}
