import { expect, test } from "vitest";
import {
  npyBytes,
  npzBytes,
  openNpz,
  openSafetensors,
  readNpy,
  readOnnxTensor,
  type StoredTensor,
  safetensorsBytes,
  toStored,
} from "../src/interchange/index.js";
import { expectTyped, mutate } from "./mutate.js";
import { randomOf } from "./support.js";
import { fixture, fixtures, joined } from "./support-interchange.js";

const SEED = 20260131;

type Named = readonly (readonly [name: string, item: StoredTensor])[];

/** How a format is read, every tensor of a file, and written; ONNX is only read. */
interface Format {
  readonly extension: string;
  readonly mutations: number;
  /** How much larger tensors may be than the file: numbers of one byte become eight, deflate reaches 1032. */
  readonly growth: number;
  read(bytes: Uint8Array): Promise<Named>;
  write?(tensors: Named): AsyncIterable<Uint8Array>;
}

const readAll = async (file: { names(): string[]; stored(name: string): Promise<StoredTensor> }): Promise<Named> => {
  const all: [string, StoredTensor][] = [];
  for (const name of file.names()) all.push([name, await file.stored(name)]);
  return all;
};

const FORMATS: readonly Format[] = [
  {
    extension: ".safetensors",
    mutations: 3000,
    growth: 1,
    read: async (bytes) => readAll(await openSafetensors(bytes)),
    write: (tensors) => safetensorsBytes(tensors),
  },
  {
    extension: ".npy",
    mutations: 3000,
    growth: 1,
    read: async (bytes) => [["", await toStored(await readNpy([bytes]))]],
    write: ([first]) => npyBytes(first![1]),
  },
  {
    extension: ".npz",
    mutations: 1000,
    growth: 1032,
    read: async (bytes) => readAll(await openNpz(bytes)),
    write: (tensors) => npzBytes(tensors),
  },
  {
    extension: ".onnx",
    mutations: 4000,
    growth: 8,
    read: async (bytes) => {
      const { name, tensor } = readOnnxTensor(bytes);
      return [[name, tensor]];
    },
  },
];

test.each(FORMATS)(
  `changed $extension files (seed ${SEED}) give errors of ours or tensors that are written and read again`,
  async (format) => {
    const random = randomOf(SEED);
    const seeds = fixtures(format.extension).map(([file]) => fixture(file));
    const outcomes = { whole: 0, refused: 0 };
    for (let k = 0; k < format.mutations; k++) {
      const bytes = mutate(seeds[k % seeds.length]!, random, 160);
      let read: Named;
      try {
        read = await format.read(bytes);
        outcomes.whole++;
      } catch (error) {
        expectTyped(error, k);
        outcomes.refused++;
        continue;
      }
      const size = read.reduce((sum, [, { buffers }]) => sum + buffers[0]!.byteLength, 0);
      expect(size, `mutation ${k}`).toBeLessThanOrEqual(bytes.byteLength * format.growth);
      if (format.write === undefined) continue;
      const again = await format.read(await joined(format.write(read)));
      expect(new Map(again), `mutation ${k}`).toEqual(new Map(read));
    }
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(format.mutations / 20);
  },
);
