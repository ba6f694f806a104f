import { FLOATS, type OperationSpec } from "../spec.js";

// Steps of optimisers, in place.

export type DifferentiableOptimise = never;
export type PlainOptimise = "adamStep" | "sgdStep";

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

/** One step of Adam, with its weight decay in the gradient or decoupled from it. @since 0.1.0 */
export const ADAM_STEP: OperationSpec<"adamStep", false> = {
  kind: "adamStep",
  family: "loops",
  outputs: ["parameter!", "first!", "second!"],
  inputs: ["gradient"],
  ints: ["decoupled"],
  floats: ["learningRate", "beta1", "beta2", "epsilon", "weightDecay", "correction1", "correction2"],
  kinds: FLOATS,
  saves: [],
  differentiable: false,
};
