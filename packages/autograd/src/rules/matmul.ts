import { matmul } from "@sw/tensor";
import { type BackwardRule, unpack } from "@sw/tensor/seam";
import { inputShape, needs } from "./needs.js";
import { sumTo } from "./sum-to.js";

// dA = g·bᵀ and dB = aᵀ·g; the transposes are views. Broadcast batches sum.
export const matmulRule: BackwardRule = (record, g) => [
  needs(record, 0) ? sumTo(matmul(g, unpack(record, 1).transpose(-2, -1)), inputShape(record, 0)) : undefined,
  needs(record, 1) ? sumTo(matmul(unpack(record, 0).transpose(-2, -1), g), inputShape(record, 1)) : undefined,
];
