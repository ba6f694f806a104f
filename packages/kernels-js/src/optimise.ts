import type { Operand } from "@sw/tensor/seam";
import { driveThree, driveTwo, rowOf } from "./driver.js";
import { sgdMomentumRows, sgdRows } from "./generated/optimise.js";

/**
 * Takes one step of stochastic gradient descent, in place. Outputs `[parameter, velocity]`, or `[parameter]` alone
 * where the momentum is 0; inputs `[gradient]`; floats `[learningRate, momentum, weightDecay]`; ints `[nesterov]`.
 *
 *     d = gradient + weightDecay * parameter           (weightDecay 0: d = gradient, whatever the parameter)
 *     velocity = momentum * velocity + d
 *     parameter -= learningRate * (nesterov ? d + momentum * velocity : velocity)
 *
 * There is no dampening. An element's step is computed in float64 throughout; the new velocity enters the parameter
 * unrounded, and each of the two is rounded once, when it is stored. NaN and infinities spread as IEEE has them. The
 * outputs are read and written; they overlap neither each other nor the gradient.
 */
export function sgdStep(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): void {
  const parameter = outputs[0]!;
  const velocity = outputs[1];
  if (velocity === undefined) {
    driveTwo(rowOf("sgdStep", sgdRows, parameter.dtype), parameter, inputs[0]!, ints, floats);
  } else {
    driveThree(rowOf("sgdStep", sgdMomentumRows, parameter.dtype), parameter, velocity, inputs[0]!, ints, floats);
  }
}
