import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, wide } from "../../bounds.js";
import { sizeOf } from "../../operands/placing.js";
import { loops } from "../loops.js";
import type { KernelModel } from "../model.js";
import { everyday, numbersOf, valued } from "../plans.js";
import type { Expected, Plan } from "../sample.js";

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

/** The numbers of a step of Adam, `floats` and `ints` of the kernel. */
interface AdamStep {
  readonly rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly decay: number;
  readonly step: number;
  readonly decoupled: boolean;
}

/** What becomes of a parameter and its moments, each with the sizes of all that is added up on the way. */
function adapted(s: AdamStep, parameter: number, first: number, second: number, gradient: number): readonly number[] {
  const { rate, beta1, beta2, epsilon, decay, step, decoupled } = s;
  const coupled = decay !== 0 && !decoupled;
  const d = coupled ? gradient + decay * parameter : gradient;
  const dSize = coupled ? Math.abs(gradient) + Math.abs(decay * parameter) : Math.abs(gradient);
  const m = beta1 * first + (1 - beta1) * d;
  const mSize = Math.abs(beta1 * first) + (1 - beta1) * dSize;
  const v = beta2 * second + (1 - beta2) * d ** 2;
  const vSize = beta2 * second + (1 - beta2) * dSize ** 2;
  const divisor = Math.sqrt(v / (1 - beta2 ** step)) + epsilon;
  const kept = decay !== 0 && decoupled ? parameter * (1 - rate * decay) : parameter;
  const p = kept - rate * (m / (1 - beta1 ** step) / divisor);
  // An error of the second moment enters by its square root: halved, but as many times as v was cancelled from more.
  const stretched = v > 0 ? vSize / v : 1;
  const pSize = Math.abs(parameter) * 2 + rate * ((mSize * stretched) / (1 - beta1 ** step) / divisor);
  return [p, pSize, m, mSize, v, vSize];
}

const adam = (): KernelModel => ({
  ...loops(),
  spec: OPERATIONS.adamStep,
  bound: accumulated(ADDED, { constant: 12 }),
  exactBound: wide(ADDED, { constant: 12 }),
  roles: ["inout", "inout", "inout", "in"],
  largest: false,
  special: [0, 1, 3],
  own: [],
  sample(dtype, shape, placers, draw, source) {
    const count = sizeOf(shape);
    const s: AdamStep = {
      rate: source.pick([0.001, 0.1, 0.003]),
      beta1: source.pick([0.9, 0.5]),
      beta2: source.pick([0.999, 0.9]),
      epsilon: source.pick([1e-8, 1e-4]),
      decay: source.pick([0, 0, 0.01, 0.1]),
      step: source.integer(1, 40),
      decoupled: source.next() < 0.5,
    };
    const [parameter, first, second, gradient] = [0, 1, 2, 3].map((i) =>
      valued(
        dtype,
        placers[i]!(shape),
        // The second moment is a mean of squares.
        draw(i, dtype, count, () => (i === 2 ? Math.abs(everyday(dtype, source) as number) : everyday(dtype, source))),
      ),
    ) as [Plan, Plan, Plan, Plan];
    const expected = (): readonly Expected[] => {
      const [p, m, v] = [parameter, first, second].map(numbersOf) as [number[], number[], number[]];
      const results = numbersOf(gradient).map((g, i) => adapted(s, p[i]!, m[i]!, v[i]!, g));
      return [0, 2, 4].map((column) => ({
        values: results.map((r) => r[column]!),
        magnitudes: results.map((r) => r[column + 1]!),
        terms: 3,
      }));
    };
    return {
      outputs: [parameter, first, second],
      inputs: [gradient],
      ints: [s.decoupled ? 1 : 0],
      floats: [s.rate, s.beta1, s.beta2, s.epsilon, s.decay, 1 - s.beta1 ** s.step, 1 - s.beta2 ** s.step],
      expected,
    };
  },
});

/** `sgdStep` with a velocity, and without one; `adamStep`. */
export function optimiseModels(): readonly KernelModel[] {
  return [...[true, false].map(model), adam()];
}
