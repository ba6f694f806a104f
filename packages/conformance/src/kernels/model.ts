import { DTYPES } from "@sw/tensor";
import type { OperationSpec } from "@sw/tensor/seam";
import type { Bound } from "../bounds.js";
import type { Role } from "../operands/forms.js";
import type { Placer } from "../operands/placing.js";
import type { Random } from "../random.js";
import type { DType, Value } from "../values.js";
import type { Sample } from "./sample.js";

/** The extents of a call, as its model reads them: a shape, or `[…batch, m, k, n]`, … */
export type Problem = readonly number[];

/** Chooses an operand's values, which `ordinary` makes one by one unless a case wants others. */
export type Draw = (operand: number, dtype: DType, count: number, ordinary: () => Value) => Value[];

/** A case that only one kernel has. */
export interface OwnCase {
  readonly name: string;
  /** Of these dtypes only. */
  readonly dtypes?: readonly DType[];
  samples(dtype: DType, source: Random): readonly Sample[];
}

/** What a kernel means and where it is tried: everything that the cases of a kernel are made of. */
export interface KernelModel {
  readonly spec: OperationSpec;
  /** How far a conforming kernel may be from the reference. */
  readonly bound: Bound;
  /** How far an exact one may be (D8): it computes in float64 and rounds once. Absent where that is `bound`. */
  readonly exactBound?: Bound;
  /** Tells apart the cases of a kernel that is called in two ways. */
  readonly variant?: string;
  /** Outputs first. */
  readonly roles: readonly Role[];
  /** The extents that every form is tried with. */
  readonly problems: readonly Problem[];
  /** Extents around the widths of vectors and unrolled loops. */
  readonly sizes: readonly Problem[];
  /** Extents of 1, and no loops at all. */
  readonly ones: readonly Problem[];
  /** Extents of 0 that the seam hands to a kernel. */
  readonly empty: readonly Problem[];
  /** Small extents, for special values at every position. */
  readonly small: readonly Problem[];
  /** Whether an element of the output depends on nothing but the inputs' elements at its coordinate. */
  readonly pointwise: boolean;
  /** Whether the largest numbers may be among the special values: nothing is added up that would overflow midway. */
  readonly largest: boolean;
  /** The operands, counted as in `roles`, that take special values. */
  readonly special: readonly number[];
  readonly own: readonly OwnCase[];
  randomProblem(source: Random): Problem;
  sample(dtype: DType, problem: Problem, placers: readonly Placer[], draw: Draw, source: Random): Sample;
}

/** The dtypes that a kernel may be asked for: all of the families of its operation. */
export function dtypesOf(spec: OperationSpec): readonly DType[] {
  return Object.values(DTYPES).flatMap(({ name, kind }) => (spec.kinds.includes(kind) ? [name] : []));
}

/** Draws nothing but ordinary values. */
export const ordinaryDraw: Draw = (_operand, _dtype, count, ordinary) => Array.from({ length: count }, ordinary);

/** The integers from `low` to `high`. */
export function range(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}

/** Every length up to 67, and lengths around the blocks that loops are unrolled by. */
export function lengths(): readonly number[] {
  return [...range(1, 67), 127, 128, 129, 255, 256, 257, 1000, 1027];
}
