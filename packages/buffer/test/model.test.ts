import { describe, test } from "vitest";
import { modelArenas, modelPools, SOURCES } from "./model-runs.js";

const COMMANDS = 25_000;

describe.each([
  ["plain", false],
  ["checked", true],
])("100,000 commands against a model, %s", (_name, checked) => {
  test.each(SOURCES)("a pool over %s counts exactly, and its live buffers never overlap or lose a byte", (_n, make) => {
    modelPools(make, checked, COMMANDS);
  });

  test.each(SOURCES)("an arena over %s keeps the three laws of memory, and its count, in every run", (_n, make) => {
    modelArenas(make, checked, COMMANDS);
  });
});
