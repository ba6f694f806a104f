import { MEMORY } from "./instructions/memory.js";
import { SCALAR } from "./instructions/scalar.js";
import { VECTOR } from "./instructions/vector.js";
import type { DataReference } from "./types.js";

/**
 * Every plain instruction, by its name in the text format: opcode, types, the immediates it is written with, and
 * the size that these are about (of `memory` the bytes accessed, of `lane` the number of lanes). Of an opcode above
 * 0xff the prefix byte is what stands above the lowest 12 bits. Types are letters, operands in the order they are
 * pushed, then `>` and results: `i` is i32, `l` i64, `f` f32, `d` f64, `v` v128.
 *
 * Control instructions, those on locals and `select` are methods of the function builder, because their types
 * depend on what they name. A new instruction is a new row and nothing else.
 *
 * @since 0.1.0
 */
export const INSTRUCTIONS: typeof SCALAR & typeof MEMORY & typeof VECTOR = { ...SCALAR, ...MEMORY, ...VECTOR };

/** The name of an instruction, as in the text format. @since 0.1.0 */
export type InstructionName = keyof typeof INSTRUCTIONS;

/** A row of the table. @since 0.1.0 */
export type Instruction = readonly [opcode: number, types: string, immediate?: keyof ImmediateArguments, size?: number];

/** The arguments that each kind of immediate is given by. @since 0.1.0 */
export interface ImmediateArguments {
  i32: [value: number];
  i64: [value: bigint];
  f32: [value: number];
  f64: [value: number];
  /** Sixteen bytes, lowest first. */
  v128: [bytes: readonly number[]];
  lane: [lane: number];
  /** Sixteen byte numbers, 0 to 15 of the first operand, 16 to 31 of the second. */
  shuffle: [bytes: readonly number[]];
  memory: [byteOffset?: number];
  memoryLane: [byteOffset: number, lane: number];
  /** Which memories: there is one, so nothing is given. */
  memories: [];
  segment: [segment: DataReference];
}

/** The immediates of one instruction. @since 0.1.0 */
export type ImmediatesOf<N extends InstructionName> = (typeof INSTRUCTIONS)[N] extends readonly [
  number,
  string,
  infer Kind extends keyof ImmediateArguments,
  ...unknown[],
]
  ? ImmediateArguments[Kind]
  : [];
