import { backward, parameter, Sgd } from "@sw/autograd";
import {
  add,
  argmax,
  createArena,
  type Generator,
  logSoftmax,
  matmul,
  mul,
  nllLoss,
  randn,
  relu,
  type Tensor,
  tensor,
  withArena,
  zeros,
} from "@sw/tensor";

/** Points of the plane, and the arm of the spiral that each lies on. */
export interface Points {
  /** `[n, 2]`. */
  readonly at: Tensor<"float32">;
  /** `[n]`. */
  readonly arm: Tensor<"int32">;
}

/** Two layers; `weight` is `[inputs, outputs]`. */
export type Model = {
  readonly hidden: { readonly weight: Tensor<"float32">; readonly bias: Tensor<"float32"> };
  readonly output: { readonly weight: Tensor<"float32">; readonly bias: Tensor<"float32"> };
};

/** Draws points along the arms of a spiral: no straight line divides them. */
export function spiral(arms: number, pointsAnArm: number, generator: Generator): Points {
  const noise = randn([arms * pointsAnArm], { generator }).toArray() as number[];
  const at: number[][] = [];
  const arm: number[] = [];
  for (let which = 0; which < arms; which++) {
    for (let i = 0; i < pointsAnArm; i++) {
      const radius = (i + 1) / pointsAnArm;
      const angle = 2 * Math.PI * (which / arms + 0.6 * radius) + 0.1 * noise[at.length]!;
      at.push([radius * Math.cos(angle), radius * Math.sin(angle)]);
      arm.push(which);
    }
  }
  return { at: tensor(at), arm: tensor(arm, { dtype: "int32" }) };
}

/** Makes a model of random weights, of He's scale. */
export function createModel(hidden: number, arms: number, generator: Generator): Model {
  const layer = (inputs: number, outputs: number) => ({
    weight: parameter(mul(randn([inputs, outputs], { generator }), Math.sqrt(2 / inputs))),
    bias: parameter(zeros([outputs])),
  });
  return { hidden: layer(2, hidden), output: layer(hidden, arms) };
}

/** Computes the logits `[n, arms]` of points `[n, 2]`. */
export function forward({ hidden, output }: Model, at: Tensor<"float32">): Tensor<"float32"> {
  const activations = relu(add(matmul(at, hidden.weight), hidden.bias));
  return add(matmul(activations, output.weight), output.bias);
}

/** Trains a model on all points at once. Returns the loss before the last step. */
export function train(model: Model, points: Points, steps: number): number {
  const optimiser = new Sgd(model, { learningRate: 0.5, momentum: 0.9 });
  // All that a step makes lives in the arena, so that later steps allocate nothing.
  const arena = createArena();
  let loss = Number.NaN;
  for (let step = 0; step < steps; step++) {
    loss = withArena(arena, () => {
      const mean = nllLoss(logSoftmax(forward(model, points.at), 1), points.arm);
      backward(mean);
      optimiser.step();
      optimiser.zeroGrad();
      return mean.item();
    });
    arena.reset();
  }
  optimiser.dispose();
  arena.dispose();
  return loss;
}

/** The share of points whose arm the model tells. */
export function accuracy(model: Model, { at, arm }: Points): number {
  const told = argmax(forward(model, at), 1).toArray() as bigint[];
  const arms = arm.toArray() as number[];
  return told.filter((guess, i) => Number(guess) === arms[i]).length / arms.length;
}
