import { current, type Kernel, type Operand } from "@sw/tensor/seam";
import { positions, reference } from "../support.js";
import type { Defect } from "./defect.js";

/** What a kernel remembers of a record by the record, as if each call had records of its own. */
export function remembering(kernel: Kernel): Kernel {
  const known = new WeakMap<Operand, Operand>();
  const first = (o: Operand): Operand => {
    const kept = known.get(o) ?? { ...o, shape: [...o.shape], strides: [...o.strides] };
    known.set(o, kept);
    return { ...kept, data: o.data };
  };
  return (outputs, inputs, ints, floats) => kernel(outputs.map(first), inputs.map(first), ints, floats);
}

/** Defects of what a backend does around the arithmetic. */
export const BACKEND_DEFECTS: readonly Defect[] = [
  {
    what: "keeps operands",
    kernels: { add: remembering(reference("add")) },
    caughtBy: "kernels/add/float32/reused-operands",
  },
  {
    what: "clears its output first, which may be its input",
    kernels: {
      mul: (outputs, inputs, ints, floats) => {
        for (const at of positions(outputs[0]!)) outputs[0]!.data[at] = 0;
        reference("mul")(outputs, inputs, ints, floats);
      },
    },
    caughtBy: "kernels/mul/float32/in-place",
  },
  {
    what: "knows two loops, and leaves out all before them",
    kernels: {
      exp: (outputs, inputs, ints, floats) => {
        const inner = (o: Operand): Operand => ({ ...o, shape: o.shape.slice(-2), strides: o.strides.slice(-2) });
        reference("exp")(outputs.map(inner), inputs.map(inner), ints, floats);
      },
    },
    caughtBy: "tensors/exp/nested-layout",
  },
  {
    what: "takes a buffer a call and returns none",
    kernels: {
      relu: (outputs, inputs, ints, floats) => {
        current().memory.allocate(64);
        reference("relu")(outputs, inputs, ints, floats);
      },
    },
    caughtBy: "tensors/relu/no-leak",
    code: "SW_CONFORMANCE_LEAK",
  },
];
