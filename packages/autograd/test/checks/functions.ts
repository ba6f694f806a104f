import type { Checks, Pending } from "../forms.js";

export const CHECKS: Checks = {};

/** Kinds whose rules are still to come. */
export const PENDING: Pending = [
  "abs",
  "sign",
  "floor",
  "ceil",
  "round",
  "trunc",
  "expm1",
  "log1p",
  "sqrt",
  "rsqrt",
  "reciprocal",
  "sin",
  "cos",
  "tanh",
  "erf",
  "leakyRelu",
  "elu",
  "sigmoid",
  "silu",
  "softplus",
  "gelu",
  "geluTanh",
];
