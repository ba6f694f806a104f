import { arange } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { fileChunks, type RawTensor } from "../src/file/writer.js";
import { type Descriptor, encodeDescriptor, type HurraySource, openHurray, store } from "../src/index.js";
import { itemBytes, memberNames, readItem, readItems, type StoredItem } from "../src/stream/index.js";
import { bytesOf, crcText, thrown, vectors } from "./support.js";

const NESTED = bytesOf(vectors("file").find((c) => c.id === "file-ref-composite-nested-sorted")!);

/** Which tensors an item is made of, found by their data. */
function outline(item: StoredItem, names: ReadonlyMap<string, string>): unknown {
  if ("members" in item) return item.members.map((member) => outline(member, names));
  return names.get(crcText(item.buffers[0]!));
}

const float32 = store(arange(4));
const head = (memberCount: number, more: Partial<Descriptor> = {}): Descriptor => ({
  ...float32.descriptor,
  layout: { kind: "composite", rule: "group", combine: "none", memberCount },
  buffers: [],
  ...more,
});

/** A file of heads and tensors; a number is a head of that many members. */
function fileOf(parts: { readonly [name: string]: number | Descriptor }, sortedIndex = false): Uint8Array {
  const raw = Object.entries(parts).map(([name, part]): RawTensor => {
    const descriptor = typeof part === "number" ? head(part) : part;
    const byteLengths = descriptor.buffers.map(({ byteSize }) => Number(byteSize));
    return { name, descriptor: encodeDescriptor(descriptor), byteLengths, pieces: () => float32.buffers };
  });
  return new Uint8Array(Buffer.concat([...fileChunks(raw, { operation: "test", sortedIndex })]));
}

describe("composites of files", () => {
  test("members are the next tensors in the order of descriptors, not of the index, nested heads with theirs", async () => {
    const file = await openHurray(NESTED);
    expect(file.names()).toEqual(["a1", "inner", "x-head", "y", "z0"]);
    expect(await memberNames(file, "x-head")).toEqual(["y", "inner"]);
    expect(await memberNames(file, "inner")).toEqual(["z0", "a1"]);
    expect(await memberNames(file, "y")).toEqual([]);
    const names = new Map<string, string>();
    for (const name of ["y", "z0", "a1"]) names.set(crcText((await file.buffers(name))[0]!), name);
    expect(outline(await readItem(file, "x-head"), names)).toEqual(["y", ["z0", "a1"]]);
    expect(outline(await readItem(file, "inner"), names)).toEqual(["z0", "a1"]);
    expect(outline(await readItem(file, "a1"), names)).toBe("a1");
  });

  test("an item of a file goes into a stream and comes back", async () => {
    const item = await readItem(await openHurray(NESTED), "x-head");
    const received: StoredItem[] = [];
    for await (const other of readItems(itemBytes([item]))) received.push(other);
    expect(received).toEqual([item]);
  });

  test("A19 a head has no padding behind it, and its data offset is written as the end of its descriptor", async () => {
    const bytes = fileOf({ group: 2, a: float32.descriptor, b: float32.descriptor });
    const file = await openHurray(bytes);
    const { descriptorOffset, descriptorLength, dataOffset, dataLength } = file.entry("group");
    expect(dataOffset).toBe(descriptorOffset + BigInt(Math.ceil(descriptorLength / 8) * 8));
    expect(dataLength).toBe(0n);
    expect(file.entry("a").descriptorOffset).toBe(dataOffset);
    expect(await memberNames(file, "group")).toEqual(["a", "b"]);
  });

  test("A19 the data offset of a head is not looked at", async () => {
    const bytes = fileOf({ group: 1, a: float32.descriptor });
    const { trailer } = await openHurray(bytes);
    // Count, length and text of the name, descriptor offset and length; then the data offset. No checksum.
    const at = Number(trailer.indexOffset) + 8 + 2 + 5 + 8 + 4;
    bytes.fill(0xff, at, at + 8);
    bytes[12] = bytes[12]! & ~4;
    bytes.fill(0, bytes.length - 12, bytes.length - 8);
    const file = await openHurray(bytes);
    expect(file.entry("group").dataOffset).toBe(2n ** 64n - 1n);
    expect((await readItem(file, "group")).descriptor).toEqual(head(1));
  });

  test("R121 a composite that the file ends within is refused, its members are not", async () => {
    const bytes = fileOf({ a: float32.descriptor, torn: 2, b: float32.descriptor });
    const file = await openHurray(bytes);
    for (const read of [() => readItem(file, "torn"), () => memberNames(file, "torn")]) {
      const error = await thrown(read);
      expect([error["code"], error["rule"], error["byteOffset"]]).toEqual([
        "SW_HURRAY_COMPOSITE_INVALID",
        "R121",
        Number(file.trailer.indexOffset),
      ]);
      expect(error.message).toContain('read "torn"');
    }
    expect(await readItem(file, "b")).toEqual({ descriptor: float32.descriptor, buffers: float32.buffers });
  });

  test("R119 a partition whose members leave a gap is refused, with where its head lies", async () => {
    const layout = { kind: "composite", rule: "partition", combine: "none", memberCount: 1 } as const;
    const part = { ...float32.descriptor, shard: { parentShape: [5n], offset: [0n] } };
    const bytes = fileOf({ first: float32.descriptor, grid: head(1, { layout, shape: [5n] }), part });
    const file = await openHurray(bytes);
    const error = await thrown(() => readItem(file, "grid"));
    expect([error["rule"], error["byteOffset"]]).toEqual(["R119", Number(file.entry("grid").descriptorOffset)]);
  });

  test("SW_HURRAY_LIMIT what a cover may cost is the caller's to say", async () => {
    const error = await thrown(async () => readItem(await openHurray(NESTED), "x-head", { coverSteps: 1 }));
    expect(error["code"]).toBe("SW_HURRAY_LIMIT");
  });

  test("names of members are read without any data, an item without the other tensors, each descriptor once", async () => {
    const reads: string[] = [];
    const source: HurraySource = {
      byteLength: NESTED.byteLength,
      slice: (start, end) => {
        reads.push(`${start}-${end}`);
        return NESTED.subarray(start, end);
      },
    };
    const file = await openHurray(source);
    const descriptors = (...names: string[]): string[] =>
      names.map((name) => {
        const { descriptorOffset, descriptorLength } = file.entry(name);
        return `${descriptorOffset}-${descriptorOffset + BigInt(descriptorLength)}`;
      });
    reads.length = 0;
    await memberNames(file, "x-head");
    expect(reads).toEqual(descriptors("x-head", "y", "inner", "z0", "a1"));
    reads.length = 0;
    await readItem(file, "inner");
    expect(reads).toEqual([...descriptors("inner", "z0"), "16384-16400", ...descriptors("a1"), "20480-20496"]);
  });
});
