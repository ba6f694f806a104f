import { test } from "vitest";
import { HOSTILE_KINDS, readHostile } from "./hostile.js";

const SEED = 20260101;

for (const kind of HOSTILE_KINDS) {
  test(`10,000 changed ${kind} (seed ${SEED}) give typed errors or valid values, in bounded memory and steps`, async () => {
    await readHostile(kind, 10_000, SEED);
  });
}
