import { wasmMemory } from "@sw/buffer/wasm";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import type { Kernel, Program } from "@sw/tensor/seam";
import { beginWith } from "../../tensor/src/scope.js";

// The setup of the lane `SW_TEST_KERNELS=wasm`: what tests hand to `setKernels` as the kernels in JavaScript runs in
// WebAssembly wherever that takes it, and tensors live in its memory. So tests that were written for the one backend are
// tests of the other, through every operation of every package.

const backend = process.env["SW_TEST_KERNELS"];
if (backend !== "wasm") throw new TypeError(`SW_TEST_KERNELS: no such backend: got "${backend}", expected "wasm".`);
const memory = wasmMemory({ initialBytes: 2 ** 21 });
beginWith(memory);
const wasm = wasmKernelsSync({ memory });
/** How many calls the backend has taken, for the test that says that the lane is not empty. */
const calls = { count: 0 };
Object.assign(globalThis, { [Symbol.for("@sw/kernels-wasm/test/calls")]: calls });
const kernels = jsKernels.kernels as { [name: string]: Kernel | undefined };
for (const [name, inWasm] of Object.entries(wasm.kernels)) {
  const inJavaScript = kernels[name];
  kernels[name] = (...call) => {
    const run = wasm.objection(name, ...call) === undefined ? inWasm : (inJavaScript ?? inWasm);
    if (run === inWasm) calls.count++;
    run(...call);
  };
}

const { compile } = jsKernels;
Object.assign(jsKernels, {
  compile: (program: Program): Kernel | undefined => {
    const [inWasm, inJavaScript] = [wasm.compile?.(program), compile?.(program)];
    if (inWasm === undefined || inJavaScript === undefined) return inJavaScript;
    return (...call) => {
      const run = wasm.objection("program", ...call) === undefined ? inWasm : inJavaScript;
      run(...call);
    };
  },
});
