export { Conv2d, type Conv2dModuleOptions } from "./modules/conv2d.js";
export { Dropout, type DropoutOptions, type DropoutState } from "./modules/dropout.js";
export { Embedding, type EmbeddingModuleOptions } from "./modules/embedding.js";
export { LayerNorm, type LayerNormOptions } from "./modules/layer-norm.js";
export { Linear, type LinearOptions, type LinearParameters } from "./modules/linear.js";
export {
  type AttentionParameters,
  MultiHeadAttention,
  type MultiHeadAttentionOptions,
  type MultiHeadCall,
} from "./modules/multi-head-attention.js";
export type { RandomModuleOptions } from "./modules/random-parameter.js";
export type { Module, ModuleTree } from "./optimise/tree.js";
