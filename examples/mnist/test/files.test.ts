import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkOutputs, OutputFileError, writeText } from "../src/files.js";
import { rejection, withFolder } from "./support.js";

describe("checkOutputs", () => {
  test("files in a folder that exists are fine, present or not, and are not touched", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "a"), "old");
      await checkOutputs([join(folder, "a"), join(folder, "b")]);
      expect(await readdir(folder)).toEqual(["a"]);
    }));

  test("a missing folder", () =>
    withFolder(async (folder) => {
      const file = join(folder, "none", "a");
      const error = await rejection(checkOutputs([file]));
      expect(error).toBeInstanceOf(OutputFileError);
      expect(error).toMatchObject({ code: "SW_MNIST_OUTPUT_FOLDER", file });
      expect(error.message).toBe(
        `write: the folder of a result is missing or cannot be written: got ${join(folder, "none")}, expected a folder. Create it first.`,
      );
    }));

  test("a file in the place of a folder", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "a"), "");
      const file = join(folder, "a", "b");
      expect(await rejection(checkOutputs([file]))).toMatchObject({ code: "SW_MNIST_OUTPUT_FOLDER", file });
    }));

  test("a folder in the place of a file", () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, "a"));
      const error = await rejection(checkOutputs([join(folder, "a")]));
      expect(error).toMatchObject({ code: "SW_MNIST_OUTPUT_FILE", file: join(folder, "a") });
      expect(error.message).toBe(
        `write: a result cannot be written: got ${join(folder, "a")}, which is no file, expected a path of a file.`,
      );
    }));

  test("one file for two results", () =>
    withFolder(async (folder) => {
      const error = await rejection(checkOutputs([join(folder, "a"), `${folder}/./a`]));
      expect(error).toMatchObject({ code: "SW_MNIST_OUTPUT_SAME", file: `${folder}/./a` });
      expect(error.message).toBe(
        `write: two results go to one file: got ${folder}/./a twice, expected a file for each.`,
      );
    }));
});

describe("writeText", () => {
  test("it replaces a file and leaves nothing else", () =>
    withFolder(async (folder) => {
      await writeFile(join(folder, "a"), "old");
      await writeText(join(folder, "a"), "new");
      expect(await readdir(folder)).toEqual(["a"]);
      expect(await readFile(join(folder, "a"), "utf8")).toBe("new");
    }));

  test("when it fails, nothing half-written stays behind", () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, "a"));
      await rejection(writeText(join(folder, "a"), "new"));
      expect(await readdir(folder)).toEqual(["a"]);
    }));
});
