import { type Allocator, BufferPool } from "@sw/buffer";
import { withKernels } from "@sw/tensor";
import { type Backend, current, type Kernel, type OperationSpec, runAxes, runLoops, runReduce } from "@sw/tensor/seam";
import type { Sample } from "../sample.js";
import { type Placed, placeTensor } from "./placed.js";

/** The tensors of a call. */
export interface Tensors {
  readonly outputs: readonly Placed[];
  readonly inputs: readonly Placed[];
}

/** Where inputs lie: where results do, in the candidate's memory if it has one; or on the JavaScript heap. */
type InputsIn = "default" | "heap";

/** Runs a kernel as an operation does: from tensors, by the function of the kernel's family. */
export function runOperation(spec: OperationSpec, { outputs, inputs }: Tensors, { ints, floats }: Sample): void {
  const into = outputs.map(({ tensor }) => tensor);
  const from = inputs.map(({ tensor }) => tensor);
  if (spec.family === "loops") {
    runLoops(spec, into, from, ints, floats);
  } else if (spec.family === "reduce") {
    const axes = Array.from({ length: from[0]!.rank - into[0]!.rank }, (_, i) => into[0]!.rank + i);
    runReduce(spec, into[0]!, from[0]!, axes, ints, floats);
  } else {
    runAxes(spec, into, from, ints, floats);
  }
}

/** How the tensors of a call lie. */
export interface Lying {
  readonly outputs: "nested" | "flat";
  readonly inputs: "nested" | "flat";
  readonly inputsIn: InputsIn;
}

/** Makes the tensors of a sample, lends them with the candidate in force and alone, and gives them back. */
export function withTensors(candidate: Backend, sample: Sample, how: Lying, use: (tensors: Tensors) => void): void {
  withKernels([candidate], () => {
    const { memory } = current();
    const inputMemory: Allocator = how.inputsIn === "heap" ? new BufferPool() : memory;
    const made: Placed[] = [];
    const make = (plans: Sample["inputs"], from: Allocator, layouts: "nested" | "flat"): readonly Placed[] =>
      plans.map((plan) => {
        const placed = placeTensor(plan, from, layouts);
        made.push(placed);
        return placed;
      });
    try {
      const outputs = make(sample.outputs, memory, how.outputs);
      use({ outputs, inputs: make(sample.inputs, inputMemory, how.inputs) });
    } finally {
      for (const { tensor } of made) tensor.dispose();
    }
  });
}

/** The candidate, and how often its kernel was called. */
export function counting(candidate: Backend, name: string): { readonly backend: Backend; calls(): number } {
  let calls = 0;
  const kernel = candidate.kernels[name]!;
  const counted: Kernel = (...lists) => {
    calls += 1;
    kernel(...lists);
  };
  const kernels = { ...candidate.kernels, [name]: counted };
  // Made of the candidate, not copied from it: `supports` may be a method that needs it.
  return { backend: Object.create(candidate, { kernels: { value: kernels } }) as Backend, calls: () => calls };
}
