import { describe } from "@sw/layout";
import { TensorValueError } from "./errors.js";

/** The state of a generator: four words of 32 bits, not all of them 0. */
export type GeneratorState = readonly [number, number, number, number];

/**
 * A seeded source of random numbers: xoshiro128**, with its state spread from the seed by splitmix32.
 *
 * `uniform`, `integer` and `permutation` use integer arithmetic alone and give the same numbers on every host.
 * `normal` (Box–Muller) goes through the host's logarithm and cosine, whose last bit may differ between hosts.
 * @since 0.1.0
 */
export class Generator {
  /** The first word of the state; the others follow. */
  a: number;
  b: number;
  c: number;
  d: number;

  /**
   * Continues from a state that `state()` returned.
   *
   * @throws TypeError, or TensorValueError `SW_TENSOR_OPTION`, when it is no such state.
   */
  constructor(state: GeneratorState) {
    checkState("Generator", state);
    this.a = state[0];
    this.b = state[1];
    this.c = state[2];
    this.d = state[3];
  }

  /** Tells a generator of any copy of this package from other objects. */
  get "@sw/tensor/Generator/1"(): true {
    return true;
  }

  /** Draws 32 random bits, as an integer from 0 to 2³² − 1. */
  bits(): number {
    const { a, b, c, d } = this;
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const third = c ^ a;
    const fourth = d ^ b;
    this.b = (b ^ third) >>> 0;
    this.a = (a ^ fourth) >>> 0;
    this.c = (third ^ (b << 9)) >>> 0;
    this.d = rotate(fourth, 11) >>> 0;
    return scrambled >>> 0;
  }

  /** Draws a number from [0, 1), a multiple of 2⁻⁵³. Takes 64 bits. */
  uniform(): number {
    return this.bits53() / 9007199254740992;
  }

  /** Draws a number from the normal distribution with mean 0 and deviation 1, by Box–Muller. Takes 128 bits. */
  normal(): number {
    // 1 − u is in (0, 1], so that the logarithm is finite.
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /**
   * Draws an integer from 0 to `bound` − 1, all equally likely.
   *
   * @throws TypeError when `bound` is not an integer; TensorValueError `SW_TENSOR_OPTION` when it is not from 1 to 2⁵³ − 1.
   */
  integer(bound: number): number {
    checkInteger("integer", "bound", bound, 1, Number.MAX_SAFE_INTEGER);
    const wide = bound > 4294967296;
    const range = wide ? 9007199254740992 : 4294967296;
    // What lies beyond the last whole multiple of the bound would make small results likelier.
    const limit = range - (range % bound);
    let drawn: number;
    do {
      drawn = wide ? this.bits53() : this.bits();
    } while (drawn >= limit);
    return drawn % bound;
  }

  /**
   * Draws an order of the integers from 0 to `n` − 1, all orders equally likely.
   *
   * @throws TypeError when `n` is not an integer; TensorValueError `SW_TENSOR_OPTION` when it is not from 0 to 2³¹ − 1.
   */
  permutation(n: number): Int32Array {
    checkInteger("permutation", "n", n, 0, 2147483647);
    const order = new Int32Array(n);
    for (let k = 0; k < n; k++) {
      const other = this.integer(k + 1);
      order[k] = order[other]!;
      order[other] = k;
    }
    return order;
  }

  /** Returns the state, to continue from later. */
  state(): GeneratorState {
    return [this.a, this.b, this.c, this.d];
  }

  /**
   * Goes back, or on, to a state that `state()` returned.
   *
   * @throws TypeError, or TensorValueError `SW_TENSOR_OPTION`, when it is no such state; nothing is changed.
   */
  restore(state: GeneratorState): void {
    checkState("restore", state);
    [this.a, this.b, this.c, this.d] = state;
  }

  /** Returns a generator that will draw the same numbers as this one. */
  clone(): Generator {
    return new Generator(this.state());
  }

  /** Draws 53 random bits, as an integer. */
  bits53(): number {
    return (this.bits() >>> 5) * 67108864 + (this.bits() >>> 6);
  }
}

/**
 * Creates a generator from a seed: the same seed, the same numbers.
 *
 * @throws TypeError when the seed is not an integer; TensorValueError `SW_TENSOR_OPTION` when it is not from 0 to 2⁵³ − 1.
 * @since 0.1.0
 */
export function createGenerator(seed: number): Generator {
  return seeded("createGenerator", seed);
}

/** {@link createGenerator}, whose errors speak of `operation`. */
export function seeded(operation: string, seed: unknown): Generator {
  checkInteger(operation, "seed", seed, 0, Number.MAX_SAFE_INTEGER);
  const low = spread(seed >>> 0);
  const upper = Math.floor(seed / 4294967296);
  if (upper === 0) return new Generator(low);
  const high = spread(upper);
  return new Generator([low[0], low[1], high[0], high[1]]);
}

/** Tells whether a value is a generator, of this or another copy of the package. */
export function isGenerator(value: unknown): value is Generator {
  return typeof value === "object" && value !== null && "@sw/tensor/Generator/1" in value;
}

/**
 * Four successive numbers of splitmix32, with the finaliser of MurmurHash3. No two of them are equal, since it
 * maps different states to different numbers: so no two words of a generator's state are 0 at once.
 */
function spread(seed: number): GeneratorState {
  const word = (k: number): number => {
    let z = (seed + Math.imul(k, 0x9e3779b9)) | 0;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  return [word(1), word(2), word(3), word(4)];
}

function rotate(x: number, by: number): number {
  return (x << by) | (x >>> (32 - by));
}

function checkInteger(
  operation: string,
  name: string,
  value: unknown,
  least: number,
  most: number,
): asserts value is number {
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new TypeError(`${operation}: ${name} is not an integer: got ${describe(value)}, expected an integer.`);
  }
  if (value >= least && value <= most) return;
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `${operation}: ${name} is out of range: got ${value}, expected ${least} to ${most}.`,
    { given: value, expected: [least, most] },
  );
}

function checkState(operation: string, state: unknown): asserts state is GeneratorState {
  if (!Array.isArray(state) || state.length !== 4) {
    throw new TypeError(
      `${operation}: not the state of a generator: got ${describe(state)}, expected a list of 4 words.`,
    );
  }
  for (const word of state) checkInteger(operation, "a word of the state", word, 0, 4294967295);
  if (state.some((word) => word !== 0)) return;
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `${operation}: a state of nothing but zeros never leaves it: got [0,0,0,0], expected a word other than 0.`,
    { given: state },
  );
}
