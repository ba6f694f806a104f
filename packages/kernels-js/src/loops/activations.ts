import type { Operand } from "@sw/tensor/seam";
import {
  eluRows,
  geluRows,
  geluTanhRows,
  leakyReluRows,
  reluRows,
  sigmoidRows,
  siluRows,
  softplusRows,
} from "../generated/elementwise.js";
import { runUnary } from "./run.js";

// Floats only; computed in float64 and rounded once. A conforming kernel is within 2 ULP of its dtype, where nothing else is
// said. NaN passes.

/** Writes `r = a < 0 ? 0 : a`. So NaN and -0 pass; -Infinity becomes +0. Exact. Source: OneModel, section 8. */
export function relu(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("relu", reluRows, outputs, inputs);
}

/** Writes `r = a < 0 ? slope * a : a`; floats `[slope]`. NaN and -0 pass. Source: Maas, Hannun and Ng, 2013. */
export function leakyRelu(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  _ints: readonly number[],
  floats: readonly number[],
): void {
  runUnary("leakyRelu", leakyReluRows, outputs, inputs, floats);
}

/**
 * Writes `r = a > 0 ? a : alpha * (e^a - 1)`; floats `[alpha]`. -0 passes where alpha is positive; -Infinity gives
 * -alpha. Source: Clevert, Unterthiner and Hochreiter, 2016.
 */
export function elu(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  _ints: readonly number[],
  floats: readonly number[],
): void {
  runUnary("elu", eluRows, outputs, inputs, floats);
}

/**
 * Writes `r = 1 / (1 + e^-a)`, below zero as `e^a / (1 + e^a)`. `sigmoid(-Infinity)` is 0, `sigmoid(Infinity)` is 1.
 * Source: ONNX, `Sigmoid`.
 */
export function sigmoid(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("sigmoid", sigmoidRows, outputs, inputs);
}

/**
 * Writes `r = a * sigmoid(a)`. -0 passes; `silu(-Infinity)` is NaN, of -Infinity times 0. Of float64 below -708, where
 * `e^a` is subnormal, digits are lost. Source: Elfwing, Uchibe and Doya, 2018.
 */
export function silu(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("silu", siluRows, outputs, inputs);
}

/**
 * Writes `r = ln(1 + e^a)` as `max(a, 0) + log1p(e^-|a|)`. `softplus(-Infinity)` is 0, `softplus(Infinity)` is
 * Infinity. Source: Dugas et al., 2001.
 */
export function softplus(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("softplus", softplusRows, outputs, inputs);
}

/**
 * Writes `r = a * Φ(a)`, Φ the normal distribution function (Hendrycks and Gimpel, 2016), as `a/2 * erfc(-a/√2)`: the
 * form with erf cancels below -3. -0 passes; `gelu(-Infinity)` is NaN, of -Infinity times 0.
 */
export function gelu(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("gelu", geluRows, outputs, inputs);
}

/**
 * Writes the approximation of gelu by tanh, as `a * sigmoid(2u)`, `u = √(2/π) * (a + 0.044715 a³)`: the form with tanh
 * cancels below -3. -0 passes; of -Infinity it is NaN. Of float64 the roundings of 2u count as many times as it is large,
 * which is 700 where the result vanishes: conforming is within `3 + 6·|2u|` roundings there.
 * Source: Hendrycks and Gimpel, 2016.
 */
export function geluTanh(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("geluTanh", geluTanhRows, outputs, inputs);
}
