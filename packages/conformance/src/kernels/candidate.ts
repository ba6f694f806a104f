import type { Backend } from "@sw/tensor/seam";
import { ConformanceRunError } from "../errors.js";
import type { DType } from "../values.js";

// What a kit about backends asks of a candidate before it runs a case.

/** Whether a backend has a kernel. */
export function hasKernel(candidate: Backend, kernel: string): boolean {
  return Object.hasOwn(candidate.kernels, kernel) && candidate.kernels[kernel] !== undefined;
}

/** @throws TypeError for what is no backend; ConformanceRunError `SW_CONFORMANCE_SEAM_VERSION`. */
export function check(operation: string, candidate: unknown): asserts candidate is Backend {
  const value = candidate as Partial<Backend> | null | undefined;
  if (typeof value !== "object" || value === null || typeof value.kernels !== "object" || value.kernels === null) {
    throw new TypeError(
      `${operation}: the candidate is no backend: got ${value === null ? "null" : typeof value}, expected an object with name, seamVersion and kernels.`,
    );
  }
  if ((value.seamVersion as unknown) === 1) return;
  throw new ConformanceRunError(
    "SW_CONFORMANCE_SEAM_VERSION",
    `${operation}: the candidate is of another seam version: got ${value.seamVersion}, expected 1. Use the version of this kit that knows it.`,
    value.seamVersion,
  );
}

/** The name in reports. */
export function nameOf({ name }: Backend): string {
  return name;
}

/** The kernels that it has. */
export function subjects(candidate: Backend): readonly string[] {
  return Object.keys(candidate.kernels).filter((kernel) => hasKernel(candidate, kernel));
}

/** Needs are `memory`, one of the candidate's own, `compile`, and `kernel:` or `direct:` with a name. */
export function lacks(candidate: Backend, need: string): string | undefined {
  if (need === "compile") return candidate.compile === undefined ? "the candidate compiles no programs" : undefined;
  if (need === "memory") {
    if (candidate.memory !== undefined) return undefined;
    return "the candidate declares no memory: its operands lie on the heap in every other case";
  }
  if (need.startsWith("direct:")) {
    const [name, dtype] = need.slice("direct:".length).split("/") as [string, DType];
    if (candidate.direct === undefined) return "the candidate has no direct kernels";
    if (candidate.memory === undefined) return "the candidate declares no memory, in which direct kernels could work";
    return candidate.direct(name, dtype) === undefined ? `it has no direct kernel ${name} of ${dtype}` : undefined;
  }
  const kernel = need.slice("kernel:".length);
  return hasKernel(candidate, kernel) ? undefined : `the candidate has no kernel ${kernel}`;
}
