import { readFileSync } from "node:fs";
import { type FormatCandidate, type FormatVector, formatKit, formatKitOf, run } from "@sw/conformance";
import { describe, expect, test } from "vitest";
import { type Descriptor, decodeDescriptor, encodeDescriptor } from "../src/descriptor/index.js";
import { type HurrayFile, openHurray } from "../src/index.js";
import { memberNames, readItems, type StoredItem } from "../src/stream/index.js";
import { elementPlace } from "../src/values/index.js";
import { asManifest, bytesOf, crcText, kvAsManifest, type VectorCase } from "./support.js";
import { coordinatesOf } from "./support-values.js";

// The kit of @sw/conformance asks in the words of the manifest, so that others can be asked as well; it is handed what
// this package does behind these words.

/** What was decoded, in the words of the manifest, and the descriptor that `encode` needs. */
const known = new WeakMap<object, Descriptor>();

function factsOf(bytes: Uint8Array): object {
  const descriptor = decodeDescriptor(bytes, { accept: (what) => what === "layout" });
  const facts = asManifest(descriptor);
  known.set(facts, descriptor);
  return facts;
}

/** The manifest counts the sections that are known, not those of a later version. */
function described(descriptor: Descriptor): unknown {
  const facts = asManifest(descriptor) as { descriptorLength: number };
  return { ...facts, descriptorLength: facts.descriptorLength - (descriptor.tail?.byteLength ?? 0) };
}

const buffersOf = (buffers: readonly Uint8Array[]): unknown =>
  buffers.map((bytes) => ({ crc32c: crcText(bytes), length: bytes.byteLength }));

function itemOf(item: StoredItem): unknown {
  if ("members" in item) return { head: described(item.descriptor), members: item.members.map(itemOf) };
  return { tensor: described(item.descriptor), buffers: buffersOf(item.buffers) };
}

const ours = {
  name: "@sw/hurray",
  decode: factsOf,
  encode: (facts: unknown) => encodeDescriptor(known.get(facts as object)!),
  async readFile(bytes: Uint8Array): Promise<unknown> {
    const file = await openHurray(bytes);
    const tensors = await Promise.all(file.names().map((name) => storedOf(file, name)));
    return { file: headerOf(file), kv: kvAsManifest(file.kv), tensors };
  },
  async readStream(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
    const items: unknown[] = [];
    for await (const item of readItems(chunks)) items.push(itemOf(item));
    return items;
  },
  addresses(bytes: Uint8Array): readonly number[] {
    const descriptor = decodeDescriptor(bytes);
    return [...coordinatesOf(descriptor.shape.map(Number))].map((c) => elementPlace(descriptor, c).byteOffset);
  },
} satisfies FormatCandidate;

async function storedOf(file: HurrayFile, name: string): Promise<unknown> {
  const entry = file.entry(name);
  const members = await membersOf(file, name);
  return {
    index: {
      name,
      descriptorOffset: Number(entry.descriptorOffset),
      descriptorLength: entry.descriptorLength,
      dataOffset: Number(entry.dataOffset),
      dataLength: Number(entry.dataLength),
    },
    descriptor: asManifest(await file.descriptor(name)),
    buffers: buffersOf(await file.buffers(name)),
    ...(members === undefined ? {} : { members }),
  };
}

/** The members of a composite; `undefined` for a tensor. */
async function membersOf(file: HurrayFile, name: string): Promise<readonly unknown[] | undefined> {
  if ((await file.descriptor(name)).layout.kind !== "composite") return undefined;
  const named = (await memberNames(file, name)).map(async (member) => {
    const members = await membersOf(file, member);
    return members === undefined ? member : { head: member, members };
  });
  return Promise.all(named);
}

function headerOf({ header, trailer }: HurrayFile): unknown {
  const hint = header.tensorCountHint;
  return {
    containerVersion: [1, header.versionMinor],
    dataBufferAlignment: header.dataBufferAlignment,
    fileFlags: (header.hasMetadata ? 1 : 0) | (header.sortedIndex ? 2 : 0) | (header.hasIndexChecksum ? 4 : 0),
    firstDescriptorOffset: Number(header.firstDescriptorOffset),
    indexCrc32c: `0x${trailer.indexChecksum.toString(16).padStart(8, "0")}`,
    indexLength: Number(trailer.indexLength),
    indexOffset: Number(trailer.indexOffset),
    kvLength: trailer.kvLength,
    kvOffset: Number(trailer.kvOffset),
    tensorCountHint: hint < 2n ** 53n ? Number(hint) : String(hint),
  };
}

test("@sw/hurray passes the kit", async () => {
  const report = await run(formatKit, ours);
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report).toMatchObject({ ok: true, skipped: [], unchecked: [] });
  expect(report.passed.length).toBeGreaterThan(70);
});

/** Every vector, with its bytes. */
function allVectors(): readonly FormatVector[] {
  const text = readFileSync(new URL("./vectors/manifest.json", import.meta.url), "utf8");
  const { cases } = JSON.parse(text) as { cases: readonly (VectorCase & { byteAddresses?: readonly number[] })[] };
  return cases.map(({ byteAddresses, ...c }) => ({
    ...c,
    bytes: Buffer.from(bytesOf(c)).toString("hex"),
    rows: c.rows as NonNullable<FormatVector["rows"]>,
    ...(byteAddresses === undefined ? {} : { addresses: byteAddresses }),
  }));
}

test("@sw/hurray passes all vectors", async () => {
  const report = await run(formatKitOf(allVectors), ours);
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.passed.length).toBeGreaterThan(380);
});

const WRONG: readonly (readonly [what: string, change: Partial<FormatCandidate>, caughtBy: RegExp, code?: string])[] = [
  [
    "reads what it cannot write again",
    { encode: (facts) => ours.encode(facts).map((byte, i) => (i === 5 ? byte + 1 : byte)) },
    /^format\/descriptor\//,
  ],
  ["leaves a field out", { decode: (bytes) => ({ ...factsOf(bytes), shard: null }) }, /^format\/descriptor\/shard/],
  [
    "makes 0 of flags that are others than 0 and 1",
    {
      encode: (facts) => ours.encode(facts),
      decode: (bytes) => JSON.parse(JSON.stringify(factsOf(bytes)).replaceAll("true", "false")),
    },
    /^format\//,
  ],
  [
    "reads on behind the end",
    {
      decode(bytes) {
        const longer = new Uint8Array(bytes.byteLength + 64);
        longer.set(bytes);
        try {
          return factsOf(bytes);
        } catch {
          return factsOf(longer);
        }
      },
    },
    /^format\/(truncation|invalid-descriptor)\//,
    "SW_CONFORMANCE_THROWN",
  ],
  [
    "takes whatever comes",
    {
      decode: (bytes) => {
        try {
          return factsOf(bytes);
        } catch {
          return {};
        }
      },
    },
    /^format\/invalid-descriptor\//,
    "SW_CONFORMANCE_ACCEPTED",
  ],
  [
    "refuses without saying where",
    {
      decode: (bytes) => {
        try {
          return factsOf(bytes);
        } catch {
          throw new Error("bad");
        }
      },
    },
    /^format\/invalid-descriptor\//,
    "SW_CONFORMANCE_THROWN",
  ],
  [
    "takes a piece of a stream for an item",
    {
      readStream: async (chunks) => {
        const items: unknown[] = [];
        for await (const chunk of chunks) for await (const item of readItems([chunk])) items.push(itemOf(item));
        return items;
      },
    },
    /^format\/stream\//,
    "SW_CONFORMANCE_THROWN",
  ],
  [
    "ends at a stream's first fault as if it were its end",
    {
      readStream: async (chunks) => {
        try {
          return await ours.readStream(chunks);
        } catch {
          return [];
        }
      },
    },
    /^format\/invalid-stream\//,
    "SW_CONFORMANCE_ACCEPTED",
  ],
  [
    "believes a file's checksum",
    { readFile: async (bytes) => ({ ...((await ours.readFile(bytes)) as object), kv: [] }) },
    /^format\/file\//,
  ],
  [
    "counts elements, and not bytes",
    { addresses: (bytes) => ours.addresses(bytes).map((_, i) => i) },
    /^format\/address\//,
  ],
  [
    "writes into what it reads",
    {
      decode: (bytes) => {
        const facts = factsOf(bytes);
        bytes[0] = 0;
        return facts;
      },
    },
    /^format\/descriptor\//,
  ],
];

describe("a codec that", () => {
  const rows = WRONG.map(([what, change, caughtBy, code]) => ({ what, change, caughtBy, code }));
  test.each(rows)("$what is caught", async ({ change, caughtBy, code }) => {
    const { failed } = await run(formatKit, { ...ours, ...change });
    const codes = failed.filter(({ id }) => caughtBy.test(id)).map(({ error }) => error.code);
    expect(codes).toContain(code ?? "SW_CONFORMANCE_VALUE");
  });
});

test("what is no candidate is refused", async () => {
  await expect(run(formatKit, { name: "x" } as FormatCandidate)).rejects.toThrow(
    "run: the candidate reads no format: got object, expected an object with name and decode.",
  );
});
