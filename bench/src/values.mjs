// @ts-check
/**
 * An input of a row: numbers between −1 and 1 times `scale`, the same in every process.
 *
 * @param {number} seed
 * @param {readonly number[]} shape
 * @param {number} scale - a power of two, so that scaling rounds nothing.
 */
export function input(seed, shape, scale = 1) {
  const data = new Float32Array(shape.reduce((product, extent) => product * extent, 1));
  let state = (seed * 0x9e3779b9) >>> 0;
  for (let i = 0; i < data.length; i++) {
    // Mulberry32: 32 bits of state, good enough to keep sums and branches from being trivial.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    data[i] = (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1) * scale;
  }
  return { data, shape };
}
