import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFile as readHurray } from "@sw/hurray/node";
import { jsKernels } from "@sw/kernels-js";
import { createArena, setKernels } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { FILES, readMnist } from "../src/data.js";
import { predict } from "../src/evaluate.js";
import { disposeModel } from "../src/model.js";
import { compareReloaded, main, ReloadError } from "../src/run.js";
import { loadModel } from "../src/save.js";
import { rejection, Written, withFolder, writeSmallSet } from "./support.js";

interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
}

async function start(...args: string[]): Promise<Outcome> {
  const stdout = new Written();
  const stderr = new Written();
  const exitCode = await main(args, { stdout, stderr, now: () => performance.now() });
  return { exitCode, out: stdout.text, error: stderr.text };
}

/** The options that keep a run within a folder. */
function within(folder: string): string[] {
  return ["--data", folder, "--out", join(folder, "m.hrry"), "--report", join(folder, "r.svg"), "--epochs", "1"];
}

describe("the whole job on 2,000 images", () => {
  test.each(["js", "wasm"])("trains, saves, reopens and finds the same answers on the %s backend", (backend) =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 2000, 1000);
      const { exitCode, out, error } = await start(...within(folder), "--batch", "20", "--backend", backend);
      expect(error).toBe("");
      expect(exitCode).toBe(0);
      expect(out).toContain("data: 2,000 training and 1,000 test images");
      expect(out).toMatch(/epoch 1\/1 \| loss \d\.\d{4} \| [\d,]+ images\/s/);
      expect(out).toContain("└────");
      expect(out).toContain("true │");
      expect(out).toContain("identical after reload: 10,000 logits bit for bit");
      const accuracy = Number(/test accuracy: ([\d.]+) %/.exec(out)?.[1]) / 100;
      expect(accuracy).toBeGreaterThan(0.8);

      const { tensors, metadata } = await readHurray(join(folder, "m.hrry"));
      expect(metadata["accuracy"]).toBeCloseTo(accuracy, 12);
      expect(metadata["backend"]).toBe(backend);
      expect(tensors["hidden.weight"]?.shape).toEqual([784, 128]);
      expect(await readFile(join(folder, "r.svg"), "utf8")).toMatch(
        /^<svg [\s\S]*The 16 worst mistakes[\s\S]*<\/svg>\n$/,
      );
      expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }),
  );

  test("the convolutional network too, from batches of 50", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 1000, 100);
      const { exitCode, out, error } = await start(...within(folder), "--model", "cnn", "--batch", "50");
      expect(error).toBe("");
      expect(exitCode).toBe(0);
      expect(out).toContain("model: CNN 8-16-128-10, 103,018 parameters");
      expect(out).toContain("identical after reload: 1,000 logits bit for bit");
      expect(Number(/test accuracy: ([\d.]+) %/.exec(out)?.[1])).toBeGreaterThan(50);
      const { tensors, metadata } = await readHurray(join(folder, "m.hrry"));
      expect(metadata["model"]).toBe("CNN 8-16-128-10, relu");
      expect(tensors["second.weight"]?.shape).toEqual([16, 8, 3, 3]);
    }));

  test("the same seed gives the same file, another seed another one", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 120, 20);
      const files: Buffer[] = [];
      for (const seed of ["3", "3", "4"]) {
        await start(...within(folder), "--hidden", "8", "--seed", seed);
        files.push(await readFile(join(folder, "m.hrry")));
      }
      expect(files[0]?.equals(files[1] as Buffer)).toBe(true);
      expect(files[0]?.equals(files[2] as Buffer)).toBe(false);
    }));
});

describe("compareReloaded", () => {
  test("one different bit, or another accuracy, is an error that counts", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 120, 20);
      await start(...within(folder), "--hidden", "8");
      setKernels(jsKernels);
      const data = await readMnist(folder);
      const arena = createArena();
      const file = join(folder, "m.hrry");
      const { model, accuracy } = await loadModel(file);
      const logits = predict(model, data.test.images, arena);
      expect(await compareReloaded(file, data, logits, arena)).toHaveLength(4);

      logits[7] = (logits[7] as number) + 1;
      const error = await rejection(compareReloaded(file, data, logits, arena));
      expect(error).toBeInstanceOf(ReloadError);
      expect(error).toMatchObject({
        code: "SW_MNIST_RELOAD",
        file,
        differentLogits: 1,
        accuracy,
        storedAccuracy: accuracy,
      });
      expect(error.message).toBe(
        `reload: ${file} does not answer as the trained model: got 1 different logits and accuracy ${accuracy}, expected 0 and ${accuracy}.`,
      );
      disposeModel(model);
      arena.dispose();
    }));
});

describe("what goes wrong", () => {
  /** Every failure is one line on stderr, a non-zero exit code, and no result. */
  async function expectFailure(folder: string, outcome: Outcome, message: string): Promise<void> {
    expect(outcome.exitCode).toBe(1);
    expect(outcome.error).toBe(`error: ${message}\n`);
    expect(outcome.out).toBe("");
    const names = await readdir(folder);
    expect(names.filter((name) => !Object.values<string>(FILES).includes(name))).toEqual([]);
  }

  test("a missing data file", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 10, 10);
      const file = join(folder, FILES.trainImages);
      await rm(file);
      const message = `readMnist: a file is missing: got nothing at ${file}, expected an IDX file. Name its folder with --data.`;
      await expectFailure(folder, await start(...within(folder)), message);
    }));

  test("a data file cut short", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 10, 10);
      const file = join(folder, FILES.testLabels);
      await writeFile(file, (await readFile(file)).subarray(0, 12));
      const message = `readIdx: ${file}: the data of shape [10] is truncated at byte 12: got 12 bytes, expected 18.`;
      await expectFailure(folder, await start(...within(folder)), message);
    }));

  test("a folder for the result that does not exist, before anything is trained", () =>
    withFolder(async (folder) => {
      const message = `write: the folder of a result is missing or cannot be written: got ${join(folder, "no")}, expected a folder. Create it first.`;
      await expectFailure(folder, await start(...within(folder), "--out", join(folder, "no", "m.hrry")), message);
    }));

  test("a bad option", () =>
    withFolder(async (folder) => {
      const message = "option '--backend <name>' argument 'gpu' is invalid. Allowed choices are js, wasm.";
      await expectFailure(folder, await start(...within(folder), "--backend", "gpu"), message);
    }));

  test("help exits with 0", async () => {
    expect(await start("--help")).toMatchObject({ exitCode: 0, error: "" });
  });

  test("an error without a code is a defect and shows where it arose", async () => {
    const stderr = new Written();
    const host = { stdout: new Written(), stderr, now: () => performance.now() };
    expect(await main(null as never, host)).toBe(1);
    expect(stderr.text).toMatch(/^TypeError: [\s\S]*\n {4}at /);
  });
});
