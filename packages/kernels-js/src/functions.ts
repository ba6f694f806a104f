// What rows compute by more than one expression. Each is the meaning of the kernel that calls it, in float64, in 32-bit
// integers, or in bigints that the row's array wraps to 64 bits.

/** `e^x / (1 + e^x)`, by the form whose exponential does not overflow. */
export function sigmoidOf(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

/** C's `pow`. JavaScript has NaN for `1 ** NaN` and for `±1 ** ±Infinity`, which are 1. */
export function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && Math.abs(y) === Number.POSITIVE_INFINITY)) return 1;
  return x ** y;
}

/** The exact power modulo 2^32. One of a negative exponent is truncated to an integer: 0, unless x is 1 or -1. */
export function intPower(x: number, y: number): number {
  if (y < 0) return x === 1 ? 1 : x === -1 ? 1 - 2 * (y & 1) : 0;
  let result = 1;
  let square = x;
  for (let bits = y; bits > 0; bits >>>= 1) {
    if ((bits & 1) === 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}

/** What `intPower` is, modulo 2^64. */
export function widePower(x: bigint, y: bigint): bigint {
  if (y < 0n) return x === 1n ? 1n : x === -1n ? 1n - 2n * (y & 1n) : 0n;
  let result = 1n;
  let square = x;
  for (let bits = y; bits > 0n; bits >>= 1n) {
    if ((bits & 1n) === 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}

/** The remainder that has the sign of the divisor, zeros too: that of C's `fmod`, and the divisor once more if it differs. */
export function remainderOf(x: number, y: number): number {
  const m = x % y;
  if (m === 0) return y < 0 ? -0 : 0;
  return m < 0 === y < 0 ? m : m + y;
}

/** The remainder that has the sign of the divisor; that of a division by 0 is 0. */
export function intRemainder(x: number, y: number): number {
  if (y === 0) return 0;
  const m = x % y;
  return m === 0 || m < 0 === y < 0 ? m : m + y;
}

/** What `intRemainder` is, of bigints. */
export function wideRemainder(x: bigint, y: bigint): bigint {
  if (y === 0n) return 0n;
  const m = x % y;
  return m === 0n || m < 0n === y < 0n ? m : m + y;
}

/** From here on every float64 is an integer; below, adding it leaves no room for a fraction. */
const INTEGERS = 2 ** 52;

/** The nearest integer, of two the even one; the sign of a zero is that of x. */
export function roundToEven(x: number): number {
  if (x > 0 && x < INTEGERS) return x + INTEGERS - INTEGERS;
  return x < 0 && x > -INTEGERS ? -(INTEGERS - x - INTEGERS) : x;
}

/**
 * `(1 + 2z)·e^(z²)·erfc(z)` for z ≥ 0 falls slowly from 1 to 2/√π. These are its Chebyshev coefficients in
 * `(z − 4)/(z + 4)`, computed with 60 digits; the first that is left out is below 3e-18.
 */
const SCALED_ERFC: readonly number[] = [
  1.1774832005374487, -0.007260796620301901, -0.081265123236185, 0.06009212804122225, -0.02875393558027666,
  0.01059566336347286, -0.003136927294554264, 0.0007456494372536184, -0.0001369696503010054, 1.7183861600300937e-5,
  -7.158364623450346e-7, -2.4261399442449534e-7, 5.5765709395703566e-8, -2.1057869513809494e-9, -1.1717889351884957e-9,
  1.9098355172456688e-10, 1.408871764208813e-11, -6.901108320480815e-12, 9.167958364111294e-14, 2.1454508286554553e-13,
  -1.4716575027010623e-14, -6.668675118770408e-15, 7.504598509880083e-16, 2.22009300666632e-16, -3.1704898956330886e-17,
  -8.193570309884333e-18,
];

/** `e^(z²)·erfc(z)` for z ≥ 0. */
function scaledErfc(z: number): number {
  const t = (z - 4) / (z + 4);
  let b1 = 0;
  let b2 = 0;
  for (let k = SCALED_ERFC.length - 1; k > 0; k--) {
    const b0 = 2 * t * b1 - b2 + SCALED_ERFC[k]!;
    b2 = b1;
    b1 = b0;
  }
  return (t * b1 - b2 + SCALED_ERFC[0]!) / (1 + 2 * z);
}

const TWO_BY_ROOT_PI = 1.1283791670955126;

/** The error function: by its series below 1/2, summed from its small end; by its complement above, where nothing cancels. */
export function erfOf(x: number): number {
  const z = Math.abs(x);
  if (z >= 0.5) return z < 6 ? Math.sign(x) * (1 - Math.exp(-z * z) * scaledErfc(z)) : Math.sign(x);
  let sum = 0;
  for (let n = 14; n >= 0; n--) sum = 1 / (2 * n + 1) - (z * z * sum) / (n + 1);
  return x * sum * TWO_BY_ROOT_PI;
}

/**
 * `x·Φ(x)`, by the complement `erfc(|x|/√2)`, which keeps its digits far out. The square in its exponent is taken of
 * the first 24 bits and of the rest: rounded, it would cost as many units in the last place as it is large.
 */
export function geluOf(x: number): number {
  const size = Math.abs(x);
  // Beyond, the complement is 0. An infinite x times that is NaN below zero.
  if (size > 40) return x > 0 ? x : x * 0;
  const high = Math.fround(size);
  const tail = Math.exp(-high * high * 0.5) * Math.exp(-(size - high) * (size + high) * 0.5);
  const below = x * 0.5 * scaledErfc(size * Math.SQRT1_2) * tail;
  return x > 0 ? x - below : below;
}

/**
 * `x·sigmoid(2u)`, `u = √(2/π)·(x + 0.044715·x³)`: the form with tanh without its cancellation. The roundings of the
 * argument count as many times as it is large.
 */
export function geluTanhOf(x: number): number {
  return x * sigmoidOf(Math.sqrt(8 / Math.PI) * (x + 0.044715 * x * x * x));
}
