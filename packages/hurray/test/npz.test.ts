import { deflateRawSync, inflateRawSync } from "node:zlib";
import { arange, zeros } from "@sw/tensor";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HurrayLookupError, HurraySourceError, HurrayValueError, store } from "../src/index.js";
import {
  type NpzOptions,
  npyBytes,
  npzBytes,
  openNpz,
  readNpy,
  type StoredTensor,
  TYPE_MAPPINGS,
  toStored,
} from "../src/interchange/index.js";
import { zipBytes } from "../src/interchange/zip-write.js";
import { chunks, fixture, fixtures, foreign, joined, storedOf, tensors, thrown } from "./support-interchange.js";

const { descriptor, buffers } = store(arange(6).reshape([2, 3]));
const t: StoredTensor = { descriptor, buffers };

/** Reads tensor `w`. */
const readW = async (bytes: Uint8Array, options: NpzOptions = {}): Promise<StoredTensor> =>
  (await openNpz(bytes, options)).stored("w");

/** Where a signature stands for the first time, from the front or from the end. */
const first = (bytes: Uint8Array, signature: string): number => Buffer.from(bytes).indexOf(signature, 0, "latin1");
const last = (bytes: Uint8Array, signature: string): number =>
  Buffer.from(bytes).lastIndexOf(signature, undefined, "latin1");

/** An archive with some bytes changed. */
function changed(bytes: Uint8Array, at: number, ...values: readonly number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(values, at);
  return copy;
}

describe("archives of NumPy", () => {
  test.each(fixtures(".npz"))("%s reads as it was written", async (file, all) => {
    const opened = await openNpz(fixture(file));
    expect(opened.names()).toEqual(all.map(({ name }) => name));
    for (const expected of all) {
      const item = storedOf(expected);
      const name = expected.name!;
      expect(await opened.stored(name)).toEqual(item);
      expect(await toStored(await opened.tensor(name))).toEqual(item);
      expect(await opened.descriptor(name)).toEqual(item.descriptor);
    }
  });

  test("what is no tensor is listed, and left alone", async () => {
    expect((await openNpz(fixture("wide.npz"))).others).toEqual(["readme.txt"]);
    expect((await openNpz(fixture("stored.npz"))).others).toEqual([]);
  });

  test.each(["lzma", "bzip2"])("SW_HURRAY_FOREIGN_UNSUPPORTED an entry compressed by %s is refused", async (method) => {
    const bytes = fixture(`refused-${method}.npz`);
    const at = first(bytes, "PK\x01\x02");
    expect(await foreign("UNSUPPORTED", "method", at + 10, () => readW(bytes))).toContain(
      `got ${method === "lzma" ? 14 : 12}, expected 0, stored, or 8, deflate`,
    );
  });
});

describe("what archives may be", () => {
  const stored = (): Promise<Uint8Array> => joined(npzBytes([["w", t]]));

  test("the record at the end is found behind a comment, one that looks like it too", async () => {
    const bytes = await stored();
    for (const comment of ["a comment", "PK\x05\x06 and more of it, as long as a record", "x".repeat(0xffff)]) {
      const text = Buffer.from(comment, "latin1");
      const commented = new Uint8Array(Buffer.concat([bytes, text]));
      new DataView(commented.buffer).setUint16(bytes.byteLength - 2, text.length, true);
      expect(await readW(commented)).toEqual(t);
    }
  });

  test("names are names: no path is followed, and any text will do", async () => {
    const names = ["../../etc/passwd", "/root", "C:\\x", "a/b", "", "größe", ".npy", "__proto__"];
    const opened = await openNpz(await joined(npzBytes(names.map((name) => [name, t] as const))));
    expect(opened.names()).toEqual(names);
    for (const name of names) expect(await opened.stored(name)).toEqual(t);
  });

  test("what is no archive is refused", async () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(21), new Uint8Array(70_000), await joined(npyBytes(t))]) {
      await foreign("INVALID", "directory_end", bytes.byteLength, () => openNpz(bytes));
    }
    const cut = (await stored()).subarray(0, -1);
    await foreign("INVALID", "directory_end", cut.byteLength, () => openNpz(cut));
  });

  test("each field of the record at the end is checked against the file", async () => {
    const bytes = await stored();
    const end = bytes.byteLength - 22;
    const directory = first(bytes, "PK\x01\x02");
    const length = end - directory;
    const open =
      (at: number, ...values: readonly number[]) =>
      () =>
        openNpz(changed(bytes, end + at, ...values));
    await foreign("UNSUPPORTED", "disk", end, open(4, 1));
    await foreign("UNSUPPORTED", "disk", end, open(8, 2));
    await foreign("INVALID", "entries", directory, open(8, 2, 0, 2));
    await foreign("INVALID", "entries", directory, open(8, 0xff, 0xff, 0xff, 0xff));
    await foreign("INVALID", "directory_length", directory, open(8, 0, 0, 0, 0));
    await foreign("INVALID", "directory_offset", end, open(12, length + 1));
    await foreign("INVALID", "directory_offset", end, open(16, 0xff, 0xff, 0xff, 0xff));
    await foreign("INVALID", "entry", directory - 1, open(16, directory - 1));
    await foreign("INVALID", "directory_length", directory, () => openNpz(bytes, { maximumDirectoryBytes: 10 }));
  });

  test("each field of an entry is checked", async () => {
    const bytes = await stored();
    const at = first(bytes, "PK\x01\x02");
    const read =
      (field: number, ...values: readonly number[]) =>
      () =>
        readW(changed(bytes, at + field, ...values));
    await foreign("INVALID", "entry", at, read(0, 0x51));
    for (const flags of [1, 0x40]) await foreign("UNSUPPORTED", "flags", at + 8, read(8, flags));
    await foreign("UNSUPPORTED", "flags", at + 8, read(8, 0, 0x20));
    await foreign("UNSUPPORTED", "method", at + 10, read(10, 9));
    await foreign("INVALID", "crc", at + 16, read(16, bytes[at + 16]! ^ 1));
    await foreign("INVALID", "compressed_size", at, read(20, 0, 0, 1));
    await foreign("INVALID", "size", at + 24, read(24, 151));
    await foreign("INVALID", "entry", at, read(28, 0xff));
    await foreign("INVALID", "entry", at, read(30, 1));
    await foreign("INVALID", "header", 1, read(42, 1));
    // The name and the method are in two places.
    await foreign("INVALID", "name", 30, () => readW(changed(bytes, 30, 0x78)));
    await foreign("INVALID", "method", 8, () => readW(changed(bytes, 8, 8)));
    await foreign("INVALID", "compressed_size", 0, () => readW(changed(bytes, 28, 0xff)));
    await foreign("INVALID", "header", 0, () => readW(changed(bytes, 0, 0)));
  });

  test("an entry that is damaged is found out by its checksum, compressed or not", async () => {
    for (const compress of [false, true]) {
      const bytes = await joined(npzBytes([["w", t]], { compress }));
      const error = await thrown(() => readW(changed(bytes, 60, bytes[60]! ^ 1)));
      expect(error["code"]).toBe("SW_HURRAY_FOREIGN_INVALID");
    }
    const bytes = await stored();
    const at = first(bytes, "PK\x07\x08") - 1;
    const error = await thrown(() => readW(changed(bytes, at, bytes[at]! ^ 1)));
    expect([error["field"], error["tensorName"]]).toEqual(["crc", "w"]);
    expect(error.message).toMatch(/its checksum differs: got 0x[0-9a-f]{8}, expected 0x[0-9a-f]{8}/);
  });

  test("two entries of one name are refused", async () => {
    const two = await joined(
      npzBytes([
        ["v", t],
        ["w", t],
      ]),
    );
    const same = Uint8Array.from(two, (byte) => (byte === 0x76 ? 0x77 : byte));
    expect(await foreign("INVALID", "name", last(same, "PK\x01\x02"), () => openNpz(same))).toContain(
      'two entries have the same name: got "w.npy"',
    );
  });

  test("entries that share bytes, which lets archives explode, are refused", async () => {
    const two = await joined(
      npzBytes([
        ["v", t],
        ["w", t],
      ]),
    );
    const at = last(two, "PK\x01\x02");
    // The second entry starts where the first does.
    await foreign("INVALID", "compressed_size", first(two, "PK\x01\x02"), () => openNpz(changed(two, at + 42, 0, 0)));
  });

  test("a name that nothing says the encoding of is refused, one in UTF-8 is not", async () => {
    const bytes = await joined(npzBytes([["ä", t]]));
    expect((await openNpz(bytes)).names()).toEqual(["ä"]);
    const at = first(bytes, "PK\x01\x02");
    await foreign("UNSUPPORTED", "name", at + 46, () => openNpz(changed(bytes, at + 9, 0)));
    await foreign("INVALID", "name", at + 46, () => openNpz(changed(bytes, at + 46, 0xff)));
  });
});

describe("compressed entries", () => {
  /** An archive of one entry with these compressed bytes and sizes. */
  async function archiveOf(compressed: Uint8Array, size: number, crc?: number): Promise<Uint8Array> {
    const header = new Uint8Array();
    const file = { name: "w.npy", header, byteLength: 0, pieces: () => [compressed] };
    const bytes = await joined(zipBytes([file], false));
    const at = first(bytes, "PK\x01\x02");
    const view = new DataView(bytes.buffer);
    view.setUint16(8, 8, true);
    view.setUint16(at + 10, 8, true);
    view.setUint32(at + 24, size, true);
    if (crc !== undefined) view.setUint32(at + 16, crc, true);
    return bytes;
  }

  test("an entry that expands to more than it declares is stopped there", async () => {
    const plain = await joined(npyBytes(store(zeros([1_000_000]))));
    const bytes = await archiveOf(deflateRawSync(plain), 200);
    const message = await foreign("INVALID", "size", first(bytes, "PK\x01\x02") + 24, async () =>
      toStored(await (await openNpz(bytes)).tensor("w")),
    );
    expect(message).toContain("got more than 200, expected 200");
    const small = await joined(npyBytes(store(zeros([18]))));
    const more = await archiveOf(deflateRawSync(Buffer.concat([small, Buffer.alloc(1000)])), small.byteLength);
    expect(await foreign("INVALID", "size", first(more, "PK\x01\x02") + 24, () => readW(more))).toContain(
      `got more than ${small.byteLength}, expected ${small.byteLength}`,
    );
  });

  test("an entry that declares more than its bytes can be is refused before it is read", async () => {
    const bytes = await archiveOf(deflateRawSync(await joined(npyBytes(t))), 0x7fffffff);
    const at = first(bytes, "PK\x01\x02");
    expect(await foreign("INVALID", "size", at + 24, () => readW(bytes))).toContain("No compression gives so much.");
    const squeezed = await joined(npzBytes([["w", store(zeros([1000]))]], { compress: true }));
    expect(
      await foreign("INVALID", "size", first(squeezed, "PK\x01\x02") + 24, () => readW(squeezed, { maximumRatio: 10 })),
    ).toContain("expected at most 10 times its");
  });

  test("bytes that are no deflate, or end too early, are refused with the error of the host as their cause", async () => {
    const compressed = deflateRawSync(await joined(npyBytes(t)));
    for (const damaged of [compressed.subarray(0, 30), Uint8Array.of(0xff, 0xff, 0xff, 0xff), new Uint8Array()]) {
      const bytes = await archiveOf(damaged, damaged.byteLength * 10);
      const error = await thrown(() => readW(bytes));
      expect(error["code"]).toBe("SW_HURRAY_FOREIGN_INVALID");
    }
    const bytes = await archiveOf(Uint8Array.of(0xff, 0xff, 0xff, 0xff), 152);
    const error = await thrown(() => readW(bytes));
    expect(error["field"]).toBe("data");
    expect((error.cause as Error).message).toBeTruthy();
  });

  test("a source that fails says so itself", async () => {
    const bytes = await joined(npzBytes([["w", store(arange(300_000))]], { compress: true }));
    const failure = new Error("the disk is gone");
    const opened = await openNpz({
      byteLength: bytes.byteLength,
      slice: (start: number, end: number) => {
        if (start > 60_000 && start < 100_000) throw failure;
        return bytes.subarray(start, end);
      },
    });
    await expect(opened.stored("w")).rejects.toBe(failure);
  });

  test("leaving a tensor early ends the expansion", async () => {
    const opened = await openNpz(await joined(npzBytes([["w", store(arange(1_000_000))]], { compress: true })));
    const streamed = await opened.tensor("w");
    for await (const piece of streamed.pieces(0)) {
      expect(piece.byteLength).toBeLessThan(1_000_000);
      break;
    }
  });
});

describe("ZIP64", () => {
  const plan = async (name: string) => {
    const bytes = await joined(npyBytes(t));
    return { name, header: bytes, byteLength: bytes.byteLength, pieces: () => [] };
  };

  test("wide sizes are written from where they are needed, and read", async () => {
    for (const wideFrom of [1, 100]) {
      for (const compress of [false, true]) {
        const bytes = await joined(zipBytes([await plan("v.npy"), await plan("w.npy")], compress, wideFrom));
        expect(first(bytes, "PK\x06\x06")).toBeGreaterThan(0);
        const opened = await openNpz(bytes);
        for (const name of opened.names()) expect(await opened.stored(name)).toEqual(t);
        expect(opened.names()).toEqual(["v", "w"]);
      }
    }
  });

  test("each field of the wide records is checked", async () => {
    const bytes = await joined(zipBytes([await plan("w.npy")], false, 100));
    const wide = first(bytes, "PK\x06\x06");
    const locator = first(bytes, "PK\x06\x07");
    const read =
      (at: number, ...values: readonly number[]) =>
      () =>
        readW(changed(bytes, at, ...values));
    const beyond = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    await foreign("INVALID", "zip64_end", locator + 8, read(locator + 8, ...beyond));
    await foreign("INVALID", "zip64_end", 0, read(locator + 8, 0, 0));
    await foreign("UNSUPPORTED", "disk", locator + 20, read(wide + 16, 1));
    await foreign("INVALID", "entries", first(bytes, "PK\x01\x02"), read(wide + 24, ...beyond, ...beyond));
    await foreign("INVALID", "directory_offset", locator + 20, read(wide + 40, ...beyond));
    await foreign("INVALID", "directory_offset", locator + 20, read(wide + 48, ...beyond));
    const extra = first(bytes, "PK\x01\x02") + 46 + 5;
    await foreign("INVALID", "extra", extra, read(extra, 2));
    await foreign("INVALID", "extra", extra, read(extra + 2, 7));
    await foreign("INVALID", "compressed_size", extra - 51, read(extra + 12, ...beyond));
  });
});

describe("writing", () => {
  test("each entry is the npy file, by the bytes of another reader of zip", async () => {
    const npy = Buffer.from(await joined(npyBytes(t)));
    for (const compress of [false, true]) {
      const bytes = await joined(npzBytes([["w", t]], { compress }));
      const start = 30 + "w.npy".length;
      const data = bytes.subarray(start, first(bytes, "PK\x07\x08"));
      expect(compress ? inflateRawSync(data) : Buffer.from(data)).toEqual(npy);
    }
  });

  test("stored archives are the same bytes each time: those that NumPy was seen to read", async () => {
    expect(
      await joined(
        npzBytes([
          ["w", t],
          ["größe", t],
        ]),
      ),
    ).toEqual(fixture("written/stored.npz"));
    const npy = await joined(npyBytes(t));
    const file = (name: string) => ({ name, header: npy, byteLength: npy.byteLength, pieces: () => [] });
    expect(await joined(zipBytes([file("v.npy"), file("w.npy")], false, 100))).toEqual(fixture("written/wide.npz"));
  });

  test("a tensor in pieces is written as its bytes come", async () => {
    const expected = await joined(npzBytes([["w", t]]));
    const pieces = (): Iterable<Uint8Array> => chunks(t.buffers[0]!, 5);
    expect(await joined(npzBytes([["w", { descriptor: t.descriptor, pieces }]]))).toEqual(expected);
    const short = { descriptor: t.descriptor, pieces: () => [new Uint8Array(3)] };
    for (const compress of [false, true]) {
      const error = await thrown(() => joined(npzBytes([["w", short]], { compress })));
      expect(error).toBeInstanceOf(HurraySourceError);
    }
  });

  test("nothing makes an archive of nothing", async () => {
    const opened = await openNpz(await joined(npzBytes([])));
    expect([opened.names(), opened.others]).toEqual([[], []]);
  });

  test("SW_HURRAY_VALUE names that are taken, too long or no text are refused", async () => {
    for (const names of [["w", "w"], ["x".repeat(0xffff)], ["\udc00"]]) {
      const error = await thrown(() => npzBytes(names.map((name) => [name, t] as const)));
      expect(error).toBeInstanceOf(HurrayValueError);
    }
    const bfloat16 = { ...t, descriptor: { ...t.descriptor, typeTag: 2 } };
    expect((await thrown(() => npzBytes([["w", bfloat16]])))["tensorName"]).toBe("w");
  });

  test("SW_HURRAY_NAME_UNKNOWN a name that is not there", async () => {
    const opened = await openNpz(fixture("stored.npz"));
    for (const read of [() => opened.tensor("x"), () => opened.stored("x"), () => opened.descriptor("w.npy")]) {
      const error = await thrown(read);
      expect(error).toBeInstanceOf(HurrayLookupError);
      expect(error["names"]).toContain("w");
    }
  });

  test("every type that npy has comes back bit for bit, compressed and not", async () => {
    const types = TYPE_MAPPINGS.filter(({ npy }) => npy !== undefined).map(({ type }) => type);
    await fc.assert(
      fc.asyncProperty(tensors(types, ["rowMajor", "columnMajor"]), fc.boolean(), async (item, compress) => {
        const opened = await openNpz(await joined(npzBytes([["t", item]], { compress })));
        expect(await opened.stored("t")).toEqual(item);
      }),
    );
  });

  test("closing lets the source go, and an aborted signal ends it", async () => {
    let closed = 0;
    const bytes = fixture("stored.npz");
    const slice = (start: number, end: number): Uint8Array => bytes.subarray(start, end);
    const opened = await openNpz({ byteLength: bytes.byteLength, slice, close: async () => void closed++ });
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(opened.stored("w", { signal })).rejects.toBe(reason);
    await expect(openNpz(bytes, { signal })).rejects.toBe(reason);
    await opened.close();
    expect(closed).toBe(1);
    expect((await readNpy(await joined(npyBytes(t)))).descriptor).toEqual(t.descriptor);
  });
});
