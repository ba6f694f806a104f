import { AdamW, backward, cosine, type Optimiser, type Schedule, Sgd } from "@sw/autograd";
import { type Arena, type Generator, logSoftmax, nllLoss, withArena } from "@sw/tensor";
import { Cnn } from "./cnn.js";
import type { Digits } from "./data.js";
import { forward, type Model, type ModelName, normalise, PIXELS } from "./model.js";

/** How a model is trained. */
export interface TrainOptions {
  readonly epochs: number;
  /** Images a step. */
  readonly batch: number;
  /** At the first step; it falls to 0 at the end. */
  readonly learningRate: number;
  /** Of the MLP's optimiser; the CNN's has none. */
  readonly momentum: number;
  /** Orders the batches. */
  readonly generator: Generator;
  /** Where the values of a step live; it is reset after each. */
  readonly arena: Arena;
}

/** What one step did. */
export interface Step {
  /** From 1. */
  readonly step: number;
  readonly steps: number;
  /** From 1. */
  readonly epoch: number;
  readonly epochs: number;
  /** Of the batch, before the step. */
  readonly loss: number;
  /** Images of the batch. */
  readonly images: number;
  /** Whether it is the last of its epoch. */
  readonly endsEpoch: boolean;
}

/** The MLP's recipe; it reaches about 98 % of the test images. */
export const RECIPE = { epochs: 4, batch: 60, hidden: 128, learningRate: 0.1, momentum: 0.9 } as const;

/** What a model is trained by, where the command line does not say. */
type Recipe = Pick<TrainOptions, "epochs" | "batch" | "learningRate" | "momentum">;

/** The recipe of each model; the CNN's reaches about 99 %. */
export const RECIPES: { readonly [N in ModelName]: Recipe } = {
  mlp: RECIPE,
  cnn: { epochs: 4, batch: 60, learningRate: 0.003, momentum: 0 },
};

/** SGD with a rate that falls in a straight line, or for the CNN AdamW with one that falls as a cosine. */
function optimiserOf(
  model: Model,
  { learningRate, momentum }: TrainOptions,
  steps: number,
): { readonly optimiser: Optimiser; readonly rate: Schedule } {
  return model instanceof Cnn
    ? { optimiser: new AdamW(model, { learningRate }), rate: cosine(learningRate, 0, steps) }
    : { optimiser: new Sgd(model, { learningRate, momentum }), rate: (step) => learningRate * (1 - step / steps) };
}

/**
 * Trains a model in place, a step each time the caller asks for one. Batches are views of the images, in an order
 * drawn anew each epoch. All that a step makes lives in the arena, or goes back to the pool within the step: so memory is
 * allocated by the first step of each number of images only.
 */
export function* trainSteps(model: Model, digits: Digits, options: TrainOptions): IterableIterator<Step> {
  const { epochs, batch, generator, arena } = options;
  const count = digits.images.shape[0] as number;
  const images = digits.images.view([count, PIXELS]);
  const perEpoch = Math.ceil(count / batch);
  const steps = epochs * perEpoch;
  const { optimiser, rate } = optimiserOf(model, options, steps);
  let step = 0;
  try {
    for (let epoch = 1; epoch <= epochs; epoch++) {
      for (const [position, start] of batchStarts(count, batch, generator).entries()) {
        const end = Math.min(start + batch, count);
        optimiser.learningRate = rate(step);
        const loss = withArena(arena, () => {
          const x = normalise(images.slice(0, start, end));
          const logProbabilities = logSoftmax(forward(model, x), 1);
          const mean = nllLoss(logProbabilities, digits.labels.slice(0, start, end));
          backward(mean);
          optimiser.step();
          optimiser.zeroGrad();
          return mean.item();
        });
        arena.reset();
        step += 1;
        yield { step, steps, epoch, epochs, loss, images: end - start, endsEpoch: position === perEpoch - 1 };
      }
    }
  } finally {
    optimiser.dispose();
  }
}

/**
 * The first image of every batch, shuffled. A last batch that is short stays last: the first step is then as large as
 * any, and the arena that it made is enough for all.
 */
export function batchStarts(count: number, batch: number, generator: Generator): number[] {
  const starts = Array.from(generator.permutation(Math.floor(count / batch)), (position) => position * batch);
  if (count % batch !== 0) starts.push(count - (count % batch));
  return starts;
}
