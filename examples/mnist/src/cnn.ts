import { Conv2d, Linear } from "@sw/autograd/modules";
import { type Generator, maxPool2d, relu, type Tensor } from "@sw/tensor";
import { CLASSES, SIDE } from "./data.js";

/** The channels after each convolution. */
const CHANNELS = [8, 16] as const;
/** Two poolings halve the side twice. */
const FLAT = CHANNELS[1] * (SIDE / 4) ** 2;

/** A small convolutional network: twice a 3×3 convolution, relu and pooling, then two layers. */
export class Cnn {
  readonly first: Conv2d;
  readonly second: Conv2d;
  readonly hidden: Linear;
  readonly output: Linear;

  constructor(hidden: number, generator: Generator) {
    this.first = new Conv2d(1, CHANNELS[0], 3, { generator, padding: 1 });
    this.second = new Conv2d(CHANNELS[0], CHANNELS[1], 3, { generator, padding: 1 });
    this.hidden = new Linear(FLAT, hidden, { generator });
    this.output = new Linear(hidden, CLASSES, { generator });
  }

  /** The layers by the names that their parameters have in a file. */
  get parameters(): { readonly [name: string]: Conv2d | Linear } {
    const { first, second, hidden, output } = this;
    return { first, second, hidden, output };
  }

  /** Computes the logits `[n, 10]` of normalised images `[n, 784]`. */
  forward(x: Tensor<"float32">): Tensor<"float32"> {
    const images = x.reshape([-1, 1, SIDE, SIDE]);
    const halved = maxPool2d(relu(this.first.forward(images)), { kernel: 2 });
    const quartered = maxPool2d(relu(this.second.forward(halved)), { kernel: 2 });
    return this.output.forward(relu(this.hidden.forward(quartered.reshape([-1, FLAT]))));
  }
}
