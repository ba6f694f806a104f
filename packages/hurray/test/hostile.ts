import { BufferPool, heapMemory } from "@sw/buffer";
import { arange, tensor, zeros } from "@sw/tensor";
import { expect } from "vitest";
import { loadCompound, valuesTensor } from "../src/compound/index.js";
import {
  type Descriptor,
  decodeDescriptor,
  descriptorLength,
  encodeDescriptor,
  encodeHurray,
  openHurray,
} from "../src/index.js";
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
import { decodeMessage, encodeMessage, receiveItems } from "../src/messages/index.js";
import { readFileItems } from "../src/sequential/index.js";
import { itemBytes, memberNames, readItem, readItems, type StoredItem } from "../src/stream/index.js";
import { checkData, elementPlace, relayout, sparsePosition, valueAt, valuesOf } from "../src/values/index.js";
import { verify } from "../src/verify/index.js";
import { arrayMetadata, entryMetadata, fileOf } from "./file-parts.js";
import { Meter } from "./meter.js";
import { expectTyped, mutate, mutateSmall } from "./mutate.js";
import { bytesOf, randomOf, vectors } from "./support.js";
import { fixture, fixtures, joined } from "./support-interchange.js";
import { split, valuesCases } from "./support-values.js";

/** What one changed input is put through. It counts what became of it, and lets errors through. */
type Trial = (bytes: Uint8Array, k: number, random: () => number, count: (outcome: string) => void) => unknown;

/** Inputs of one kind, and what is done with changes of them. */
interface Kind {
  readonly seeds: () => Uint8Array[];
  readonly change: (bytes: Uint8Array, random: () => number, k: number) => Uint8Array;
  /** Each runs by itself: the error of one does not keep the next from running. */
  readonly trials: readonly Trial[];
  /** Of how many inputs one is tried, where trying takes long. */
  readonly oneOf?: number;
  /** How often a byte may be read, where something is made of what was read; once when absent. */
  readonly readings?: number;
  /** What must have happened in one of a hundred inputs at least, so that a run is known to have reached it. */
  readonly reached: readonly string[];
}

const decode = (options: { accept?: () => boolean; mode?: "permissive" }): Trial => {
  return (bytes, _k, _random, count) => {
    const descriptor = decodeDescriptor(bytes, options);
    expect(decodeDescriptor(encodeDescriptor(descriptor), options)).toEqual(descriptor);
    count(descriptor.opaque ? "opaque" : "accepted");
  };
};

/** Bytes that an item keeps. */
function kept(item: StoredItem): number {
  if ("members" in item) return item.members.reduce((sum, member) => sum + kept(member), 0);
  return item.buffers.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}

const pool = new BufferPool({ source: heapMemory() });

const readTensors: Trial = async (bytes, _k, _random, count) => {
  const file = await openHurray(bytes);
  count("opened");
  for (const name of file.names()) {
    if ((await memberNames(file, name)).length > 0) {
      await readItem(file, name);
      count("composites");
      continue;
    }
    const t = await file.tensor(name, { memory: pool });
    count("read");
    expect(t.buffer.byteLength).toBeLessThanOrEqual(8 * bytes.length);
    t.dispose();
  }
};

/** Decodes all that a file says of itself: as much as is allowed, refused for each on its own. */
const readTables: Trial = async (bytes, k, _random, count) => {
  const file = await openHurray(bytes);
  const decode = (outcome: string, table: () => unknown): void => {
    try {
      table();
      count(outcome);
    } catch (error) {
      expectTyped(error, k);
      count("limited");
    }
  };
  decode("entries", () => expect(file.entries.size).toBe(file.names().length));
  decode("metadata", () => {
    expect(Object.keys(file.metadata).length).toBe(file.kv.length);
  });
};

const readStream: Trial = async (bytes, _k, _random, count) => {
  const items: StoredItem[] = [];
  try {
    for await (const item of readItems([bytes])) items.push(item);
    count("whole");
  } finally {
    for (const item of items) count("members" in item ? "composites" : "tensors");
    // A buffer has at most the bytes that arrived for it.
    expect(items.reduce((sum, item) => sum + kept(item), 0)).toBeLessThanOrEqual(bytes.byteLength);
    const again: StoredItem[] = [];
    for await (const item of readItems(itemBytes(items, { allowDynamic: true }))) again.push(item);
    expect(again).toEqual(items);
  }
};

const readMessage: Trial = (bytes, _k, _random, count) => {
  const message = decodeMessage(bytes);
  expect(decodeMessage(encodeMessage(message))).toEqual(message);
  count("messages");
};

const receive: Trial = async (bytes, k, _random, count) => {
  const from = k % 2 === 0 ? "server" : "client";
  for await (const { item } of receiveItems([bytes], { from, greeted: true })) {
    expect(kept(item)).toBeLessThanOrEqual(bytes.byteLength);
    count("items");
  }
};

const readValues: Trial = (bytes, _k, random, count) => {
  const descriptor: Descriptor = decodeDescriptor(bytes);
  const item = { descriptor, buffers: split(descriptor, bytes.subarray(descriptorLength(bytes))) };
  checkData(item, { mode: "permissive" });
  const { elements, shape } = valuesOf(item, { maximumBytes: 4000 });
  count("read");
  if (elements.length === 0) return;
  const coordinate = shape.map((extent) => Math.floor(random() * extent));
  const { kind } = descriptor.layout;
  if (kind === "coo" || kind === "csf" || kind === "csr" || kind === "csc") sparsePosition(item, coordinate);
  else if (kind !== "blockPaged") elementPlace(descriptor, coordinate);
  if (kind !== "blockPaged") valueAt(item, coordinate);
};

const checkAll: Trial = async (bytes, _k, _random, count) => {
  let violations = 0;
  for await (const { severity } of verify(bytes)) if (severity === "violation") violations++;
  count(violations === 0 ? "sound" : "violations");
};

const readInOrder: Trial = async (bytes, _k, _random, count) => {
  for await (const part of readFileItems([bytes])) {
    if (part.kind === "item") expect(kept(part.item)).toBeLessThanOrEqual(bytes.byteLength);
    count(part.kind);
  }
};

/** Reads a changed tensor, and does something with it that keeps no memory of the pool. */
function withItem(outcome: string, use: (item: StoredTensor, k: number) => void): Trial {
  return (bytes, k, _random, count) => {
    const descriptor = decodeDescriptor(bytes);
    use({ descriptor, buffers: split(descriptor, bytes.slice(descriptorLength(bytes))) }, k);
    count(outcome);
  };
}

/** Layouts that need nothing to be said of them. */
const TARGETS = ["rowMajor", "columnMajor", "strided", "morton", "hilbert", "coo", "csr", "csc", "csf"] as const;

const VALUES = { maximumBytes: 4000 };

type Named = readonly (readonly [name: string, item: StoredTensor])[];

/** Reads all tensors of a file of another format, writes them and reads them again. They take `growth` times the file at most. */
function readForeign(
  read: (bytes: Uint8Array) => Promise<Named>,
  write: ((tensors: Named) => AsyncIterable<Uint8Array>) | undefined,
  growth: number,
): Trial {
  return async (bytes, _k, _random, count) => {
    const tensors = await read(bytes);
    count("read");
    const size = tensors.reduce((sum, [, { buffers }]) => sum + buffers[0]!.byteLength, 0);
    expect(size).toBeLessThanOrEqual(growth * bytes.length);
    if (write === undefined) return;
    const again = new Map(await read(await joined(write(tensors))));
    // Comparing by `toEqual` would take more memory than reading may.
    for (const [name, t] of tensors) {
      const other = again.get(name)!;
      expect(encodeDescriptor(other.descriptor).join()).toBe(encodeDescriptor(t.descriptor).join());
      expect(Buffer.compare(other.buffers[0]!, t.buffers[0]!)).toBe(0);
    }
    expect(again.size).toBe(tensors.length);
  };
}

async function readNames(file: { names(): string[]; stored(name: string): Promise<StoredTensor> }): Promise<Named> {
  return Promise.all(file.names().map(async (name) => [name, await file.stored(name)] as const));
}

const readNpyOnly = async (bytes: Uint8Array): Promise<Named> => [["", await toStored(await readNpy([bytes]))]];

const readOnnx = async (bytes: Uint8Array): Promise<Named> => {
  const { name, tensor } = readOnnxTensor(bytes);
  return [[name, tensor]];
};

/** Files of other formats, as others write them. */
const foreign = (extension: string): Pick<Kind, "seeds" | "change" | "reached"> => ({
  seeds: () => fixtures(extension).map(([file]) => fixture(file)),
  change: (bytes, random) => mutate(bytes, random, 160),
  reached: ["read", "refused"],
});

/** Without its checksum the index is reached by changes too. */
function changedFile(bytes: Uint8Array, random: () => number, k: number): Uint8Array {
  const changed = mutate(bytes, random, 300);
  if (k % 2 === 0 && changed.length > 104) {
    changed[12] = changed[12]! & ~4;
    changed.fill(0, changed.length - 12, changed.length - 8);
  }
  return changed;
}

function ownFile(): Uint8Array {
  const tensors = { w: arange(6).reshape([2, 3]).T, m: tensor([true, false]), e: zeros([0, 3]) };
  return encodeHurray(tensors, { metadata: { a: 1, b: "x", c: [1n, 2n] } });
}

/** Metadata of values that are larger in memory than in the file: of as many as are refused, and of as many as are not. */
function expandingFiles(): Uint8Array[] {
  const none = [0, 0, 0, 0];
  const values = [
    ...[1, 6].map((tag) => (count: number) => arrayMetadata(tag, count, none)),
    (count: number) => arrayMetadata(5, 4 * count, [1]),
    (count: number) => arrayMetadata(4, count, [...none, 0, 0, 0xf0, 0x3f]),
    (count: number) => entryMetadata(count, 3),
    (count: number) => entryMetadata(count, 3, [7, 6, 1, 0, 0, 0, ...none]),
  ];
  return values.flatMap((kv) => [1000, 6000].map((count) => fileOf({ names: ["a", "b"], kv: kv(count) })));
}

/** Whole ones are changed more often than broken ones: most of those stay broken. */
const thrice = (seeds: Uint8Array[]): Uint8Array[] => [...seeds, ...seeds, ...seeds];

const KINDS = {
  descriptors: {
    seeds: () => [
      ...thrice(vectors("descriptor", "odd-descriptor").map(bytesOf)),
      ...vectors("invalid-descriptor").map(bytesOf),
    ],
    change: (bytes, random) => mutate(bytes, random, 400),
    trials: [decode({ accept: () => true }), decode({ mode: "permissive" })],
    reached: ["accepted", "opaque", "refused"],
  },
  files: {
    seeds: () => [
      ...thrice([ownFile(), ...vectors("file").map(bytesOf)]).filter((bytes) => bytes.length < 30_000),
      ...vectors("invalid-file").map(bytesOf),
    ],
    change: changedFile,
    trials: [readTensors],
    reached: ["opened", "read", "composites", "refused"],
  },
  "tables of files": {
    seeds: () => [
      ownFile(),
      ...vectors("file")
        .map(bytesOf)
        .filter((bytes) => bytes.length < 30_000),
      ...expandingFiles(),
    ],
    change: changedFile,
    trials: [readTables],
    oneOf: 4,
    // Once when it is opened, and once when it is decoded.
    readings: 2,
    reached: ["entries", "metadata", "limited", "refused"],
  },
  streams: {
    seeds: () => vectors("stream", "invalid-stream", "stream-cut").map(bytesOf),
    change: (bytes, random) => mutate(bytes, random, 600),
    trials: [readStream],
    reached: ["whole", "tensors", "composites", "refused"],
  },
  messages: {
    seeds: () => [...thrice(vectors("exchange").map(bytesOf)), ...vectors("message", "invalid-exchange").map(bytesOf)],
    change: (bytes, random) => mutate(bytes, random, 200),
    trials: [readMessage, receive],
    reached: ["messages", "items", "refused"],
  },
  tensors: {
    seeds: () => valuesCases("values", "lookup", "dequant", "invalid-buffers").map(bytesOf),
    change: mutateSmall,
    trials: [readValues],
    reached: ["read", "refused"],
  },
  "files that are checked": {
    seeds: () => [
      ...thrice([ownFile(), ...vectors("file").map(bytesOf)]).filter((bytes) => bytes.length < 30_000),
      ...vectors("stream", "invalid-file").map(bytesOf),
    ],
    change: changedFile,
    trials: [checkAll],
    reached: ["sound", "violations"],
  },
  "files from their front": {
    seeds: () => [ownFile(), ...vectors("file").map(bytesOf)].filter((bytes) => bytes.length < 30_000),
    change: changedFile,
    trials: [readInOrder],
    reached: ["item", "end", "refused"],
  },
  "compound tensors": {
    seeds: () => valuesCases("dequant", "values", "invalid-buffers").map(bytesOf),
    change: mutateSmall,
    trials: [withItem("parts", (item) => loadCompound(item, { memory: pool }).dispose())],
    reached: ["parts", "refused"],
  },
  "tensors of values": {
    seeds: () => valuesCases("values", "lookup", "dequant", "invalid-buffers").map(bytesOf),
    change: mutateSmall,
    trials: [withItem("values", (item) => valuesTensor(item, { memory: pool, ...VALUES }).tensor.dispose())],
    reached: ["values", "refused"],
  },
  relayouts: {
    seeds: () => valuesCases("values", "lookup", "dequant", "invalid-buffers").map(bytesOf),
    change: mutateSmall,
    trials: [withItem("moved", (item, k) => checkData(relayout(item, { kind: TARGETS[k % TARGETS.length]! }, VALUES)))],
    readings: 4,
    reached: ["moved", "refused"],
  },
  safetensors: {
    ...foreign(".safetensors"),
    trials: [readForeign(async (bytes) => readNames(await openSafetensors(bytes)), safetensorsBytes, 1)],
  },
  npy: { ...foreign(".npy"), trials: [readForeign(readNpyOnly, ([first]) => npyBytes(first![1]), 1)] },
  npz: {
    ...foreign(".npz"),
    trials: [
      readForeign(
        async (bytes) => readNames(await openNpz(bytes)),
        (tensors) => npzBytes(tensors),
        1032,
      ),
    ],
    oneOf: 20,
    // A byte of deflate may stand for so many, each of which is summed up.
    readings: 1032,
  },
  // A number of one byte may become one of eight.
  onnx: { ...foreign(".onnx"), trials: [readForeign(readOnnx, undefined, 8)] },
} satisfies Record<string, Kind>;

/** The kinds of input that are changed. */
export const HOSTILE_KINDS = Object.keys(KINDS) as (keyof typeof KINDS)[];

/**
 * Changes inputs of a kind `asked` times, or one of so many, and reads each: what comes is a typed error or a valid value; it takes at
 * most four times the input and 1 MiB of memory, and no more steps than the input has bytes, as often as a kind may read them, and a few.
 */
export async function readHostile(name: keyof typeof KINDS, asked: number, seed: number): Promise<void> {
  const kind: Kind = KINDS[name];
  const inputs = asked / (kind.oneOf ?? 1);
  const random = randomOf(seed);
  const seeds = kind.seeds();
  const outcomes = new Map(kind.reached.map((outcome) => [outcome, 0]));
  const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const meter = new Meter();
  meter.install();
  try {
    for (let k = 0; k < inputs; k++) {
      const bytes = kind.change(seeds[k % seeds.length]!, random, k);
      for (const trial of kind.trials) {
        const read = async (counted: typeof count): Promise<void> => {
          try {
            await trial(bytes, k, random, counted);
          } catch (error) {
            expectTyped(error, k);
            counted("refused");
          }
        };
        const cost = await meter.cost(() => read(count));
        if (cost.steps > (kind.readings ?? 1) * bytes.length + 256)
          expect.fail(`change ${k}: ${cost.steps} steps for ${bytes.length} bytes`);
        let least = cost.bytes;
        const room = 4 * bytes.length + 2 ** 20;
        // The host compiles now and then, which takes memory too; what the input takes, it takes each time.
        for (let again = 0; least > room && again < 5; again++) {
          least = Math.min(least, (await meter.cost(() => read(() => {}))).bytes);
        }
        if (least > room) expect.fail(`change ${k}: ${least} bytes taken for ${bytes.length}`);
      }
    }
  } finally {
    meter.uninstall();
  }
  for (const [outcome, times] of outcomes) expect(times, outcome).toBeGreaterThan(inputs / 100);
  expect(pool.statistics().live).toBe(0);
}
