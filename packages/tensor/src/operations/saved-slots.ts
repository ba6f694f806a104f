import { type Edge, type SavedSlot, save } from "../record.js";
import type { Tensor } from "../tensor.js";
import type { OperationSpec, Slot } from "./spec.js";

/** Tells whether a record of these inputs keeps what a slot names. @since 0.1.0 */
export function isNeeded([, ...neededBy]: Slot, inputs: readonly (Edge | undefined)[]): boolean {
  return neededBy.length === 0 || neededBy.some((input) => inputs[input]?.node !== undefined);
}

/**
 * Keeps what the record of a call needs, by the operation's `saves`.
 *
 * @param number - the operand that stands for a plain number. Its slot stays empty: a record keeps a number as a number,
 * in `floats`, since nobody could return the memory of a tensor made for it.
 * @since 0.1.0
 */
export function savedSlots(
  spec: OperationSpec,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
  number?: Tensor,
): readonly (SavedSlot | undefined)[] {
  return spec.saves.map((slot) => {
    if (!isNeeded(slot, inputs)) return undefined;
    const [operand] = slot;
    const kept = operand >= 0 ? inputs[operand] : outputs[-1 - operand];
    return kept === undefined || kept === number ? undefined : save(kept);
  });
}
