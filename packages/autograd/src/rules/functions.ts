import {
  add,
  clamp,
  cos,
  div,
  erf as errorFunction,
  gt,
  mul,
  neg,
  exp as power,
  sigmoid,
  sign,
  sin,
  sub,
  type Tensor,
  where,
} from "@sw/tensor";
import { type BackwardRule, reluBackward, unpack } from "@sw/tensor/seam";
import { noGrad } from "../mode.js";
import { nothing } from "./needs.js";

// Functions of one operand. What is saved is the operand x or the result y, by the operation's spec. At a kink they take
// the branch of x ≤ 0.

/** Of a function that is constant between its jumps. */
export const steps: BackwardRule = (record, g) => [nothing(record, g)];

export const negRule: BackwardRule = (_record, g) => [neg(g)];

export const abs: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const side = noGrad(() => sign(x));
  return [mul(g, side)];
};

export const exp: BackwardRule = (record, g) => [mul(g, unpack(record, 0))];

export const expm1: BackwardRule = (record, g) => [mul(g, add(unpack(record, 0), 1))];

export const log: BackwardRule = (record, g) => [div(g, unpack(record, 0))];

export const log1p: BackwardRule = (record, g) => [div(g, add(unpack(record, 0), 1))];

export const sqrt: BackwardRule = (record, g) => [div(mul(g, 0.5), unpack(record, 0))];

export const rsqrt: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [mul(mul(g, -0.5), mul(y, mul(y, y)))];
};

export const reciprocal: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [neg(mul(g, mul(y, y)))];
};

export const sinRule: BackwardRule = (record, g) => [mul(g, cos(unpack(record, 0)))];

export const cosRule: BackwardRule = (record, g) => [neg(mul(g, sin(unpack(record, 0))))];

export const tanh: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [mul(g, sub(1, mul(y, y)))];
};

export const erf: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  return [mul(g, mul(power(neg(mul(x, x))), 2 / Math.sqrt(Math.PI)))];
};

export const relu: BackwardRule = (record, g) => [reluBackward(g, unpack(record, 0))];

/** Whether the branch of positive numbers is taken. */
function isPositive(x: Tensor): Tensor<"bool"> {
  return noGrad(() => gt(x, 0) as never);
}

export const leakyRelu: BackwardRule = (record, g) => {
  const [slope = 0] = record.floats;
  return [where(isPositive(unpack(record, 0)), g, mul(g, slope))];
};

// Clamped, since an infinite power in the branch that is not taken times its cotangent of 0 is NaN in second order.
export const elu: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const [alpha = 0] = record.floats;
  return [where(isPositive(x), g, mul(mul(g, alpha), power(clamp(x, undefined, 0))))];
};

export const sigmoidRule: BackwardRule = (record, g) => {
  const y = unpack(record, 0);
  return [mul(g, mul(y, sub(1, y)))];
};

export const silu: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const s = sigmoid(x);
  return [mul(g, mul(s, add(mul(x, sub(1, s)), 1)))];
};

export const softplus: BackwardRule = (record, g) => [mul(g, sigmoid(unpack(record, 0)))];

// The normal distribution function, and x times its density.
export const gelu: BackwardRule = (record, g) => {
  const x = unpack(record, 0);
  const share = mul(add(errorFunction(mul(x, Math.SQRT1_2)), 1), 0.5);
  const density = mul(power(mul(mul(x, x), -0.5)), 1 / Math.sqrt(2 * Math.PI));
  return [mul(g, add(share, mul(x, density)))];
};

// It is x·σ(2u) with u = √(2/π)·(x + 0.044715·x³), since (1 + tanh u) / 2 is σ(2u). From ±22 on its derivative is 0 or 1
// in every dtype, and the cube would overflow, of float16 soon.
export const geluTanh: BackwardRule = (record, g) => {
  const x = clamp(unpack(record, 0), -22, 22);
  const cubic = 0.044715;
  const scale = 2 * Math.sqrt(2 / Math.PI);
  const square = mul(x, x);
  const share = sigmoid(mul(mul(x, add(mul(square, cubic), 1)), scale));
  const slope = mul(add(mul(square, 3 * cubic), 1), scale);
  return [mul(g, mul(share, add(mul(mul(x, slope), sub(1, share)), 1)))];
};
