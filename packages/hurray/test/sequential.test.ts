import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { encodeHurray, openHurray, store } from "../src/index.js";
import { type ByteInput, type FilePart, type FileReceiveOptions, readFileItems } from "../src/sequential/index.js";
import { readItem } from "../src/stream/index.js";
import { bytesOf, thrown, vectors } from "./support.js";

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function all(input: ByteInput, options?: FileReceiveOptions): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for await (const part of readFileItems(input, options)) parts.push(part);
  return parts;
}

/** What a reader with random access finds in the file: its outermost items by their places, and all names. */
async function expectedOf(bytes: Uint8Array): Promise<unknown> {
  const file = await openHurray(bytes);
  const entries = [...file.entries.values()].sort((a, b) => Number(a.descriptorOffset - b.descriptorOffset));
  const parts: unknown[] = [];
  for (let k = 0; k < entries.length; ) {
    const item = await readItem(file, entries[k]!.name);
    const count = (of: typeof item): number =>
      "members" in of ? of.members.reduce((sum, member) => sum + count(member), 1) : 1;
    const places = entries.slice(k, k + count(item)).map(({ descriptorOffset }) => Number(descriptorOffset));
    parts.push({ kind: "item", item, descriptorOffsets: places });
    k += places.length;
  }
  const { header, trailer, kv, metadata } = file;
  const names = new Map([...file.entries.values()].map((entry) => [Number(entry.descriptorOffset), entry.name]));
  parts.push({ kind: "end", header, trailer, entries: file.entries, kv, metadata, names });
  return parts;
}

describe("A18 a file that arrives from its front", () => {
  for (const c of vectors("file")) {
    test(`${c.id} gives what the whole file gives, however it is cut`, async () => {
      const bytes = bytesOf(c);
      const expected = await expectedOf(bytes);
      // The largest ones in fewer ways.
      const step = bytes.byteLength > 100_000 ? 21 : 1;
      for (let size = 1; size <= 64; size += step) expect(await all(cut(bytes, size)), `${size}`).toEqual(expected);
      expect(await all([bytes])).toEqual(expected);
    });
  }

  test("an item is given as soon as its last byte has arrived, before the next one is asked for", async () => {
    const bytes = encodeHurray({ a: arange(3), b: arange(5) });
    const { descriptorOffset } = (await openHurray(bytes)).entry("b");
    let given = 0;
    function* slowly() {
      for (const piece of cut(bytes, 8)) {
        given += piece.byteLength;
        yield piece;
      }
    }
    const parts = readFileItems(slowly())[Symbol.asyncIterator]();
    expect((await parts.next()).value).toMatchObject({ kind: "item", descriptorOffsets: [64] });
    expect(given).toBeLessThanOrEqual(Number(descriptorOffset));
    await parts.return?.();
    expect(given).toBeLessThanOrEqual(Number(descriptorOffset));
  });

  test("memory of items is their own, and data that looks like a descriptor is data", async () => {
    const text = new TextEncoder().encode("HRRYHRRYHRRYFILE");
    const { descriptor } = store(arange(0));
    const buffers = [{ ...descriptor.buffers[0]!, byteSize: 16n }];
    const { FileWriter } = await import("../src/index.js");
    const chunks: Uint8Array[] = [];
    const writer = new FileWriter({ write: (bytes) => void chunks.push(bytes.slice()) });
    await writer.add("t", { descriptor: { ...descriptor, typeTag: 0x11, shape: [16n], buffers }, buffers: [text] });
    await writer.add("mask", store(tensor([true])));
    await writer.finish();
    const room = new Uint8Array(100);
    function* reused() {
      for (const piece of cut(new Uint8Array(Buffer.concat(chunks)), 100)) {
        room.set(piece);
        yield room.subarray(0, piece.byteLength);
      }
    }
    const parts = await all(reused());
    expect(parts[0]).toMatchObject({ item: { buffers: [text] } });
    expect(parts.at(-1)).toMatchObject({
      kind: "end",
      names: new Map([
        [64, "t"],
        [4112, "mask"],
      ]),
    });
  });
});

describe("a file that is none, or not whole", () => {
  const BYTES = encodeHurray({ a: arange(3), b: arange(5) }, { metadata: { seed: 7n } });

  test("cut anywhere it is an error, after the items that were whole", async () => {
    for (let length = 0; length < BYTES.byteLength; length += length > 80 && length < 4000 ? 397 : 3) {
      const parts: FilePart[] = [];
      const error = await thrown(async () => {
        for await (const part of readFileItems(cut(BYTES.subarray(0, length), 4096))) parts.push(part);
      });
      expect(error.name, `${length}`).toBe("HurrayFormatError");
      expect(["R125", "R132", "R155"], `${length}`).toContain(error["rule"]);
      expect(error["code"], `${length}`).toBe("SW_HURRAY_TRUNCATED");
      const whole = length < 4108 ? 0 : length < 8212 ? 1 : 2;
      expect(parts.length, `${length}`).toBe(whole);
    }
  });

  test("R126 something else, R121 a composite that is not complete, and limits on what is taken", async () => {
    expect(await thrown(() => all([new Uint8Array(100)]))).toMatchObject({ rule: "R126" });
    expect(await thrown(() => all(BYTES as never))).toBeInstanceOf(TypeError);
    expect(await thrown(() => all([BYTES], { maximumBufferBytes: 12 }))).toMatchObject({ rule: "R156" });
    expect(await thrown(() => all([BYTES], { maximumDescriptorBytes: 50 }))).toMatchObject({ rule: "R156" });
    expect(await thrown(() => all([BYTES], { maximumIndexBytes: 100 }))).toMatchObject({ rule: "R156" });
    const nested = bytesOf(vectors("file").find((c) => c.id === "file-ref-composite-nested-sorted")!);
    const file = await openHurray(nested);
    const last = [...file.entries.values()].sort((a, b) => Number(b.descriptorOffset - a.descriptorOffset))[0]!;
    // Without its last member the file ends within the composite.
    const torn = new Uint8Array(
      Buffer.concat([
        nested.subarray(0, Number(last.descriptorOffset)),
        nested.subarray(Number(file.trailer.indexOffset)),
      ]),
    );
    expect(await thrown(() => all([torn]))).toMatchObject({ rule: "R121" });
  });

  test("SW_HURRAY_SOURCE_SHORT an index among the tensors cannot be read any more", async () => {
    const bytes = BYTES.slice();
    // Index and trailer agree, and the trailer sends the reader to the first tensor.
    new DataView(bytes.buffer).setBigUint64(bytes.byteLength - 40, 64n, true);
    expect(await thrown(() => all([bytes]))).toMatchObject({ code: "SW_HURRAY_SOURCE_SHORT", byteOffset: 64 });
  });

  test("a signal is heard while nothing arrives, and an input that is left is let go", async () => {
    const control = new AbortController();
    async function* stalled() {
      yield BYTES.subarray(0, 4110);
      await new Promise(() => {});
    }
    const reading = thrown(() => all(stalled(), { signal: control.signal }));
    setTimeout(() => control.abort(new Error("enough")), 5);
    expect((await reading).message).toBe("enough");
    let isLet = false;
    function* chunks() {
      try {
        yield* cut(BYTES, 100);
      } finally {
        isLet = true;
      }
    }
    for await (const part of readFileItems(chunks())) {
      expect(part.kind).toBe("item");
      break;
    }
    expect(isLet).toBe(true);
  });

  test("10,000 changed files (seed 20261130) give errors of ours or what random access gives", async () => {
    let state = 20261130;
    const random = (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state % limit;
    };
    const seeds = vectors("file")
      .map(bytesOf)
      .filter((bytes) => bytes.byteLength < 30_000);
    for (let round = 0; round < 10_000; round++) {
      const bytes = seeds[random(seeds.length)]!.slice();
      for (let k = 1 + random(3); k > 0; k--) {
        // Where something stands: the frame at both ends.
        const at = random(2) === 0 ? random(200) : bytes.byteLength - 1 - random(400);
        bytes[Math.max(0, at)] = random(256);
      }
      try {
        await all([bytes]);
      } catch (error) {
        expect((error as { code?: string }).code ?? String(error), `round ${round}`).toMatch(/^SW_HURRAY_/);
      }
    }
  });
});
