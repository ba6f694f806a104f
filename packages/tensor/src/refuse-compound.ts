import { UnsupportedError } from "./errors.js";

/** Recognises a tensor of several parts by its brand alone: operations need nothing of `@sw/tensor/compound`. */
export function isCompound(value: unknown): value is { readonly "@sw/tensor/CompoundTensor/1": true } {
  return typeof value === "object" && value !== null && "@sw/tensor/CompoundTensor/1" in value;
}

/**
 * Refuses a tensor of several parts, which only the functions of `views` and `dequantize` take (VA-10).
 *
 * @throws UnsupportedError `SW_TENSOR_UNSUPPORTED`.
 * @since 0.1.0
 */
export function refuseCompound(value: unknown, operation: string): void {
  if (!isCompound(value)) return;
  throw new UnsupportedError(
    `${operation}: not for a tensor of several parts: got ${String(value)}, expected a Tensor. Call dequantize first.`,
  );
}
