import { AdamW, backward, clipByNorm, exponential, type Schedule, warmup } from "@sw/autograd";
import { type Arena, crossEntropy, type Generator, type Tensor, tensor, withArena } from "@sw/tensor";
import type { Transformer } from "./model.js";
import { ProgramError } from "./program-error.js";

/** How a model is trained. */
export const RECIPE = { batch: 16, weightDecay: 0.01, limit: 1 } as const;

/** The learning rate of each step. It knows no last one, so that a run can always go on. */
export const RATE: Schedule = warmup(100, exponential(0.001, 0.9997));

/** Everything that a next step depends on. */
export interface Training {
  readonly model: Transformer;
  readonly optimiser: AdamW;
  /** Draws where batches begin. */
  readonly generator: Generator;
  /** How many steps have been made. */
  step: number;
}

/** Begins to train a model. */
export function createTraining(model: Transformer, generator: Generator): Training {
  const optimiser = new AdamW(model, { learningRate: RATE(0), weightDecay: RECIPE.weightDecay });
  return { model, optimiser, generator, step: 0 };
}

/** Returns the memory of a training. */
export function disposeTraining({ model, optimiser }: Training): void {
  optimiser.dispose();
  model.dispose();
}

/**
 * Draws stretches of a text, and the same a character later.
 *
 * @throws ProgramError `SW_CHAR_TEXT_SHORT`.
 */
export function drawBatch(
  text: Int32Array,
  context: number,
  count: number,
  generator: Generator,
): { readonly ids: Tensor<"int32">; readonly next: Tensor<"int32"> } {
  if (text.length <= context) {
    throw new ProgramError(
      "SW_CHAR_TEXT_SHORT",
      `drawBatch: the text is too short: got ${text.length} characters, expected more than ${context}.`,
    );
  }
  const [ids, next] = [new Int32Array(count * context), new Int32Array(count * context)];
  for (let row = 0; row < count; row++) {
    const start = generator.integer(text.length - context);
    ids.set(text.subarray(start, start + context), row * context);
    next.set(text.subarray(start + 1, start + context + 1), row * context);
  }
  return { ids: tensor(ids, { shape: [count, context] }), next: tensor(next, { shape: [count, context] }) };
}

/**
 * Makes one step, in place, and returns the mean loss of its batch before it. What it makes lives in the arena, which is
 * reset.
 */
export function makeStep(training: Training, text: Int32Array, arena: Arena): number {
  const { model, optimiser, generator } = training;
  const loss = withArena(arena, () => {
    const { alphabet, context } = model.sizes;
    const { ids, next } = drawBatch(text, context, RECIPE.batch, generator);
    optimiser.zeroGrad();
    const mean = crossEntropy(model.forward(ids).reshape([-1, alphabet]), next.reshape([-1]));
    backward(mean);
    clipByNorm(model, RECIPE.limit);
    optimiser.learningRate = RATE(training.step);
    optimiser.step();
    return mean.item();
  });
  arena.reset();
  training.step += 1;
  return loss;
}
