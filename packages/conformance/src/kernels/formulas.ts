// Functions that the reference needs and the host does not have, in float64. They share no text with any kernel: where a
// kernel is wrong, they are not wrong alike. Their test compares them with sums of exact integers.

/** C's `pow`: IEEE 754 has 1 for `pow(1, y)` and for `pow(-1, ±Infinity)`. */
export function powerOf(x: number, y: number): number {
  if (y === 0 || x === 1) return 1;
  if (Math.abs(x) === 1 && !Number.isFinite(y) && !Number.isNaN(y)) return 1;
  return x ** y;
}

/** The exact power of integers, truncated; a large exponent is reduced by the caller's modulus, a power of two. */
export function integerPower(x: bigint, y: bigint): bigint {
  if (y < 0n) {
    if (x === 1n) return 1n;
    if (x === -1n) return y % 2n === 0n ? 1n : -1n;
    return 0n;
  }
  // Digit by digit from the highest, modulo 2^64, of which every integer dtype keeps the low bits.
  let result = 1n;
  for (const digit of y.toString(2)) {
    result = BigInt.asUintN(64, result * result);
    if (digit === "1") result = BigInt.asUintN(64, result * x);
  }
  return result;
}

/** The remainder with the sign of the divisor. */
export function flooredRemainder(x: number, y: number): number {
  const rest = x % y;
  if (Number.isNaN(rest)) return rest;
  if (rest === 0) return Math.abs(rest) * Math.sign(y);
  return Math.sign(rest) === Math.sign(y) ? rest : rest + y;
}

/** The remainder with the sign of the divisor, of integers; by 0 it is 0. */
export function flooredIntegerRemainder(x: bigint, y: bigint): bigint {
  if (y === 0n) return 0n;
  return ((x % y) + y) % y;
}

/** The nearest integer, of two the even one. */
export function nearestEven(x: number): number {
  const below = Math.floor(x);
  const fraction = x - below;
  if (!(fraction > 0)) return x;
  const nearest = fraction < 0.5 || (fraction === 0.5 && below % 2 === 0) ? below : below + 1;
  // A negative number that rounds to 0 rounds to -0.
  return nearest === 0 && x < 0 ? -0 : nearest;
}

export function logistic(x: number): number {
  const small = Math.exp(-Math.abs(x));
  return (x < 0 ? small : 1) / (1 + small);
}

/** The error function below 1/2: `2/√π·e^(−z²)·Σ 2ⁿz^(2n+1)/(1·3·…·(2n+1))`, whose terms are all positive. */
function erfBySeries(z: number): number {
  let sum = 0;
  let term = z;
  for (let n = 0; n < 40; n++) {
    sum += term;
    term *= (2 * z * z) / (2 * n + 3);
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * sum;
}

/** The step of the trapezoidal rule below: its error is about `e^(−π²/h²)`, which is 7e-18. */
const STEP = 0.5;

/**
 * `e^(z²)·erfc(z)` for z ≥ 0: from 1/4 on the trapezoidal rule for `z/π·∫ e^(−t²)/(z² + t²) dt`, with the residue of the
 * poles that the rule does not see (Chiarella and Reichl, 1968).
 */
function scaledComplement(z: number): number {
  if (z < 0.25) return Math.exp(z * z) * (1 - erfBySeries(z));
  let sum = 0;
  for (let n = 13; n > 0; n--) sum += (2 * Math.exp(-((n * STEP) ** 2))) / (z * z + (n * STEP) ** 2);
  sum += 1 / (z * z);
  const rule = ((STEP * z) / Math.PI) * sum;
  return z < Math.PI / STEP ? rule - (2 * Math.exp(z * z)) / Math.expm1((2 * Math.PI * z) / STEP) : rule;
}

export function erfOf(x: number): number {
  const z = Math.abs(x);
  if (z < 0.5) return x === 0 ? x : Math.sign(x) * erfBySeries(z);
  return z > 6 ? Math.sign(x) : Math.sign(x) * (1 - Math.exp(-z * z) * scaledComplement(z));
}

/** `x·Φ(x)`, by `erfc(|x|/√2)`; an infinite x below zero times 0 is NaN. */
export function geluOf(x: number): number {
  const t = Math.abs(x);
  if (t > 40) return x > 0 ? x : x * 0;
  // t² = head² + rest, both without an error that the exponential would enlarge.
  const head = Math.round(t * 2 ** 20) / 2 ** 20;
  const rest = (t - head) * (t + head);
  const share = 0.5 * scaledComplement(t / Math.SQRT2) * x * Math.exp(-rest / 2) * Math.exp(-(head * head) / 2);
  return x > 0 ? x - share : share;
}

/** Twice the argument of the tanh of the approximated gelu. */
export function geluTanhArgument(x: number): number {
  return 2 * Math.sqrt(2 / Math.PI) * x * (1 + 0.044715 * x * x);
}

export function geluTanhOf(x: number): number {
  return x * logistic(geluTanhArgument(x));
}

export function softplusOf(x: number): number {
  if (x > 40) return x;
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}
