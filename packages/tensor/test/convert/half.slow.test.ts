import { expect, test } from "vitest";
import { castInto } from "../../src/convert/cast.js";
import { floatsToRound, RANDOM, SEED } from "./floats-to-round.js";
import { format16, nearest16, operand } from "./reference.js";

// The same floats are cast in the default lane, where a hash of the result stands for this search.

/** OneModel 10: a NaN stays quiet, with its sign and the top bits of its payload. */
const NAN = {
  float16: (bits: number): number => ((bits >>> 16) & 0x8000) | 0x7e00 | ((bits >>> 13) & 0x1ff),
  bfloat16: (bits: number): number => (bits >>> 16) | 0x40,
};

for (const dtype of ["float16", "bfloat16"] as const) {
  test(`OneModel 10: ${RANDOM} random float32 patterns, and every tie with its neighbours, round to the nearest ${dtype} (seed ${SEED})`, () => {
    const format = format16(dtype);
    const bits = floatsToRound(format);
    const floats = new Float32Array(bits.buffer);
    const got = new Uint16Array(bits.length);
    castInto(operand(dtype, got), operand("float32", floats));
    for (let k = 0; k < bits.length; k++) {
      const x = floats[k]!;
      const expected = Number.isNaN(x) ? NAN[dtype](bits[k]!) : nearest16(x, format);
      if (got[k] !== expected) expect.unreachable(`float32 bits ${bits[k]}: got ${got[k]}, expected ${expected}`);
    }
  });
}
