import type { Backend } from "@sw/tensor/seam";
import { ConformanceRunError } from "../errors.js";
import type { Kit } from "../kit.js";
import type { DType } from "../values.js";
import { exactKernelCases, hasKernel, kernelCases } from "./cases.js";
import { programCases } from "./programs.js";
import { tensorCases } from "./tensors/cases.js";

/** @throws TypeError for what is no backend; ConformanceRunError `SW_CONFORMANCE_SEAM_VERSION`. */
function check(operation: string, candidate: unknown): asserts candidate is Backend {
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

function nameOf({ name }: Backend): string {
  return name;
}

function subjects(candidate: Backend): readonly string[] {
  return Object.keys(candidate.kernels).filter((kernel) => hasKernel(candidate, kernel));
}

/** Needs are `memory`, one of the candidate's own, `compile`, and `kernel:` or `direct:` with a name. */
function lacks(candidate: Backend, need: string): string | undefined {
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

const everything = (): boolean => true;

/**
 * What every kernel of a backend keeps to, a case for each kernel, dtype and way of lying in memory:
 * `kernels/<kernel>/<dtype>/<what is in question>`; what it keeps to when it is handed tensors:
 * `tensors/<kernel>/<what is in question>`; and where it compiles programs, `programs/<program>/<dtype>/<what is in
 * question>`.
 *
 * @since 0.1.0
 */
export const kernelKit: Kit<Backend> = {
  name: "kernels",
  check,
  nameOf,
  subjects,
  lacks,
  cases: (filter = everything) => [...kernelCases(filter), ...tensorCases(filter), ...programCases(filter)],
};

/**
 * What a backend keeps to as well when it calls itself exact: float64 accumulation, one rounding (D8).
 * `exact/<kernel>/<dtype>/<what is in question>`.
 *
 * @since 0.1.0
 */
export const exactKernelKit: Kit<Backend> = {
  name: "exact",
  check,
  nameOf,
  subjects,
  lacks,
  cases: (filter = everything) => exactKernelCases(filter),
};
