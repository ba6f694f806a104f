import type { Backend, Kernel, Operand } from "@sw/tensor/seam";
import type { ConformanceErrorCode } from "../../src/index.js";

/** A backend with one defect that backends have had. */
export interface Defect {
  readonly what: string;
  readonly kernels: Backend["kernels"];
  readonly caughtBy: string;
  readonly code?: ConformanceErrorCode;
}

/** The same call with the operands changed first. */
export function seeing(kernel: Kernel, change: (o: Operand) => Operand): Kernel {
  return (outputs, inputs, ints, floats) => kernel(outputs, inputs.map(change), ints, floats);
}

/** The same call, and something after it. */
export function afterwards(
  kernel: Kernel,
  after: (outputs: readonly Operand[], inputs: readonly Operand[]) => void,
): Kernel {
  return (outputs, inputs, ints, floats) => {
    kernel(outputs, inputs, ints, floats);
    after(outputs, inputs);
  };
}

export const isNumbers = (o: Operand): boolean =>
  !(o.data instanceof BigInt64Array || o.data instanceof BigUint64Array);
