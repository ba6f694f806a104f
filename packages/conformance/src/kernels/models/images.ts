import type { KernelModel } from "../model.js";
import { attentionModels } from "./attention.js";
import { convolutionModels } from "./convolution.js";
import { poolingModels } from "./pooling.js";

/** Convolution, pooling and attention. */
export function imageModels(): readonly KernelModel[] {
  return [...convolutionModels(), ...poolingModels(), ...attentionModels()];
}
