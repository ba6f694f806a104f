import { describe, expect, test } from "vitest";
import { itemBytes, readItems, type StoredItem } from "../src/stream/index.js";
import { asManifest, bytesOf, crcText, vectors } from "./support.js";

/** An item in the words of the manifest. */
function itemAsManifest(item: StoredItem): unknown {
  const manifest = asManifest(item.descriptor) as { descriptorLength: number };
  // The manifest counts the sections that are known, not those of a later version.
  const descriptorLength = manifest.descriptorLength - (item.descriptor.tail?.byteLength ?? 0);
  const descriptor = { ...manifest, descriptorLength };
  if ("members" in item) return { head: descriptor, members: item.members.map(itemAsManifest) };
  return { tensor: descriptor, buffers: item.buffers.map((b) => ({ crc32c: crcText(b), length: b.byteLength })) };
}

/** What can be read of a stream, and the error that ended it. */
async function outcome(chunks: readonly Uint8Array[]): Promise<{ items: StoredItem[]; error?: unknown }> {
  const items: StoredItem[] = [];
  try {
    for await (const item of readItems(chunks)) items.push(item);
    return { items };
  } catch (error) {
    return { items, error };
  }
}

const bytewise = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (_, k) => bytes.subarray(k, k + 1));

describe("streams", () => {
  for (const c of vectors("stream")) {
    test(`${c.id}: items equal the manifest, whole or byte by byte, and are written again byte for byte`, async () => {
      const bytes = bytesOf(c);
      const { items, error } = await outcome([bytes]);
      expect(error).toBeUndefined();
      expect(items.map(itemAsManifest)).toEqual(c.expect);
      expect(await outcome(bytewise(bytes))).toEqual({ items });
      const written: Uint8Array[] = [];
      for await (const piece of itemBytes(items)) written.push(piece);
      expect(new Uint8Array(Buffer.concat(written))).toEqual(bytes);
    });
  }

  for (const c of vectors("invalid-stream")) {
    const rule = c.spec.rule!.split(" ")[0]!;
    test(`${rule} ${c.id} is refused, whole or byte by byte`, async () => {
      const bytes = bytesOf(c);
      for (const chunks of [[bytes], bytewise(bytes)]) {
        const { error } = (await outcome(chunks)) as { error: { name: string; rule: string; byteOffset: number } };
        expect([error.name, error.rule]).toEqual(["HurrayFormatError", rule]);
        expect(error.byteOffset).toBeLessThanOrEqual(bytes.byteLength);
      }
    });
  }

  for (const c of vectors("stream-cut")) {
    test(`R155 ${c.id}: a stream that is cut anywhere gives the tensors before the cut, then an error`, async () => {
      const bytes = bytesOf(c);
      for (const [length, [result, count]] of (c.rows as [string, number][]).entries()) {
        const { items, error } = await outcome([bytes.subarray(0, length)]);
        expect(items.length, `the first ${length} bytes`).toBe(count);
        if (result === "ok") expect(error).toBeUndefined();
        else expect((error as { rule?: string }).rule, `the first ${length} bytes`).toBe("R155");
      }
    });
  }
});
