import { createGenerator } from "../../src/generator.js";
import type { Format16 } from "./reference.js";

export const SEED = 20;
export const RANDOM = 2_000_000;

/**
 * The bits of float32 numbers on which rounding to 16 bits is checked: two million random patterns, and of both signs
 * every tie between two neighbours of the format with the float32 on either side of it.
 */
export function floatsToRound(format: Format16): Uint32Array<ArrayBuffer> {
  const ties = format.values.length - 1;
  const bits = new Uint32Array(RANDOM + 6 * ties);
  const generator = createGenerator(SEED);
  for (let k = 0; k < RANDOM; k++) bits[k] = generator.bits();
  const float = new Float32Array(1);
  const tie = new Uint32Array(float.buffer);
  let at = RANDOM;
  for (let k = 0; k < ties; k++) {
    for (const sign of [1, -1]) {
      float[0] = sign * (format.values[k]! / 2 + format.values[k + 1]! / 2);
      for (const neighbour of [-1, 0, 1]) bits[at++] = tie[0]! + neighbour;
    }
  }
  return bits;
}
