import type { Backend, Operand } from "@sw/tensor/seam";

/** What a kernel was handed. */
export interface Call {
  readonly kernel: string;
  readonly outputs: readonly (readonly number[])[];
  readonly inputs: readonly (readonly number[])[];
  readonly ints: readonly number[];
  readonly floats: readonly number[];
}

const shapes = (operands: readonly Operand[]): readonly (readonly number[])[] =>
  operands.map(({ shape }) => [...shape]);

/** A backend whose kernels compute nothing and write down what they are handed. */
export function idleBackend(kernels: readonly string[], calls: Call[] = []): Backend {
  const entries = kernels.map((kernel) => [
    kernel,
    (outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[], floats: readonly number[]) => {
      calls.push({ kernel, outputs: shapes(outputs), inputs: shapes(inputs), ints: [...ints], floats: [...floats] });
    },
  ]);
  return { name: "idle", seamVersion: 1, kernels: Object.fromEntries(entries) };
}
