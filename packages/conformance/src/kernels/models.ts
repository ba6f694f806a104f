import type { KernelModel } from "./model.js";
import { elementwiseModels } from "./models/elementwise.js";
import { imageModels } from "./models/images.js";
import { indexingModels } from "./models/indexing.js";
import { lossModels } from "./models/losses.js";
import { matmulModels } from "./models/matmul.js";
import { movementModels } from "./models/movement.js";
import { optimiseModels } from "./models/optimise.js";
import { reduceModels } from "./models/reduce.js";
import { rowsModels } from "./models/rows.js";

/** Every kernel that the kit knows. */
export function kernelModels(): readonly KernelModel[] {
  return [
    ...elementwiseModels(),
    ...optimiseModels(),
    ...reduceModels(),
    ...rowsModels(),
    ...matmulModels(),
    ...imageModels(),
    ...indexingModels(),
    ...lossModels(),
    ...movementModels(),
  ];
}
