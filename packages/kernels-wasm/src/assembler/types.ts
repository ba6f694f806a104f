/** The types of values that the assembler knows. @since 0.1.0 */
export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

/** The byte that stands for each value type in a module. */
export const VALUE_TYPE_CODES = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;

const LETTERS: { readonly [letter: string]: ValueType } = { i: "i32", l: "i64", f: "f32", d: "f64", v: "v128" };

/** Reads one side of the types of an instruction: letters of `INSTRUCTIONS`. */
export function typesOf(letters: string): readonly ValueType[] {
  return Array.from(letters, (letter) => LETTERS[letter]!);
}

/** What a function takes and gives. @since 0.1.0 */
export interface FunctionType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** A parameter or local variable of the function that made it. @since 0.1.0 */
export interface Local<T extends ValueType = ValueType> {
  readonly index: number;
  readonly type: T;
  readonly name: string;
}

/** A function that `call` can name. @since 0.1.0 */
export interface FunctionReference {
  readonly index: number;
  readonly name: string;
  readonly type: FunctionType;
}

/** A data segment that `memory.init` can name. @since 0.1.0 */
export interface DataReference {
  readonly index: number;
}

/** Sizes of a memory in pages of 64 KiB. @since 0.1.0 */
export interface MemoryLimits {
  readonly minimum: number;
  readonly maximum?: number;
  /** For threads; a shared memory has a maximum. A module takes a shared memory only if it says so, and only such. */
  readonly shared?: boolean;
}
