import { full, type Tensor, zeros } from "@sw/tensor";
import { type BackwardRecord, unpack } from "@sw/tensor/seam";

/** Tells whether an input of a recorded operation wants a cotangent. */
export function needs(record: BackwardRecord, input: number): boolean {
  return record.inputs[input]?.node !== undefined;
}

/** The shape an input had. */
export function inputShape(record: BackwardRecord, input: number): readonly number[] {
  return record.inputs[input]?.shape ?? [];
}

/** The cotangent of an input on which the result depends by steps alone: zeros, in the memory of one. */
export function nothing(record: BackwardRecord, g: Tensor, input = 0): Tensor {
  return zeros([], { dtype: g.dtype }).expand(inputShape(record, input));
}

/** A saved operand: a tensor, or the plain number that stood in its place. */
export function operand(record: BackwardRecord, slot: number): Tensor | number {
  const number = record.floats[0];
  return record.saved[slot] === undefined && number !== undefined ? number : unpack(record, slot);
}

/** A saved operand, a plain number as a tensor of one element. */
export function tensorOf(record: BackwardRecord, slot: number, g: Tensor): Tensor {
  const value = operand(record, slot);
  return typeof value === "number" ? full([], value, { dtype: g.dtype }) : value;
}
