import { Adam, backward } from "@sw/autograd";
import { Linear } from "@sw/autograd/modules";
import { createArena, type Generator, mseLoss, mul, rand, sin, type Tensor, withArena } from "@sw/tensor";
import { swiglu } from "./swiglu.js";

/** A gated layer between two linear maps, as it stands in the blocks of language models. */
export type Model = {
  readonly gate: Linear;
  readonly value: Linear;
  readonly output: Linear;
};

/** Points of a square, and what is to be learnt of them. */
export interface Examples {
  /** `[n, 2]`. */
  readonly points: Tensor<"float32">;
  /** `[n, 1]`. */
  readonly targets: Tensor<"float32">;
}

/** Makes a model of random weights. */
export function createModel(hidden: number, generator: Generator): Model {
  return {
    gate: new Linear(2, hidden, { generator }),
    value: new Linear(2, hidden, { generator }),
    output: new Linear(hidden, 1, { generator }),
  };
}

/** Computes `[n, 1]` of points `[n, 2]`. */
export function forward({ gate, value, output }: Model, points: Tensor<"float32">): Tensor<"float32"> {
  return output.forward(swiglu(gate.forward(points), value.forward(points), { beta: 1 }));
}

/** Draws points, and `sin(3x)·y` of each: a product, which a gate is made for. */
export function examples(count: number, generator: Generator): Examples {
  const points = rand([count, 2], { generator, low: -1, high: 1 });
  const [x, y] = [points.slice(1, 0, 1), points.slice(1, 1, 2)];
  return { points, targets: mul(sin(mul(x, 3)), y) };
}

/** Trains a model on all points at once. Returns the loss of each step. */
export function train(model: Model, { points, targets }: Examples, steps: number): number[] {
  using adam = new Adam(model, { learningRate: 0.05 });
  // All that a step makes lives in the arena, what the operation makes on the way too.
  using arena = createArena();
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    const loss = withArena(arena, () => {
      const error = mseLoss(forward(model, points), targets);
      adam.zeroGrad();
      backward(error);
      adam.step();
      return Number(error.item());
    });
    losses.push(loss);
    arena.reset();
  }
  return losses;
}
