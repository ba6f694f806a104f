import { wasmMemory } from "@sw/buffer/wasm";
import { describe, expect, test } from "vitest";
import { ModuleBuilder } from "../../src/assembler/index.js";
import type { PackCall } from "../../src/kernels/core.js";
import { emitPack } from "../../src/kernels/pack.js";
import { type Placed, place, values } from "../operands.js";

const source = wasmMemory({ initialBytes: 2 ** 20 });

function packer(width: number): PackCall {
  const module = new ModuleBuilder().importMemory("env", "memory", { minimum: 1 });
  emitPack(module, "pack", width);
  const compiled = new WebAssembly.Module(module.toBytes());
  return new WebAssembly.Instance(compiled, { env: { memory: source.memory } }).exports["pack"] as PackCall;
}

/** `matrix` is [panel direction, depth]. */
function check(width: number, matrix: Placed): void {
  const [count, depth] = matrix.shape as [number, number];
  const panels = Math.ceil(count / width);
  const target = place(source, [panels, depth, width], () => -1);
  packer(width)(
    target.data.byteOffset + target.offset * 4,
    matrix.data.byteOffset + matrix.offset * 4,
    matrix.strides[0]! * 4,
    matrix.strides[1]! * 4,
    count,
    depth,
  );
  const from = values(matrix);
  const expected: number[] = [];
  for (let panel = 0; panel < panels; panel++) {
    for (let k = 0; k < depth; k++) {
      for (let i = 0; i < width; i++) {
        const line = panel * width + i;
        expected.push(line < count ? from[line * depth + k]! : 0);
      }
    }
  }
  expect(values(target)).toEqual(expected);
}

describe.each([5, 8, 12])("packing panels of %i", (width) => {
  test.each([
    ["contiguous along the depth", {}],
    ["contiguous along the panel", { order: [1, 0] }],
    ["contiguous in no direction", { gap: 3 }],
    ["reversed along the depth", { reversed: [1] }],
    ["reversed along the panel", { reversed: [0], order: [1, 0] }],
    ["broadcast along the panel", { broadcast: [0] }],
    ["broadcast along the depth", { broadcast: [1] }],
  ] as const)("%s", (_, placing) => {
    for (const count of [1, width - 1, width, width + 1, 2 * width, 2 * width + 3]) {
      for (const depth of [1, 3, 4, 5, 8, 11]) {
        check(
          width,
          place(source, [count, depth], (i) => i + 1, { skip: 1, ...placing }),
        );
      }
    }
  });
});
