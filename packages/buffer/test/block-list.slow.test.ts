import { test } from "vitest";
import { runCommands } from "./block-list-model.js";

test("the blocks of an address space are what 10^7 random commands make of a row of lines", () => {
  runCommands(10_000_000, 1000);
});
