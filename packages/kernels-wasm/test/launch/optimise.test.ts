import { jsKernels } from "@sw/kernels-js";
import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import type { Operand } from "@sw/tensor/seam";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indices, noise, type Placed, place } from "../operands.js";

const backend: WasmBackend = wasmKernelsSync({ initialBytes: 2 ** 26 });
const { memory } = backend;
type Kind = "sgdStep" | "adamStep";

interface Case {
  readonly kind: Kind;
  readonly outputs: number;
  readonly ints: readonly number[];
  readonly floats: readonly number[];
}

const CASES: readonly (Case & { readonly name: string })[] = [
  { name: "plain", kind: "sgdStep", outputs: 1, ints: [0], floats: [0.1, 0, 0] },
  { name: "with decay", kind: "sgdStep", outputs: 1, ints: [0], floats: [0.1, 0, 0.01] },
  { name: "with momentum", kind: "sgdStep", outputs: 2, ints: [0], floats: [0.1, 0.9, 0] },
  { name: "of Nesterov, with decay", kind: "sgdStep", outputs: 2, ints: [1], floats: [0.1, 0.9, 0.01] },
  { name: "of Adam", kind: "adamStep", outputs: 3, ints: [0], floats: [0.001, 0.9, 0.999, 1e-8, 0, 0.1, 0.001] },
  {
    name: "of Adam, with decay",
    kind: "adamStep",
    outputs: 3,
    ints: [0],
    floats: [0.001, 0.9, 0.999, 1e-8, 0.1, 0.19, 0.002],
  },
  { name: "of AdamW", kind: "adamStep", outputs: 3, ints: [1], floats: [0.001, 0.9, 0.999, 1e-8, 0.1, 0.19, 0.002] },
];

const onHeap = (operand: Operand): Operand => ({ ...operand, data: Float32Array.from(operand.data as Float32Array) });
const bitsOf = (operand: Operand): number[] => {
  const { buffer, byteOffset, length } = operand.data;
  const bits = new Uint32Array(buffer, byteOffset, length);
  // A NaN has the bits that its host gives it.
  return indices(operand).map((at) => (Number.isNaN(Number(operand.data[at])) ? Number.NaN : bits[at]!));
};

/** Takes three steps by both backends, from the same elements, and compares the bits. */
function compare({ kind, ints, floats }: Case, outputs: readonly Operand[], gradient: Operand): void {
  const ours = outputs;
  const theirs = outputs.map(onHeap);
  const { inUse } = memory;
  for (let step = 0; step < 3; step++) {
    expect(backend.supports(kind, ours, [gradient], ints, floats)).toBe(true);
    backend.kernels[kind](ours, [gradient], ints, floats);
    jsKernels.kernels[kind]!(theirs, [onHeap(gradient)], ints, floats);
  }
  expect(memory.inUse).toBe(inUse);
  expect(ours.map(bitsOf)).toEqual(theirs.map(bitsOf));
}

describe("steps of optimisers", () => {
  test.each(CASES)("S-53 $kind $name has the bits of the one in JavaScript, whatever the strides", (given) => {
    const property = fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 0, maxLength: 3 }).chain((shape) => {
        const axes = shape.map((_, i) => i);
        const placing = fc.record({
          order: fc.shuffledSubarray(axes, { minLength: shape.length }),
          reversed: fc.subarray(axes),
          gap: fc.constantFrom(1, 2),
          skip: fc.constantFrom(0, 1),
          heap: fc.boolean(),
        });
        return fc.record({
          shape: fc.constant(shape),
          placings: fc.array(placing, { minLength: 4, maxLength: 4 }),
          broadcast: fc.subarray(axes),
        });
      }),
      ({ shape, placings, broadcast }) => {
        const operands = placings.slice(0, given.outputs).map(({ heap, ...placing }, i) => {
          const operand = place(memory, shape, i === 2 ? (k) => Math.abs(noise(i)(k)) : noise(i), placing);
          return heap ? onHeap(operand) : operand;
        });
        const { heap, ...placing } = placings[3]!;
        const gradient = place(memory, shape, noise(9), { ...placing, broadcast });
        compare(given, operands, heap ? onHeap(gradient) : gradient);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  test.each(CASES)("$kind $name of lengths around the vectors and the blocks", (given) => {
    for (const n of [1, 2, 3, 4, 5, 7, 8, 16_383, 16_384, 16_389]) {
      const all = [0, 1, 2].map((i) => place(memory, [n], i === 2 ? (k) => Math.abs(noise(i)(k)) : noise(i)));
      compare(given, all.slice(0, given.outputs), place(memory, [n], noise(5)));
    }
  });

  test.each(CASES)("$kind $name of special values", (given) => {
    const specials = [Number.NaN, Infinity, -Infinity, 0, -0, 1e-45, -1e-40, 3e38, -3e38, 1];
    const n = specials.length ** 2;
    const operand = (of: (i: number) => number): Placed => place(memory, [n], of);
    const parameter = operand((i) => specials[i % 10]!);
    const moments = [operand(() => 0), operand(() => 1)].slice(0, given.outputs - 1);
    compare(
      given,
      [parameter, ...moments],
      operand((i) => specials[Math.floor(i / 10)]!),
    );
  });
});
