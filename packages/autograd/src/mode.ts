import { current, type Synchronous, withRecording } from "@sw/tensor/seam";
import { checkFunction } from "./check-argument.js";

/**
 * Runs a synchronous function without writing history; what it makes takes no part in gradients.
 *
 * @throws TensorStateError `SW_TENSOR_SCOPE_PROMISE` when the function returns a promise.
 * @since 0.1.0
 */
export function noGrad<T>(fn: Synchronous<T>): T {
  checkFunction("noGrad", fn);
  return withRecording(false, fn);
}

/** Runs a synchronous function with history written, inside a {@link noGrad} too. @since 0.1.0 */
export function enableGrad<T>(fn: Synchronous<T>): T {
  checkFunction("enableGrad", fn);
  return withRecording(true, fn);
}

/** Tells whether operations write history now. @since 0.1.0 */
export function isGradEnabled(): boolean {
  return current().recording;
}
