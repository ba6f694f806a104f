import { join } from "node:path";
import { readFile } from "@sw/hurray/node";
import { expect, test } from "vitest";
import { main } from "../src/run.js";
import { Written, withFolder } from "./support.js";

test("the convolutional network finds 98.8 % of the test images", () =>
  withFolder(async (folder) => {
    const args = [
      "--model",
      "cnn",
      "--backend",
      "wasm",
      "--out",
      join(folder, "m.hrry"),
      "--report",
      join(folder, "r.svg"),
    ];
    const stderr = new Written();
    expect(await main(args, { stdout: new Written(), stderr, now: () => performance.now() }), stderr.text).toBe(0);
    const { metadata } = await readFile(join(folder, "m.hrry"));
    expect(metadata["accuracy"]).toBeGreaterThanOrEqual(0.988);
  }));
