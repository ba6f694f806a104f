import { test } from "vitest";
import { HOSTILE_KINDS, readHostile } from "./hostile.js";

const SEED = 20260202;

for (const kind of HOSTILE_KINDS) {
  test(`400,000 changed ${kind} (seed ${SEED}) give typed errors or valid values, in bounded memory and steps`, async () => {
    await readHostile(kind, 400_000, SEED);
  });
}
