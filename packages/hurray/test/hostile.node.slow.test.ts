import { test } from "vitest";
import { HOSTILE_KINDS, readHostile } from "./hostile.js";

const SEED = 20260202;

for (const kind of HOSTILE_KINDS) {
  test(`250,000 changed ${kind} (seed ${SEED}) give typed errors or valid values, in bounded memory and steps`, async () => {
    await readHostile(kind, 250_000, SEED);
  });
}
