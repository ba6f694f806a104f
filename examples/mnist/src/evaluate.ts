import { noGrad } from "@sw/autograd";
import { type Arena, argmax, asTensor, softmax, type Tensor, withArena, withData } from "@sw/tensor";
import { type Confusion, countConfusion, countCorrect } from "./confusion.js";
import { CLASSES } from "./data.js";
import { forward, type Model, normalise, PIXELS } from "./model.js";

/** What a model's logits say of labelled images. */
export interface Evaluation {
  /** The share of images predicted right, from 0 to 1. */
  readonly accuracy: number;
  readonly correct: number;
  readonly count: number;
  readonly confusion: Confusion;
  /** The class of the largest logit, per image. */
  readonly predicted: readonly number[];
  /** The probability of that class, per image. */
  readonly confidence: readonly number[];
}

/** An image that was predicted wrong. */
export interface Mistake {
  readonly index: number;
  readonly label: number;
  readonly predicted: number;
  readonly confidence: number;
}

/** Computes the logits of all images, in batches: `10` after one another per image. */
export function predict(model: Model, images: Tensor<"uint8">, arena: Arena, batch = 500): Float32Array {
  const count = images.shape[0] as number;
  const rows = images.view([count, PIXELS]);
  const logits = new Float32Array(count * CLASSES);
  for (let start = 0; start < count; start += batch) {
    const end = Math.min(start + batch, count);
    withArena(arena, () =>
      noGrad(() => {
        const out = forward(model, normalise(rows.slice(0, start, end)));
        withData(out, (values) => logits.set(values, start * CLASSES));
      }),
    );
    arena.reset();
  }
  return logits;
}

/** Compares logits with labels. */
export function evaluate(logits: Float32Array, labels: Tensor<"uint8">): Evaluation {
  const count = labels.shape[0] as number;
  const table = asTensor(logits, [count, CLASSES]);
  const classes = argmax(table, 1);
  const probabilities = softmax(table, 1);
  const predicted = Array.from(classes.data(), Number);
  const confidence = withData(probabilities, (p) => predicted.map((c, i) => p[i * CLASSES + c] as number));
  classes.dispose();
  probabilities.dispose();
  const confusion = countConfusion(labels.data(), predicted, CLASSES);
  const correct = countCorrect(confusion);
  return { accuracy: correct / count, correct, count, confusion, predicted, confidence };
}

/** The mistakes, those first whose logit for the wrong class is furthest above the one for the right class. */
export function worstMistakes(
  evaluation: Evaluation,
  logits: Float32Array,
  labels: Tensor<"uint8">,
  limit: number,
): Mistake[] {
  const mistakes: (Mistake & { readonly margin: number })[] = [];
  labels.data().forEach((label, index) => {
    const predicted = evaluation.predicted[index] as number;
    if (predicted === label) return;
    const logit = (c: number): number => logits[index * CLASSES + c] as number;
    const confidence = evaluation.confidence[index] as number;
    mistakes.push({ index, label, predicted, confidence, margin: logit(predicted) - logit(label) });
  });
  return mistakes
    .sort((a, b) => b.margin - a.margin)
    .slice(0, limit)
    .map(({ margin: _, ...mistake }) => mistake);
}

/** How many of two lists of float32 differ in any bit. A missing element differs. */
export function countDifferentBits(a: Float32Array, b: Float32Array): number {
  const [x, y] = [bitsOf(a), bitsOf(b)];
  let different = Math.abs(x.length - y.length);
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) different += 1;
  return different;
}

function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}
