import {
  abs,
  add,
  ceil,
  cos,
  elu,
  erf,
  exp,
  expm1,
  floor,
  gelu,
  geluTanh,
  leakyRelu,
  log,
  log1p,
  mul,
  neg,
  reciprocal,
  relu,
  round,
  rsqrt,
  sigmoid,
  sign,
  silu,
  sin,
  softplus,
  sqrt,
  sub,
  tanh,
  trunc,
} from "@sw/tensor";
import { type Checks, type F64, normal, positive, unary } from "../forms.js";

/** On both sides of 0, and away from it. */
const sided = (shape: number[]): F64 => {
  const x = normal(shape);
  return add(x, sign(x));
};
/** Between the places where rounding jumps: from 1.1 to 1.4. */
const between = (shape: number[]): F64 => add(mul(sub(positive(shape), 0.5), 0.3), 1.1);

export const CHECKS: Checks = {
  neg: () => unary(neg),
  abs: () => unary(abs, sided),
  sign: () => unary(sign, sided),
  floor: () => unary(floor, between),
  ceil: () => unary(ceil, between),
  round: () => unary(round, between),
  trunc: () => unary(trunc, between),
  exp: () => unary(exp),
  expm1: () => unary(expm1),
  log: () => unary(log, positive),
  log1p: () => unary(log1p, positive),
  sqrt: () => unary(sqrt, positive),
  rsqrt: () => unary(rsqrt, positive),
  reciprocal: () => unary(reciprocal, positive),
  sin: () => unary(sin),
  cos: () => unary(cos),
  tanh: () => unary(tanh),
  erf: () => unary(erf),
  relu: () => unary(relu, sided),
  leakyRelu: () => [...unary(leakyRelu, sided), ...unary((x) => leakyRelu(x, { slope: -2 }), sided)],
  elu: () => [...unary(elu, sided), ...unary((x) => elu(x, { alpha: 2 }), sided)],
  sigmoid: () => unary(sigmoid),
  silu: () => unary(silu),
  softplus: () => unary(softplus),
  gelu: () => unary(gelu),
  geluTanh: () => unary(geluTanh),
};
