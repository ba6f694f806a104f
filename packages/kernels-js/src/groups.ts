import { elementwise } from "./groups/elementwise.js";
import type { KernelGroup } from "./groups/group.js";
import { images } from "./groups/images.js";
import { indexing } from "./groups/indexing.js";
import { matmul } from "./groups/matmul.js";
import { movement } from "./groups/movement.js";
import { optimise } from "./groups/optimise.js";
import { reduce } from "./groups/reduce.js";
import { rows } from "./groups/rows.js";

/** All the kernels there are. A kernel is in one group. */
export const GROUPS: readonly KernelGroup[] = [elementwise, optimise, reduce, rows, matmul, images, indexing, movement];
