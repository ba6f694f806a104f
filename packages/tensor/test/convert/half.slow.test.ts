import { expect, test } from "vitest";
import { float32BitsToBfloat16 } from "../../src/convert/bfloat16.js";
import { float32BitsToHalf } from "../../src/convert/half.js";
import { createGenerator } from "../../src/generator.js";
import { format16, nearest16 } from "./reference.js";

const SEED = 20;
const RANDOM = 2_000_000;

for (const [dtype, convert] of [
  ["float16", float32BitsToHalf],
  ["bfloat16", float32BitsToBfloat16],
] as const) {
  const format = format16(dtype);
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  const check = (): void => {
    const x = float[0]!;
    if (!Number.isNaN(x) && convert(bits[0]!) !== nearest16(x, format)) expect.unreachable(`float32 bits ${bits[0]}`);
  };

  test(`OneModel 10: ${RANDOM} random float32 patterns round to the nearest ${dtype} (seed ${SEED})`, () => {
    const generator = createGenerator(SEED);
    for (let k = 0; k < RANDOM; k++) {
      bits[0] = generator.bits();
      check();
    }
  });

  test(`OneModel 10: every tie between two ${dtype} values, and its neighbours, round to even`, () => {
    for (let k = 0; k + 1 < format.values.length; k++) {
      for (const sign of [1, -1]) {
        float[0] = sign * (format.values[k]! / 2 + format.values[k + 1]! / 2);
        const tie = bits[0]!;
        for (const neighbour of [tie - 1, tie, tie + 1]) {
          bits[0] = neighbour;
          check();
        }
      }
    }
  });
}
