import { type Module, parametersOf } from "@sw/autograd";
import { Embedding, LayerNorm, Linear, MultiHeadAttention } from "@sw/autograd/modules";
import { add, type Generator, gelu, type Tensor } from "@sw/tensor";

/** The sizes of a {@link Transformer}. */
export interface Sizes {
  /** How many characters there are. */
  readonly alphabet: number;
  /** How many characters it sees at once. */
  readonly context: number;
  readonly width: number;
  readonly heads: number;
  readonly layers: number;
}

/** What is trained where nobody says otherwise: four layers, 128 wide. */
export const SIZES = { context: 64, width: 128, heads: 4, layers: 4 } as const;

/** One layer: attention to what came before, then a perceptron for each place; each adds to what it was given. */
class Block {
  readonly parameters: {
    readonly norm: LayerNorm;
    readonly attention: MultiHeadAttention;
    readonly mixingNorm: LayerNorm;
    readonly wide: Linear;
    readonly narrow: Linear;
  };

  constructor({ width, heads }: Sizes, generator: Generator) {
    this.parameters = {
      norm: new LayerNorm(width),
      attention: new MultiHeadAttention(width, heads, { generator }),
      mixingNorm: new LayerNorm(width),
      wide: new Linear(width, 4 * width, { generator }),
      narrow: new Linear(4 * width, width, { generator }),
    };
  }

  forward(x: Tensor<"float32">): Tensor<"float32"> {
    const { norm, attention, mixingNorm, wide, narrow } = this.parameters;
    const y = add(x, attention.forward(norm.forward(x), { causal: true }));
    return add(y, narrow.forward(gelu(wide.forward(mixingNorm.forward(y)))));
  }
}

/** A transformer that says of each place which character comes next. */
export class Transformer implements Module {
  readonly sizes: Sizes;
  readonly parameters: {
    readonly characters: Embedding;
    readonly places: Embedding;
    readonly blocks: readonly Block[];
    readonly norm: LayerNorm;
    readonly head: Linear;
  };

  constructor(sizes: Sizes, generator: Generator) {
    const { alphabet, context, width, layers } = sizes;
    this.sizes = sizes;
    this.parameters = {
      characters: new Embedding(alphabet, width, { generator }),
      places: new Embedding(context, width, { generator }),
      blocks: Array.from({ length: layers }, () => new Block(sizes, generator)),
      norm: new LayerNorm(width),
      head: new Linear(width, alphabet, { generator }),
    };
  }

  /**
   * @param ids - `[…, n]`, with n up to the context.
   * @returns `[…, n, alphabet]`: the logits of the character after each.
   */
  forward(ids: Tensor<"int32">): Tensor<"float32"> {
    const { characters, places, blocks, norm, head } = this.parameters;
    const n = ids.shape.at(-1) as number;
    let x = add(characters.forward(ids), places.parameters.weight.slice(0, 0, n));
    for (const block of blocks) x = block.forward(x);
    return head.forward(norm.forward(x));
  }

  /** Returns the memory of the parameters and of their gradients. */
  dispose(): void {
    for (const p of parametersOf(this)) {
      p.grad?.dispose();
      p.dispose();
    }
  }
}
