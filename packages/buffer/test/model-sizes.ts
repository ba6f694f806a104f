/** The tensors of a model in one training step, as element counts. */
export interface ModelTensors {
  readonly parameters: readonly number[];
  readonly activations: readonly number[];
}

/** The bytes of every tensor of a model in float32. */
export function byteSizes({ parameters, activations }: ModelTensors): number[] {
  return [...parameters, ...activations].map((elements) => elements * 4);
}

/**
 * ResNet-50 (He et al. 2015, the variant with the stride in the 3 × 3 convolution) on images of
 * 224 × 224: every weight and bias, and the result of every layer of a forward pass.
 */
export function resNet50(batch: number): ModelTensors {
  const parameters: number[] = [];
  const activations: number[] = [];

  /** A convolution without bias, then batch normalization: its scale and shift. */
  const convolve = (inputs: number, outputs: number, kernel: number, side: number): void => {
    parameters.push(outputs * inputs * kernel * kernel, outputs, outputs);
    const result = batch * outputs * side * side;
    activations.push(result, result);
  };
  const rectify = (channels: number, side: number): void => {
    activations.push(batch * channels * side * side);
  };

  activations.push(batch * 3 * 224 * 224);
  convolve(3, 64, 7, 112);
  rectify(64, 112);
  activations.push(batch * 64 * 56 * 56);
  let channels = 64;
  let side = 56;
  for (const [stage, blocks] of [3, 4, 6, 3].entries()) {
    const width = 64 * 2 ** stage;
    for (let block = 0; block < blocks; block += 1) {
      const halves = stage > 0 && block === 0;
      convolve(channels, width, 1, side);
      rectify(width, side);
      const below = halves ? side / 2 : side;
      convolve(width, width, 3, below);
      rectify(width, below);
      convolve(width, 4 * width, 1, below);
      if (block === 0) convolve(channels, 4 * width, 1, below);
      // The sum with the shortcut, then its rectification.
      rectify(4 * width, below);
      rectify(4 * width, below);
      channels = 4 * width;
      side = below;
    }
  }
  activations.push(batch * 2048, batch * 1000);
  parameters.push(2048 * 1000, 1000);
  return { parameters, activations };
}

/**
 * GPT-2 small (Radford et al. 2019: 12 layers, 12 heads, width 768, 50,257 tokens, 1,024 positions;
 * the last projection shares the token embedding): every weight and bias, and the result of every
 * operation of a forward pass over `batch` sequences of `length` tokens.
 */
export function gpt2Small(batch: number, length: number): ModelTensors {
  const [layers, heads, width, words, positions] = [12, 12, 768, 50_257, 1024];
  const rows = batch * length;
  const parameters = [words * width, positions * width];
  // Both embeddings and their sum.
  const activations = [rows * width, rows * width, rows * width];

  const normalize = (): void => {
    parameters.push(width, width);
    activations.push(rows * width);
  };
  const project = (inputs: number, outputs: number): void => {
    parameters.push(inputs * outputs, outputs);
    activations.push(rows * outputs);
  };

  for (let layer = 0; layer < layers; layer += 1) {
    normalize();
    project(width, 3 * width);
    // Scores, their softmax, and the weighted values.
    const scores = batch * heads * length * length;
    activations.push(scores, scores, rows * width);
    project(width, width);
    activations.push(rows * width);
    normalize();
    project(width, 4 * width);
    activations.push(rows * 4 * width);
    project(4 * width, width);
    activations.push(rows * width);
  }
  normalize();
  activations.push(rows * words);
  return { parameters, activations };
}
