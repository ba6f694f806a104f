import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { crc32c } from "../src/file/crc32c.js";
import { type Descriptor, encodeDescriptor, encodeHurray, openHurray } from "../src/index.js";
import { thrown } from "./support.js";

/** A file of one tensor "t", float32 [2], whose index entry and descriptor can be changed; the checksum is set right. */
async function changed(change: (view: DataView, entryAt: number, descriptorAt: number) => void): Promise<Uint8Array> {
  const bytes = encodeHurray({ t: tensor([1.5, -2.25]) });
  const { trailer } = await openHurray(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const indexAt = Number(trailer.indexOffset);
  change(view, indexAt + 8 + 2 + 1, 64);
  const index = bytes.subarray(indexAt, indexAt + Number(trailer.indexLength));
  view.setUint32(bytes.length - 12, crc32c(index), true);
  return bytes;
}

const read = async (bytes: Uint8Array): Promise<unknown> => (await (await openHurray(bytes)).tensor("t")).toArray();

describe("field case 20: fields are checked against each other and against the file", () => {
  test("the control loads", async () => {
    expect(await read(await changed(() => {}))).toEqual([1.5, -2.25]);
  });

  // Of the entry: descriptor offset at 0, descriptor length at 8, data offset at 12, data length at 20.
  const u64 = (at: number, value: bigint) => (view: DataView, entry: number) =>
    view.setBigUint64(entry + at, value, true);
  const rows: readonly (readonly [string, string, (view: DataView, entry: number, descriptor: number) => void])[] = [
    ["a shape of [1000000] over 8 bytes", "R65", (view, _, d) => view.setBigUint64(d + 20, 1000000n, true)],
    ["a range of 16 bytes for 8", "R144", u64(20, 16n)],
    ["a range of 4 bytes for 8", "R144", u64(20, 4n)],
    ["a range whose length is right and place wrong", "R144", u64(12, 1099511627776n)],
    ["a range that begins at 2^64 - 8", "R144", u64(12, 2n ** 64n - 8n)],
    ["a range that begins at no multiple of the alignment", "R144", u64(12, 4104n)],
    ["a range in the header", "R144", u64(12, 0n)],
    ["a descriptor length of 2^32 - 1", "R144", (view, entry) => view.setUint32(entry + 8, 2 ** 32 - 1, true)],
    ["a descriptor longer than it says itself", "R145", (view, entry) => view.setUint32(entry + 8, 54, true)],
    ["a descriptor at no multiple of 8", "R144", u64(0, 65n)],
    ["an unknown element type", "R10", (view, _, d) => view.setUint8(d + 14, 0x47)],
    ["a buffer of 2^63 bytes", "R144", (view, _, d) => view.setBigUint64(d + 37, 2n ** 63n, true)],
  ];
  for (const [what, rule, change] of rows) {
    test(`${what} is refused, naming tensor, field and both numbers`, async () => {
      const bytes = await changed(change);
      const error = await thrown(() => read(bytes));
      expect(error).toMatchObject({ name: "HurrayFormatError", rule });
      expect(error.message).toContain('"t"');
      expect(typeof error["field"]).toBe("string");
      expect(error.message).toMatch(/got .+, expected .+/);
    });
  }

  test("A41 entries that overlap are allowed, as long as they are in range", async () => {
    const bytes = encodeHurray({ a: arange(2), b: arange(2) });
    const file = await openHurray(bytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const indexAt = Number(file.trailer.indexOffset);
    view.setBigUint64(indexAt + 8 + 35 + 3 + 12, file.entry("a").dataOffset, true);
    const index = bytes.subarray(indexAt, indexAt + Number(file.trailer.indexLength));
    view.setUint32(bytes.length - 12, crc32c(index), true);
    const again = await openHurray(bytes);
    expect(again.entry("b").dataOffset).toBe(again.entry("a").dataOffset);
    expect((await again.tensor("b")).toArray()).toEqual([0, 1]);
  });
});

describe("field case 21: sizes that overflow, counts that lie", () => {
  const descriptor = (typeTag: number, shape: readonly bigint[], byteSize: bigint): Descriptor => ({
    versionMinor: 0,
    typeTag,
    shape,
    byteOffset: 0n,
    layout: { kind: "rowMajor" },
    buffers: [{ byteSize, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 }],
  });
  const products: readonly (readonly [string, number, readonly bigint[], bigint])[] = [
    ["[4294967296, 4294967296] of float32 over nothing", 3, [2n ** 32n, 2n ** 32n], 0n],
    ["[4611686018427387905, 4] of uint8 over 4 bytes", 0x11, [4611686018427387905n, 4n], 4n],
    ["[9223372036854775807, 2] of int8 over 4 bytes", 0x10, [9223372036854775807n, 2n], 4n],
  ];
  for (const [what, typeTag, shape, byteSize] of products) {
    test(`${what} is refused`, async () => {
      expect(await thrown(() => encodeDescriptor(descriptor(typeTag, shape, byteSize)))).toMatchObject({ rule: "R65" });
    });
  }

  test("an extent of 9223372036854775807 beside a 0 describes nothing that is too small, and is refused as a tensor", async () => {
    const bytes = await changed(() => {});
    const file = await openHurray(bytes);
    const huge = encodeDescriptor(descriptor(3, [0n, 9223372036854775807n], 0n));
    expect(huge).toHaveLength(61);
    const { load } = await import("../src/index.js");
    const error = await thrown(() =>
      load({ descriptor: descriptor(3, [0n, 9223372036854775807n], 0n), buffers: [new Uint8Array()] }),
    );
    expect(error).toMatchObject({ code: "SW_HURRAY_LIMIT", limit: "extents", given: 9223372036854775807n });
    expect(file.names()).toEqual(["t"]);
  });

  test("9007199254740993 is never read as …992", async () => {
    const { decodeDescriptor } = await import("../src/index.js");
    const odd = descriptor(0x11, [9007199254740993n], 9007199254740993n);
    expect(decodeDescriptor(encodeDescriptor(odd)).shape).toEqual([9007199254740993n]);
  });

  test("R15 a rank of 4294967295 is refused before dimensions are read", async () => {
    const bytes = await changed((view, _, d) => view.setUint32(d + 16, 4294967295, true));
    expect(await thrown(() => read(bytes))).toMatchObject({ rule: "R15" });
  });

  test("R138 a tensor count of 2147483648 is refused by the bytes that are left", async () => {
    const bytes = await changed((view, entry) => view.setBigUint64(entry - 11, 2147483648n, true));
    expect(await thrown(() => openHurray(bytes))).toMatchObject({ rule: "R138" });
  });

  test("[0,3] with an empty range and [] with one element load", async () => {
    const file = await openHurray(encodeHurray({ empty: arange(0).reshape([0, 3]), scalar: tensor(2.5) }));
    expect((await file.tensor("empty")).shape).toEqual([0, 3]);
    expect((await file.tensor("scalar")).item()).toBe(2.5);
  });
});

describe("field case 22: alignment", () => {
  test("a range of 14 bytes for four elements is refused, never a length of 3.5", async () => {
    const bytes = await changed((view, _, d) => view.setBigUint64(d + 37, 7n, true));
    expect(await thrown(() => read(bytes))).toMatchObject({ rule: "R65" });
  });

  test("the writer places every tensor at a multiple of 4096, so that sharing is possible", async () => {
    const file = await openHurray(encodeHurray({ a: tensor([true]), b: tensor([1n]) }));
    for (const name of file.names()) expect(Number(file.entry(name).dataOffset) % 4096).toBe(0);
  });
});
