import type { Backend } from "@sw/tensor/seam";
import type { Kit } from "../kit.js";
import { check, lacks, nameOf, subjects } from "./candidate.js";
import { exactKernelCases, kernelCases } from "./cases.js";
import { programCases } from "./programs.js";
import { tensorCases } from "./tensors/cases.js";

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
