// A WebAssembly module, written by hand. In the text format it is
//
//   (module
//     (import "host" "memory" (memory 1))
//     (func (export "relu") (param $out i32) (param $outStep i32) (param $x i32) (param $xStep i32) (param $count i32)
//       (local $value f32)
//       …))
//
// and its function writes `x < 0 ? 0 : x` of `count` elements, from addresses and by steps in bytes. So NaN and -0 pass,
// which `f32.max` with 0 would not let.

const [I32, F32] = [0x7f, 0x7d];
const [OUT, OUT_STEP, X, X_STEP, COUNT, VALUE] = [0, 1, 2, 3, 4, 5];
const ZERO = [0x43, 0, 0, 0, 0]; // f32.const 0

/** A length and what it is of: all of them here fit into one byte. */
const sized = (content: readonly number[]): number[] => [content.length, ...content];
const section = (id: number, content: readonly number[]): number[] => [id, ...sized(content)];
const text = (of: string): number[] => sized([...new TextEncoder().encode(of)]);
/** `pointer += step`. */
const advance = (pointer: number, step: number): number[] => [0x20, pointer, 0x20, step, 0x6a, 0x21, pointer];

const BODY = [
  ...[1, 1, F32], // one local of float32
  ...[0x02, 0x40], // block
  ...[0x20, COUNT, 0x45, 0x0d, 0], //   leave it when count is 0
  ...[0x03, 0x40], //   loop
  ...[0x20, OUT], //     the address of the result, for the store
  ...ZERO, //     what is taken if the condition holds
  ...[0x20, X, 0x2a, 2, 0, 0x22, VALUE], //     value = load x, and taken otherwise
  ...[0x20, VALUE, ...ZERO, 0x5d], //     the condition: value < 0
  ...[0x1b, 0x38, 2, 0], //     select, store
  ...advance(OUT, OUT_STEP),
  ...advance(X, X_STEP),
  ...[0x20, COUNT, 0x41, 1, 0x6b, 0x22, COUNT, 0x0d, 0], //     once more unless --count is 0
  ...[0x0b, 0x0b, 0x0b], // end of loop, block, function
];

/** The module's bytes. */
export const RELU_MODULE: Uint8Array<ArrayBuffer> = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
  ...section(1, [1, 0x60, ...sized([I32, I32, I32, I32, I32]), 0]), // types: five i32, no result
  ...section(2, [1, ...text("host"), ...text("memory"), 2, 0, 1]), // imports: a memory of a page or more
  ...section(3, [1, 0]), // functions: one, of type 0
  ...section(7, [1, ...text("relu"), 0, 0]), // exports: function 0
  ...section(10, [1, ...sized(BODY)]), // code
]);
