import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProgress } from "../src/progress.js";
import { main } from "../src/run.js";
import { Written, withFolder } from "./support.js";

async function start(...args: string[]): Promise<{ exitCode: number; out: string; error: string }> {
  const [stdout, stderr] = [new Written(), new Written()];
  return { exitCode: await main(args, { stdout, stderr }), out: stdout.text, error: stderr.text };
}

test("a run without steps writes by what it begins with, and one that goes on from it writes the same", () =>
  withFolder(async (folder) => {
    const file = join(folder, "t.hrry");
    const options = ["--steps", "0", "--sample", "20", "--out", file];
    const { exitCode, out, error } = await start(...options);
    expect([exitCode, error]).toEqual([0, ""]);
    expect(out).toMatch(
      /^text: 1,\d{3},\d{3} characters, \d\d of them different\nmodel: 4 layers, 128 wide, 82\d,\d{3} parameters\n/,
    );
    expect(out).toContain(`saved ${file} at step 0`);
    const again = await start(...options, "--resume", file);
    expect(again.out).toBe(out);
    expect(await readdir(folder)).toEqual(["t.hrry"]);
  }));

test("what goes wrong is one line on stderr", async () => {
  for (const [args, message] of [
    [["--steps", "-1"], /^error: option '--steps <n>' argument '-1' is invalid\. Got "-1", expected an integer from 0/],
    [["--temperature", "0"], /expected a number from 0\.01 to 10/],
    [["--backend", "gpu"], /Allowed choices are js, wasm/],
    [["--resume", "no-such-file.hrry"], /^error: .*no-such-file/],
    // Neither is found out after a training.
    [["--steps", "1000000", "--out", join("no-such-folder", "t.hrry")], /^error: .*no-such-folder/],
    [["--steps", "1000000", "--prompt", "☃"], /^error: .*☃/],
  ] as const) {
    const { exitCode, error } = await start(...args);
    expect(exitCode).toBe(1);
    expect(error).toMatch(message);
    expect(error.trim()).not.toContain("\n");
  }
  expect(await start("--help")).toMatchObject({ exitCode: 0, error: "" });
});

test("away from a terminal, progress is a line now and then and at the end", () => {
  const sink = new Written();
  const progress = createProgress(sink, 10, 14, 2);
  for (let step = 11; step <= 14; step++) progress.update(step, 2);
  progress.stop();
  expect(sink.text).toBe("step 12/14 | loss 2.0000\nstep 14/14 | loss 2.0000\n");
});
