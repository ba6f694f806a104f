// Trains for some steps and tells how far the RSS grew after the first tenth of them.
import process from "node:process";
import * as autograd from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import * as tensors from "@sw/tensor";
import { ourTraining, trainingInputs } from "../rows/training.mjs";

const steps = Number(process.argv[2]);
tensors.setKernels(await wasmKernels(), jsKernels);
const operands = trainingInputs().map(({ data, shape }) => tensors.tensor(data).reshape(shape));
const step = ourTraining({ ...tensors, ...autograd })(...operands);

let first = 0;
let most = 0;
for (let i = 1; i <= steps; i++) {
  step();
  if (i === steps / 10) {
    globalThis.gc();
    first = process.memoryUsage.rss();
  } else if (i > steps / 10 && i % (steps / 10) === 0) {
    globalThis.gc();
    most = Math.max(most, process.memoryUsage.rss());
  }
}
process.stdout.write(JSON.stringify({ growth: (most - first) / 1e6 }));
