import { describe, test } from "vitest";
import { modelArenas, modelPools, SOURCES } from "./model-runs.js";

const COMMANDS = 1_250_000; // of each of the eight

describe.each([
  ["plain", false],
  ["checked", true],
])("ten million commands against a model, %s", (_name, checked) => {
  test.each(SOURCES)(
    "a pool over %s counts exactly, and its live buffers never overlap or lose a byte",
    (_n, make) => {
      modelPools(make, checked, COMMANDS);
    },
    3_600_000,
  );

  test.each(SOURCES)(
    "an arena over %s keeps the three laws of memory, and its count, in every run",
    (_n, make) => {
      modelArenas(make, checked, COMMANDS);
    },
    3_600_000,
  );
});
