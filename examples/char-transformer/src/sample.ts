import { noGrad } from "@sw/autograd";
import { type Arena, type Generator, mul, softmax, tensor, withArena } from "@sw/tensor";
import type { Transformer } from "./model.js";
import type { Alphabet } from "./text.js";

/** How a text is drawn. */
export interface SampleOptions {
  readonly length: number;
  /** Below 1 the likely becomes likelier; near 0 the likeliest alone is drawn. */
  readonly temperature: number;
  readonly generator: Generator;
  readonly arena: Arena;
}

/** Continues a text of one character at least, drawing each character from what the model says. */
export function sampleText(
  model: Transformer,
  alphabet: Alphabet,
  prompt: string,
  { length, temperature, generator, arena }: SampleOptions,
): string {
  const ids = Array.from(alphabet.encode(prompt));
  for (let i = 0; i < length; i++) {
    const seen = Int32Array.from(ids.slice(-model.sizes.context));
    const probabilities = withArena(arena, () =>
      noGrad(() => {
        const logits = model.forward(tensor(seen)).select(0, seen.length - 1);
        return softmax(mul(logits, 1 / temperature), 0).data();
      }),
    );
    arena.reset();
    ids.push(draw(probabilities, generator.uniform()));
  }
  return alphabet.decode(ids);
}

/** The first index at which the sum of probabilities passes a number from [0, 1). */
export function draw(probabilities: ArrayLike<number>, number: number): number {
  let sum = 0;
  for (let i = 0; i < probabilities.length; i++) {
    sum += probabilities[i] as number;
    if (number < sum) return i;
  }
  // Rounded, they may add up to less than 1.
  return probabilities.length - 1;
}
