import { FLOATS, type OperationSpec } from "../spec.js";

// Steps of optimisers, in place.

export type DifferentiableOptimise = never;
export type PlainOptimise = "sgdStep";

/** One step of stochastic gradient descent. @since 0.1.0 */
export const SGD_STEP: OperationSpec<"sgdStep", false> = {
  kind: "sgdStep",
  family: "loops",
  outputs: ["parameter!", "velocity!?"],
  inputs: ["gradient"],
  ints: ["nesterov"],
  floats: ["learningRate", "momentum", "weightDecay"],
  kinds: FLOATS,
  saves: [],
  differentiable: false,
};
