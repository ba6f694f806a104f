import { type WasmMemory, wasmMemory } from "@sw/buffer/wasm";
import type { Backend, Kernel, Operand } from "@sw/tensor/seam";
import { add } from "./add.js";
import { matmul } from "./matmul.js";
import { RELU_MODULE } from "./relu-module.js";
import { forEachRow, innermost } from "./rows.js";

/** `relu` as the module exports it: addresses and steps in bytes. */
type Relu = (out: number, outStep: number, x: number, xStep: number, count: number) => void;

const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Lays rows of operands before the module's function. It sees one memory, so the operands must live there. */
function reluBy(relu: Relu): Kernel {
  return ([out], [x]) => {
    const [count, outStep] = innermost(out!);
    const [, xStep] = innermost(x!);
    const outBase = out!.data.byteOffset;
    const xBase = x!.data.byteOffset;
    forEachRow([out!, x!], (starts) => {
      const [outAt, xAt] = starts as [number, number];
      relu(outBase + outAt * BYTES, outStep * BYTES, xBase + xAt * BYTES, xStep * BYTES, count);
    });
  };
}

/**
 * A backend of three float32 kernels: `add` and `matmul` in JavaScript, for operands of any memory, and `relu` in
 * WebAssembly, for those that live in `memory`. What it does not take, the next backend of the chain does.
 */
export function handmade(): Backend & { readonly memory: WasmMemory } {
  const memory = wasmMemory({ initialBytes: 2 ** 20 });
  const module = new WebAssembly.Module(RELU_MODULE);
  const instance = new WebAssembly.Instance(module, { host: { memory: memory.memory } });
  const kernels = { add, matmul, relu: reluBy(instance.exports["relu"] as Relu) };

  /** Why a kernel does not take operands; asked by `explain`, in words. */
  const objection = (kernel: string, outputs: readonly Operand[], inputs: readonly Operand[]): string | undefined => {
    for (const list of [outputs, inputs]) {
      for (const { dtype, data } of list) {
        if (dtype !== "float32") return `takes float32 only, not ${dtype}`;
        if (kernel === "relu" && data.buffer !== memory.memory.buffer) return "takes operands of its own memory only";
      }
    }
    return undefined;
  };
  return {
    name: "handmade",
    seamVersion: 1,
    memory,
    stages: false,
    kernels,
    supports: (kernel, outputs, inputs) => objection(kernel, outputs, inputs) === undefined,
    objection,
  };
}
