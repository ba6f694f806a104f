import type { MemorySource } from "@sw/buffer";
import type { DType, TypedArray } from "./dtype.js";
import type { Program } from "./program.js";

/**
 * Memory as a kernel sees it: element `(i0, i1, …)` is `data[offset + Σ ik · strides[k]]`. `data` may be the whole of a
 * memory, and `offset` anywhere in it below 2³¹. Operand records and their lists are reused between calls: a kernel
 * keeps none of them.
 * @since 0.1.0
 */
export interface Operand {
  readonly dtype: DType;
  /** A window that is good until the next allocation in its memory. */
  readonly data: TypedArray;
  /** In elements of `data`. */
  readonly offset: number;
  /** Extents of the loops, outermost first. */
  readonly shape: readonly number[];
  /** In elements, one per loop; 0 where broadcast, negative where reversed. */
  readonly strides: readonly number[];
}

/**
 * Writes into outputs that the caller allocated. Allocates no tensor, keeps no operand,
 * changes no input. What `ints` and `floats` hold is named in the operation's spec.
 * @since 0.1.0
 */
export type Kernel = (
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
) => void;

/**
 * One loop over `count` elements, at least 1, that lie one after the other in every operand. Addresses are those of the
 * first elements, in bytes within the backend's memory, as signed 32-bit integers: `address >>> 0` is the place. A
 * kernel of one input ignores `b`. The output may be an input, at the very same address.
 * @since 0.1.0
 */
export type DirectKernel = (count: number, out: number, a: number, b: number) => void;

/** A set of kernels, as a value. Registers nothing; a chain of them is put in force by `setKernels`. @since 0.1.0 */
export interface Backend {
  readonly name: string;
  /** The version of this contract. */
  readonly seamVersion: 1;
  /** Where the kernels like their operands; the first backend's memory feeds the default pool. */
  readonly memory?: MemorySource;
  /**
   * Whether its kernels take operands outside of `memory` too, by copying them in and out. Only then may outputs
   * overflow to the JavaScript heap when `memory` is under pressure.
   */
  readonly stages?: boolean;
  /** Kernels by operation kind. A missing entry means the next backend in the chain. */
  readonly kernels: { readonly [name: string]: Kernel | undefined };
  /**
   * Says no to operands or numbers that a kernel of this backend does not take; the next backend is asked. It is asked
   * before each call, so it makes no text: see `objection`.
   */
  supports?(
    kernel: string,
    outputs: readonly Operand[],
    inputs: readonly Operand[],
    ints: readonly number[],
    floats: readonly number[],
  ): boolean;
  /** Says for people why `supports` says no; `undefined` where it says yes. */
  objection?(
    kernel: string,
    outputs: readonly Operand[],
    inputs: readonly Operand[],
    ints: readonly number[],
    floats: readonly number[],
  ): string | undefined;
  /**
   * Makes one kernel of a program, which `checkProgram` passed; `undefined` where it cannot. Asked once for a program, as
   * a value, and a backend. Operands are those of the family `loops`, or `reduce` where the program ends in a reduction,
   * `ints` and `floats` empty; whether it takes them is asked of `supports("program", …)`.
   */
  compile?(program: Program): Kernel | undefined;
  /**
   * Gives the kernel of an operation of the family `loops` for operands that lie dense and alike in `memory`, all of one
   * dtype, without ints and floats; `undefined` where there is none. It has the meaning and the
   * bound of the kernel of that name, and is good for ever: it is asked once, and `supports` is not asked before its calls.
   */
  direct?(kernel: string, dtype: DType): DirectKernel | undefined;
}
