/**
 * A stream of numbers that a seed determines, for the values and shapes of cases. The kit has its own, so that a case
 * means the same whatever the library's generator becomes.
 */
export interface Random {
  readonly seed: number;
  /** A number in [0, 1). */
  next(): number;
  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
}

/** Creates a stream: a 32-bit counter whose bits are mixed (a multiply-and-xor-shift hash). */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return { seed, next, integer, pick: (list) => list[integer(0, list.length - 1)]! };
}

/** Makes a seed of a case's id, so that a case draws the same values on every machine. */
export function seedOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
