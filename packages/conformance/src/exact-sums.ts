/** A sum, and the sum of its terms' sizes, which bounds are relative to. */
export interface ExactSum {
  readonly sum: number;
  readonly magnitude: number;
}

/** Splits a float64 into two halves of 26 bits, so that products of halves are exact. */
const SPLITTER = 2 ** 27 + 1;

/** A running sum of twice the precision of a float64: what a plain addition loses is carried along. */
export class Accumulator {
  high = 0;
  low = 0;
  plain = 0;
  magnitude = 0;

  add(term: number): void {
    const sum = this.high + term;
    const part = sum - this.high;
    this.low += this.high - (sum - part) + (term - part);
    this.high = sum;
    this.plain += term;
    this.magnitude += Math.abs(term);
  }

  /** Adds a product, what its rounding loses included. */
  addProduct(a: number, b: number): void {
    const product = a * b;
    this.add(product);
    this.low += lostBy(a, b, product);
  }

  /** The sum, rounded once. Where a term was no finite number, what IEEE addition makes of them. */
  result(): ExactSum {
    const sum = this.high + this.low;
    return { sum: Number.isFinite(sum) ? sum : this.plain, magnitude: this.magnitude };
  }
}

/** Sums numbers as if with twice the precision of a float64. The sum of nothing, and of -0 alone, is +0. */
export function exactSum(terms: readonly number[]): ExactSum {
  const total = new Accumulator();
  for (const term of terms) total.add(term);
  return total.result();
}

/** Multiplies numbers as if with twice the precision of a float64, rounded once. The product of nothing is 1. */
export function exactProduct(factors: readonly number[]): number {
  let high = 1;
  let low = 0;
  let plain = 1;
  for (const x of factors) {
    const product = high * x;
    low = low * x + lostBy(high, x, product);
    high = product;
    plain *= x;
  }
  const product = high + low;
  // A zero keeps its sign, and what is no finite number is what IEEE multiplication makes of it.
  return product !== 0 && Number.isFinite(product) ? product : plain;
}

/** What the rounding of a product loses. */
function lostBy(a: number, b: number, product: number): number {
  const a1 = SPLITTER * a - (SPLITTER * a - a);
  const b1 = SPLITTER * b - (SPLITTER * b - b);
  const a2 = a - a1;
  const b2 = b - b1;
  return a2 * b2 - (product - a1 * b1 - a2 * b1 - a1 * b2);
}
