import type { Operand } from "@sw/tensor/seam";
import { driveFour, driveThree, driveTwo, rowOf } from "./driver.js";
import { adamRows, sgdMomentumRows, sgdRows } from "./generated/optimise.js";
import { driveStaged, isStaged } from "./stations.js";

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
 * Source: Sutskever, Martens, Dahl and Hinton, 2013.
 */
export function sgdStep(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): void {
  const [parameter, velocity] = outputs as readonly [Operand, Operand?];
  const gradient = inputs[0]!;
  if (velocity === undefined) {
    const row = rowOf("sgdStep", sgdRows, parameter.dtype);
    if (isStaged(parameter.dtype)) driveStaged(row, [parameter, gradient], 1, true, ints, floats);
    else driveTwo(row, parameter, gradient, ints, floats);
    return;
  }
  const row = rowOf("sgdStep", sgdMomentumRows, parameter.dtype);
  if (isStaged(parameter.dtype)) driveStaged(row, [parameter, velocity, gradient], 2, true, ints, floats);
  else driveThree(row, parameter, velocity, gradient, ints, floats);
}

/**
 * Takes one step of Adam, in place. Outputs `[parameter, first, second]`, the two moments; inputs `[gradient]`; floats
 * `[learningRate, beta1, beta2, epsilon, weightDecay, correction1, correction2]`, the corrections `1 - beta1^t` and
 * `1 - beta2^t` of step t; ints `[decoupled]`.
 *
 *     d = gradient + (decoupled ? 0 : weightDecay) * parameter     (weightDecay 0: d = gradient, whatever the parameter)
 *     first = beta1 * first + (1 - beta1) * d
 *     second = beta2 * second + (1 - beta2) * d²
 *     if (decoupled) parameter *= 1 - learningRate * weightDecay
 *     parameter -= learningRate * ((first / correction1) / (√(second / correction2) + epsilon))
 *
 * Kingma and Ba, 2015; decoupled, Loshchilov and Hutter, 2019. An element's step is computed in float64 throughout; the
 * new moments enter the parameter unrounded, and each of the three is rounded once, when it is stored. NaN and infinities
 * spread as IEEE has them. The outputs are read and written; they overlap neither each other nor the gradient.
 */
export function adamStep(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): void {
  const [parameter, first, second] = outputs as readonly [Operand, Operand, Operand];
  const row = rowOf("adamStep", adamRows, parameter.dtype);
  if (isStaged(parameter.dtype)) driveStaged(row, [...outputs, inputs[0]!], 3, true, ints, floats);
  else driveFour(row, parameter, first, second, inputs[0]!, ints, floats);
}
