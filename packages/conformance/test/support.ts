import { jsKernels } from "@sw/kernels-js";
import type { Backend, Kernel, Operand } from "@sw/tensor/seam";
import { type Case, type Kit, kernelKit, type Report } from "../src/index.js";

export function reference(name: string): Kernel {
  const kernel = jsKernels.kernels[name];
  if (kernel === undefined) throw new Error(`no kernel ${name}`);
  return kernel;
}

/** A backend with the kernels given, which takes what the JS set takes. */
export function backendOf(name: string, kernels: Backend["kernels"]): Backend {
  return { name, seamVersion: 1, kernels, supports: (...call) => jsKernels.supports!(...call) };
}

/** Row-major strides. */
export function dense(shape: readonly number[]): number[] {
  const strides: number[] = [];
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= shape[axis]!;
  }
  return strides;
}

/** The positions of an operand's elements in its data, row-major. */
export function positions(o: Operand): number[] {
  let found = [o.offset];
  o.shape.forEach((extent, axis) => {
    found = found.flatMap((at) => Array.from({ length: extent }, (_, i) => at + i * o.strides[axis]!));
  });
  return found;
}

/** Computes an element-wise kernel of numbers by a function of the elements. */
export function elementwise(rule: (...x: number[]) => number): Kernel {
  return ([out], inputs) => {
    const from = inputs.map((input) => ({ data: input.data, at: positions(input) }));
    positions(out!).forEach((at, i) => {
      out!.data[at] = rule(...from.map(({ data, at: places }) => Number(data[places[i]!])));
    });
  };
}

export function codesOf(report: Report): { readonly [id: string]: string } {
  return Object.fromEntries(report.failed.map(({ id, error }) => [id, error.code]));
}

/** A kit of a few cases, for candidates that are backends. */
export function kitOf(cases: readonly Case<Backend>[]): Kit<Backend> {
  return { ...kernelKit, cases: (filter = () => true) => cases.filter(({ id }) => filter(id)) };
}
