import type { Operand } from "@sw/tensor/seam";
import type { CoreExports } from "../kernels/core.js";
import type { Variants } from "../variants.js";
import type { ProductEngine } from "./products.js";
import type { WorkingRoom } from "./working-room.js";

/** What every kernel has beside its operands: the functions of the core module, and working memory. */
export interface Engine {
  readonly core: CoreExports;
  /** What is emitted when it is first called for. */
  readonly variants: Variants;
  readonly products: { readonly float32: ProductEngine; readonly float64: ProductEngine };
  /** The address of the working memory of blocks: see `BLOCKS_BYTES`. */
  readonly blocks: number;
}

/** What a kernel is called with, as the seam has it. */
export type Call = readonly [
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
];

/** A kernel of the backend that takes room for the time of a call. */
export interface RoomKernel {
  /** Why it declines operands, in a word, or `undefined`. Where they live is not its question. */
  readonly objection: (...call: Call) => string | undefined;
  /** Works on operands that `objection` has passed. */
  readonly launch: (engine: Engine, room: WorkingRoom, ...call: Call) => void;
}

/** Kernels by name: those of one file of `launch`. */
export type Family<Kind extends string> = { readonly [kind in Kind]: RoomKernel };

/** Takes operands that are all of one dtype. */
export function allOf(dtype: string): RoomKernel["objection"] {
  const isOther = (operand: Operand): boolean => operand.dtype !== dtype;
  return (outputs, inputs) => (outputs.some(isOther) || inputs.some(isOther) ? "dtype" : undefined);
}
