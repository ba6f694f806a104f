import { wasmMemory } from "@sw/buffer/wasm";
import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import { expect, test } from "vitest";
import { noise, place, values } from "../operands.js";

// Pages that nobody touches cost nothing: the two gigabytes below are never written.
const high = wasmMemory({ initialBytes: 2 ** 31 + 2 ** 27 });
high.allocate(2 ** 31 - 1);
const above = wasmKernelsSync({ memory: high });
const below = wasmKernelsSync({ initialBytes: 2 ** 24 });

function run(
  { memory, kernels }: WasmBackend,
  kernel: keyof WasmBackend["kernels"],
  shapes: readonly (readonly number[])[],
  ints: readonly number[],
): number[] {
  const [out, ...inputs] = shapes.map((shape, seed) => place(memory, shape, noise(seed)));
  if (memory === high) for (const { data } of [out!, ...inputs]) expect(data.byteOffset).toBeGreaterThan(2 ** 31);
  kernels[kernel]([out!], inputs, ints, []);
  return values(out!);
}

test.each([
  [
    "matmul",
    [
      [9, 13],
      [9, 300],
      [300, 13],
    ],
    [],
  ],
  [
    "matmul",
    [
      [70, 70],
      [70, 70],
      [70, 70],
    ],
    [],
  ],
  [
    "matmul",
    [
      [1, 70],
      [1, 300],
      [300, 70],
    ],
    [],
  ],
  [
    "conv2d",
    [
      [2, 7, 9, 9],
      [2, 3, 9, 9],
      [7, 3, 3, 3],
    ],
    [3, 3, 1, 1, 1, 1, 1, 1, 1],
  ],
  [
    "conv2d",
    [
      [1, 4, 4, 4],
      [1, 4, 9, 9],
      [4, 1, 3, 3],
    ],
    [3, 3, 2, 2, 0, 0, 1, 1, 4],
  ],
  [
    "conv2dInputBackward",
    [
      [2, 3, 9, 9],
      [2, 7, 9, 9],
      [7, 3, 3, 3],
    ],
    [3, 3, 1, 1, 1, 1, 1, 1, 1],
  ],
  [
    "conv2dWeightBackward",
    [
      [7, 3, 3, 3],
      [2, 7, 9, 9],
      [2, 3, 9, 9],
    ],
    [3, 3, 1, 1, 1, 1, 1, 1, 1],
  ],
] as const)("field case 3: %s of %j above two gigabytes has the bits it has below", (kernel, shapes, ints) => {
  expect(run(above, kernel, shapes, ints)).toEqual(run(below, kernel, shapes, ints));
});
