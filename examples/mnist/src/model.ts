import { namedParameters, parameter } from "@sw/autograd";
import { add, cast, type Generator, matmul, mul, randn, relu, type Tensor, zeros } from "@sw/tensor";
import { Cnn } from "./cnn.js";
import { CLASSES, SIDE } from "./data.js";

/** The number of pixels of an image, and so of inputs of the model. */
export const PIXELS: number = SIDE * SIDE;

/** A fully connected layer: `x · weight + bias`. */
type Layer = {
  /** `[inputs, outputs]`. */
  readonly weight: Tensor<"float32">;
  /** `[outputs]`. */
  readonly bias: Tensor<"float32">;
};

/** A multilayer perceptron with one hidden layer, as a plain object of parameters. */
export type Mlp = {
  readonly hidden: Layer;
  readonly output: Layer;
};

/** The kinds of models that can be chosen. */
export type ModelName = "mlp" | "cnn";

/** What is trained. */
export type Model = Mlp | Cnn;

/** The sizes of a model, and where its first weights come from. */
export interface ModelOptions {
  readonly hidden: number;
  readonly generator: Generator;
}

/** Makes a model of random weights. */
export function createModel(options: ModelOptions): Mlp;
export function createModel(options: ModelOptions, name: ModelName): Model;
export function createModel({ hidden, generator }: ModelOptions, name: ModelName = "mlp"): Model {
  if (name === "cnn") return new Cnn(hidden, generator);
  return { hidden: createLayer(PIXELS, hidden, generator), output: createLayer(hidden, CLASSES, generator) };
}

/** Says what a model is made of. */
export function describeModel(model: Model): string {
  const hidden = tensorsOf(model)["hidden.bias"]?.size;
  return model instanceof Cnn ? `CNN 8-16-${hidden}-${CLASSES}` : `MLP ${PIXELS}-${hidden}-${CLASSES}`;
}

/** He's initialisation: the variance 2 / inputs keeps the scale of activations through a relu. */
function createLayer(inputs: number, outputs: number, generator: Generator): Layer {
  const normal = randn([inputs, outputs], { generator });
  const weight = parameter(mul(normal, Math.sqrt(2 / inputs)));
  normal.dispose();
  return { weight, bias: parameter(zeros([outputs])) };
}

/** The pixels of images as numbers from 0 to 1: a cast and a scale. */
export function normalise(images: Tensor<"uint8">): Tensor<"float32"> {
  return mul(cast(images, "float32"), 1 / 255);
}

/** Computes the logits `[n, 10]` of normalised images `[n, 784]`. */
export function forward(model: Model, x: Tensor<"float32">): Tensor<"float32"> {
  return model instanceof Cnn ? model.forward(x) : apply(model.output, relu(apply(model.hidden, x)));
}

function apply(layer: Layer, x: Tensor<"float32">): Tensor<"float32"> {
  return add(matmul(x, layer.weight), layer.bias);
}

/** The parameters by the names that they have in a file. */
export function tensorsOf(model: Model): Record<string, Tensor<"float32">> {
  return namedParameters(model) as Record<string, Tensor<"float32">>;
}

/** The number of parameters. */
export function countParameters(model: Model): number {
  return Object.values(tensorsOf(model)).reduce((count, t) => count + t.size, 0);
}

/** Returns the memory of a model, gradients included. */
export function disposeModel(model: Model): void {
  for (const t of Object.values(tensorsOf(model))) {
    t.grad?.dispose();
    t.dispose();
  }
}
