import type { BackwardRecord } from "@sw/tensor/seam";

/** Tells whether an input of a recorded operation wants a cotangent. */
export function needs(record: BackwardRecord, input: number): boolean {
  return record.inputs[input]?.node !== undefined;
}

/** The shape an input had. */
export function inputShape(record: BackwardRecord, input: number): readonly number[] {
  return record.inputs[input]?.shape ?? [];
}
