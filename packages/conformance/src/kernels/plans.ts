import { type Placement, positionsOf } from "../operands/placing.js";
import type { Random } from "../random.js";
import { type DType, isFloat, isWideInteger, roundTo, type Value, wrapTo } from "../values.js";
import type { Plan } from "./sample.js";

/**
 * Makes a plan of an operand that is read. Where elements share a place (a stride of 0) the last value written there is
 * what all of them read, so the plan's values are read back.
 */
export function valued(dtype: DType, placement: Placement, values: readonly Value[]): Plan {
  const { shape, strides } = placement;
  const loops = shape.length;
  if (!strides.some((stride, axis) => stride === 0 && shape[axis]! > 1)) return { dtype, placement, values, loops };
  const held = new Map<number, Value>();
  const positions = positionsOf(placement);
  positions.forEach((at, i) => {
    held.set(at, values[i]!);
  });
  return { dtype, placement, values: positions.map((at) => held.get(at)!), loops };
}

/** Makes a plan of an output that is only written. */
export function unwritten(dtype: DType, placement: Placement): Plan {
  return { dtype, placement, loops: placement.shape.length };
}

export function numbersOf(plan: Plan): readonly number[] {
  return plan.values as readonly number[];
}

/** A value of everyday size, of any dtype: what arithmetic is tried with. */
export function everyday(dtype: DType, source: Random): Value {
  if (dtype === "bool") return source.integer(0, 1);
  if (!isFloat(dtype)) {
    if (source.next() < 0.5) return wrapTo(dtype, BigInt(source.integer(-9, 9)));
    // Anything: the dtype wraps it.
    const high = BigInt(Math.floor(source.next() * 2 ** 32));
    if (!isWideInteger(dtype)) return wrapTo(dtype, high);
    return wrapTo(dtype, (high << 32n) + BigInt(Math.floor(source.next() * 2 ** 32)));
  }
  const kind = source.next();
  if (kind < 0.6) return roundTo(dtype, source.next() * 8 - 4);
  if (kind < 0.8) return source.integer(-3, 3) + 0;
  return roundTo(dtype, (source.next() * 2 - 1) * 2 ** source.integer(-12, 12));
}

/** A number between two, rounded to a float dtype. */
export function between(dtype: DType, low: number, high: number, source: Random): number {
  return roundTo(dtype, low + source.next() * (high - low));
}
