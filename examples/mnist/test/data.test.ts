import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DataFileError, FILES, installedFolder, readMnist } from "../src/data.js";
import { IdxFormatError } from "../src/idx.js";
import { rejection, withFolder, writeSmallSet } from "./support.js";

describe("readMnist", () => {
  test("the installed package holds the whole data set", async () => {
    const { train, test: tests } = await readMnist(installedFolder());
    expect(train.images.shape).toEqual([60000, 28, 28]);
    expect(train.labels.shape).toEqual([60000]);
    expect(tests.images.shape).toEqual([10000, 28, 28]);
    expect(tests.labels.shape).toEqual([10000]);
  });

  test("a missing file is named", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 5, 5);
      await rm(join(folder, FILES.testLabels));
      const error = await rejection(readMnist(folder));
      expect(error).toBeInstanceOf(DataFileError);
      expect(error).toMatchObject({ code: "SW_MNIST_FILE_MISSING", file: join(folder, FILES.testLabels) });
      expect(error.message).toBe(
        `readMnist: a file is missing: got nothing at ${join(folder, FILES.testLabels)}, expected an IDX file. Name its folder with --data.`,
      );
    }));

  test("a folder in the place of a file is named", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 5, 5);
      await rm(join(folder, FILES.trainLabels));
      await mkdir(join(folder, FILES.trainLabels));
      expect(await rejection(readMnist(folder))).toMatchObject({ code: "SW_MNIST_FILE_UNREADABLE" });
    }));

  test("labels of another set are refused", () =>
    withFolder(async (folder) => {
      await writeSmallSet(folder, 5, 5);
      const other = join(folder, "other");
      await mkdir(other);
      await writeSmallSet(other, 6, 5);
      await rm(join(folder, FILES.trainLabels));
      await rename(join(other, FILES.trainLabels), join(folder, FILES.trainLabels));
      const error = await rejection(readMnist(folder));
      expect(error).toBeInstanceOf(IdxFormatError);
      expect(error).toMatchObject({ code: "SW_IDX_COUNT", given: 6, expected: 5 });
    }));
});
