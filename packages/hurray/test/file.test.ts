import { BufferPool, heapMemory } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { arange, type Tensor, tensor, zeros } from "@sw/tensor";
import { withScope } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { crc32c } from "../src/file/crc32c.js";
import { fileChunks } from "../src/file/writer.js";
import {
  bytesSource,
  encodeDescriptor,
  encodeHurray,
  type HurraySource,
  openHurray,
  type SavedTensor,
  store,
  writeHurray,
} from "../src/index.js";
import { bytesOf, thrown, vectors } from "./support.js";

const TENSORS = { w: arange(12).reshape([3, 4]), "b/ä": tensor([1n, -2n]), mask: tensor([true, false, true]) };
const BYTES = encodeHurray(TENSORS, { metadata: { seed: 7n } });

/** A source that notes what is read of it. */
function recording(bytes: Uint8Array): HurraySource & { readonly reads: [number, number][] } {
  const reads: [number, number][] = [];
  return {
    reads,
    byteLength: bytes.byteLength,
    slice: (start, end) => {
      reads.push([start, end]);
      return bytes.slice(start, end);
    },
  };
}

describe("the bytes of a file follow section 9", () => {
  const view = new DataView(BYTES.buffer, BYTES.byteOffset, BYTES.byteLength);
  const u64 = (at: number): number => Number(view.getBigUint64(at, true));

  test("header: magic, version 1.0, flags for metadata and checksum, alignment 4096, first descriptor at 64", () => {
    expect(Buffer.from(BYTES.subarray(0, 8)).toString()).toBe("HRRYFILE");
    expect([...BYTES.subarray(8, 12)]).toEqual([1, 0, 0, 0]);
    expect(view.getUint32(12, true)).toBe(0b101);
    expect(view.getUint32(16, true)).toBe(4096);
    expect(u64(20)).toBe(64);
    expect(u64(28)).toBe(3);
    expect([...BYTES.subarray(36, 64)]).toEqual(Array(28).fill(0));
  });

  test("tensors: descriptor at a multiple of 8, its buffer at a multiple of 4096, padding of zeros", async () => {
    const file = await openHurray(BYTES);
    let covered = 64;
    for (const name of ["w", "b/ä", "mask"]) {
      const entry = file.entry(name);
      const [descriptorStart, dataStart] = [Number(entry.descriptorOffset), Number(entry.dataOffset)];
      expect(descriptorStart).toBe(Math.ceil(covered / 8) * 8);
      expect(dataStart % 4096).toBe(0);
      expect(dataStart - (descriptorStart + entry.descriptorLength)).toBeLessThan(4096);
      const gap = BYTES.subarray(descriptorStart + entry.descriptorLength, dataStart);
      expect(gap.every((byte) => byte === 0)).toBe(true);
      const handles = (await file.descriptor(name)).buffers;
      expect(handles.map((h) => h.alignment)).toEqual([64]);
      covered = dataStart + Number(entry.dataLength);
      expect(covered).toBe(dataStart + Number(handles[0]!.byteSize));
    }
    expect(u64(BYTES.length - 40 + 16)).toBe(Math.ceil(covered / 8) * 8);
  });

  test("trailer: index and metadata at multiples of 8, checksum of the index, magic at the very end", () => {
    const at = BYTES.length - 40;
    const [indexAt, indexLength] = [u64(at), u64(at + 8)];
    expect(indexAt % 8).toBe(0);
    expect(indexAt + indexLength).toBe(at);
    expect(u64(at + 16) % 8).toBe(0);
    expect(u64(at + 16) + view.getUint32(at + 24, true)).toBeLessThanOrEqual(indexAt);
    expect(view.getUint32(at + 28, true)).toBe(crc32c(BYTES.subarray(indexAt, at)));
    expect(view.getUint32(at + 32, true)).toBe(0);
    expect(Buffer.from(BYTES.subarray(at + 36)).toString()).toBe("HRRY");
  });

  test("without metadata entries there is no section and no flag", async () => {
    const none = await openHurray(encodeHurray({}));
    expect([none.header.hasMetadata, none.trailer.kvOffset, none.trailer.kvLength]).toEqual([false, 0n, 0]);
    const empty = await openHurray(encodeHurray({}, { metadata: {} }));
    expect([empty.header.hasMetadata, empty.trailer.kvOffset, empty.trailer.kvLength]).toEqual([false, 0n, 0]);
    expect(empty.metadata).toEqual({});
    expect(none.names()).toEqual([]);
  });

  test("an empty tensor has a buffer of size 0, aligned like any", async () => {
    const file = await openHurray(encodeHurray({ a: arange(1), empty: zeros([3, 0]), z: arange(1) }));
    const entry = file.entry("empty");
    expect(Number(entry.dataOffset) % 4096).toBe(0);
    expect(entry.dataLength).toBe(0n);
    expect((await file.tensor("empty")).shape).toEqual([3, 0]);
    expect((await file.tensor("z")).toArray()).toEqual([0]);
  });

  test("the same tensors and metadata give the same bytes", () => {
    expect(encodeHurray(TENSORS, { metadata: { seed: 7n } })).toEqual(BYTES);
  });

  test("a sorted index has its names in ascending byte order, and is checked (R143)", async () => {
    const { descriptor, buffers } = store(arange(1));
    const raw = (name: string) => ({
      name,
      descriptor: encodeDescriptor(descriptor),
      byteLengths: [4],
      pieces: () => [buffers[0]!],
    });
    // By bytes U+FF5E comes before U+1F999; by UTF-16 units it would come after.
    const names = ["🦙", "～", "b", "a", "ab"];
    const chunks = fileChunks(names.map(raw), { operation: "test", sortedIndex: true });
    const file = await openHurray(new Uint8Array(Buffer.concat([...chunks])));
    expect(file.names()).toEqual(["a", "ab", "b", "～", "🦙"]);
    const unsorted = new Uint8Array(Buffer.concat([...fileChunks(names.map(raw), { operation: "test" })]));
    unsorted[12] = 0b110;
    expect(await thrown(() => openHurray(unsorted))).toMatchObject({ rule: "R143" });
  });
});

describe("reading", () => {
  test("values, metadata and names come back", async () => {
    const file = await openHurray(BYTES);
    expect(file.names()).toEqual(["w", "b/ä", "mask"]);
    expect(file.has("w")).toBe(true);
    expect(file.has("W")).toBe(false);
    expect(file.metadata).toEqual({ seed: 7n });
    expect((await file.tensor("w")).toArray()).toEqual(TENSORS.w.toArray());
    expect((await file.tensor("b/ä")).toArray()).toEqual([1n, -2n]);
    expect((await file.tensor("mask")).toArray()).toEqual([true, false, true]);
  });

  test("a lookup by name reads that tensor's bytes and no others", async () => {
    const source = recording(BYTES);
    const file = await openHurray(source);
    source.reads.length = 0;
    const { descriptorOffset, descriptorLength, dataOffset, dataLength } = file.entry("b/ä");
    await file.tensor("b/ä");
    const start = Number(descriptorOffset);
    expect(source.reads).toEqual([
      [start, start + descriptorLength],
      [Number(dataOffset), Number(dataOffset + dataLength)],
    ]);
  });

  test("opening reads header, trailer, index and metadata only", async () => {
    const source = recording(BYTES);
    const file = await openHurray(source);
    const total = source.reads.reduce((sum, [start, end]) => sum + end - start, 0);
    expect(total).toBe(64 + 40 + Number(file.trailer.indexLength) + file.trailer.kvLength);
  });

  test("a wrong name is refused with names that exist", async () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`t${k}`, arange(1)]));
    const file = await openHurray(encodeHurray(many));
    const error = await thrown(() => file.tensor("T0"));
    expect(error).toMatchObject({
      name: "HurrayLookupError",
      code: "SW_HURRAY_NAME_UNKNOWN",
      lookupName: "T0",
      names: ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"],
    });
    expect(error.message).toBe(
      'read: no tensor of this name: got "T0", expected one of "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", … (10 in all).',
    );
    const empty = await openHurray(encodeHurray({}));
    expect((await thrown(() => empty.entry("x"))).message).toContain("expected one of no tensors");
  });

  test("files open from bytes, windows, array buffers, shared memory, blobs and sources", async () => {
    const whole = BYTES.slice().buffer;
    const shared = new SharedArrayBuffer(BYTES.length);
    new Uint8Array(shared).set(BYTES);
    const blob = new Blob([BYTES.slice()]);
    for (const input of [BYTES, new DataView(whole), whole, shared, blob, bytesSource(BYTES), recording(BYTES)]) {
      const file = await openHurray(input);
      expect((await file.tensor("w")).toArray()).toEqual(TENSORS.w.toArray());
    }
    for (const input of [null, "file.hrry", 3, {}]) {
      expect(await thrown(() => openHurray(input as never))).toBeInstanceOf(TypeError);
    }
  });

  test("field case 22: a file that starts at byte 1 of a larger buffer is read, by copying", async () => {
    const room = new Uint8Array(BYTES.length + 1);
    room.set(BYTES, 1);
    const file = await openHurray(room.subarray(1));
    const loaded = await file.load("w", { copy: "if-needed" });
    expect(loaded.tensor.toArray()).toEqual(TENSORS.w.toArray());
    expect(loaded.copied).toBe(true);
    expect(await thrown(() => file.load("w", { copy: "never" }))).toMatchObject({
      code: "SW_HURRAY_ALIGNMENT",
      alignment: 4,
    });
    const aligned = await (await openHurray(BYTES)).load("w", { copy: "never" });
    expect(aligned).toMatchObject({ copied: false, realigned: false });
    expect(aligned.tensor.buffer.readOnly).toBe(true);
  });

  test("tensors come from the allocator in force when the call is made, WebAssembly memory too", async () => {
    const pool = new BufferPool({ source: wasmMemory({ initialBytes: 1 << 20, maximumBytes: 1 << 24 }) });
    const file = await openHurray(BYTES);
    const pending = withScope({ memory: pool }, () => ({ promise: file.tensor("w") }));
    const t = await pending.promise;
    expect(t.buffer.owner).toBe(pool);
    expect(t.toArray()).toEqual(TENSORS.w.toArray());
  });

  test("tensors larger than one piece come in pieces, packed ones too, and abort between them", async () => {
    const size = 1024 * 1024 + 7;
    const flags = zeros([size * 8 + 3], { dtype: "bool" });
    const values = flags.buffer.view(Uint8Array);
    for (let i = 0; i < values.length; i++) values[i] = (i * i) & 1 & (i >> 3);
    const bytes = encodeHurray({ flags: flags.flip(0), big: zeros([size], { dtype: "uint8" }) });
    const file = await openHurray(bytes);
    const back = await file.tensor("flags");
    expect(Buffer.compare(back.flip(0).contiguous().buffer.view(Uint8Array), flags.buffer.view(Uint8Array))).toBe(0);
    const pool = new BufferPool({ source: heapMemory() });
    const controller = new AbortController();
    let reads = 0;
    const slow: HurraySource = {
      byteLength: bytes.byteLength,
      slice: (start, end) => {
        if (end - start === 1024 * 1024 && ++reads === 1) controller.abort(new Error("enough"));
        return bytes.subarray(start, end);
      },
    };
    const other = await openHurray(slow);
    const error = await thrown(() => other.tensor("big", { signal: controller.signal, memory: pool }));
    expect(error.message).toBe("enough");
    expect(pool.statistics().live).toBe(0);
  });

  test("a source that gives fewer bytes than it promised is an error, and memory is returned", async () => {
    const liar: HurraySource = { byteLength: BYTES.byteLength, slice: (start, end) => BYTES.slice(start, end - 1) };
    expect(await thrown(() => openHurray(liar))).toMatchObject({
      name: "HurraySourceError",
      code: "SW_HURRAY_SOURCE_SHORT",
      byteOffset: 0,
    });
    let lie = false;
    const later: HurraySource = {
      byteLength: BYTES.byteLength,
      slice: (start, end) => BYTES.slice(start, lie && start % 4096 === 0 ? end - 1 : end),
    };
    const file = await openHurray(later);
    lie = true;
    const pool = new BufferPool({ source: heapMemory() });
    expect((await thrown(() => file.tensor("w", { memory: pool })))["code"]).toBe("SW_HURRAY_SOURCE_SHORT");
    expect(pool.statistics().live).toBe(0);
  });

  test("a closed file gives nothing; closing twice is nothing", async () => {
    let closed = 0;
    const file = await openHurray({ ...bytesSource(BYTES), close: async () => void closed++ });
    const found = await file.locate("w");
    await file.close();
    await file[Symbol.asyncDispose]();
    expect(closed).toBe(1);
    for (const read of [() => file.tensor("w"), () => file.locate("w"), () => file.buffers(found)]) {
      expect(await thrown(read)).toMatchObject({ code: "SW_HURRAY_CLOSED" });
    }
  });

  test("a signal that was given up before is heard", async () => {
    const signal = AbortSignal.abort(new Error("no"));
    expect((await thrown(() => openHurray(BYTES, { signal }))).message).toBe("no");
    const file = await openHurray(BYTES);
    expect((await thrown(() => file.tensor("w", { signal }))).message).toBe("no");
    expect((await thrown(() => file.buffers("w", { signal }))).message).toBe("no");
  });

  test("a layout that tensors do not have hides no other tensor of the file", async () => {
    const c = vectors("file").find((v) => v.id === "file-ref-composite-nested-sorted")!;
    const file = await openHurray(bytesOf(c));
    const outcomes: string[] = [];
    for (const name of file.names()) {
      outcomes.push(
        await file.tensor(name).then(
          () => "read",
          (error: { code: string }) => error.code,
        ),
      );
    }
    expect(outcomes.filter((o) => o === "read")).toHaveLength(3);
    expect(outcomes.filter((o) => o === "SW_HURRAY_LAYOUT_UNSUPPORTED")).toHaveLength(2);
  });
});

describe("damage", () => {
  test("a file cut at any byte is refused with an error of ours", async () => {
    for (let length = 0; length < BYTES.length; length += length < 200 || length > BYTES.length - 400 ? 1 : 97) {
      const error = await thrown(() => openHurray(BYTES.subarray(0, length)));
      expect(error.name, `cut at ${length}`).toBe("HurrayFormatError");
    }
  });

  test("R136 any flipped bit in the index is noticed", async () => {
    const { trailer } = await openHurray(BYTES);
    const start = Number(trailer.indexOffset);
    for (let bit = 0; bit < Number(trailer.indexLength) * 8; bit++) {
      const damaged = BYTES.slice();
      const at = start + (bit >> 3);
      damaged[at] = damaged[at]! ^ (1 << (bit & 7));
      const error = await thrown(() => openHurray(damaged));
      expect(error).toMatchObject({ rule: "R136", code: "SW_HURRAY_CHECKSUM", field: "index_crc32c" });
    }
  });
});

describe("rules of the frame", () => {
  /** Changes a file and makes its checksum right again. */
  async function changed(change: (view: DataView, indexAt: number, trailerAt: number) => void): Promise<Uint8Array> {
    const { trailer } = await openHurray(BYTES);
    const bytes = BYTES.slice();
    const trailerAt = bytes.length - 40;
    const indexAt = Number(trailer.indexOffset);
    change(new DataView(bytes.buffer), indexAt, trailerAt);
    new DataView(bytes.buffer).setUint32(trailerAt + 28, crc32c(bytes.subarray(indexAt, trailerAt)), true);
    return bytes;
  }
  const rows: readonly (readonly [string, string, (view: DataView, indexAt: number, trailerAt: number) => void])[] = [
    ["R129", "reserved bytes of the header", (view) => view.setUint8(11, 1)],
    ["R131", "a first descriptor that is not aligned", (view) => view.setUint8(20, 68)],
    ["R132", "another trailer magic", (view, _, at) => view.setUint8(at + 39, 0)],
    ["R133", "reserved bytes of the trailer", (view, _, at) => view.setUint8(at + 33, 1)],
    ["R134", "an index that starts in the header", (view, _, at) => view.setBigUint64(at, 56n, true)],
    [
      "R135",
      "an index that is not aligned",
      (view, _, at) => {
        view.setBigUint64(at, view.getBigUint64(at, true) + 1n, true);
        view.setBigUint64(at + 8, view.getBigUint64(at + 8, true) - 1n, true);
      },
    ],
    [
      "R135",
      "metadata that is not aligned",
      (view, _, at) => {
        view.setBigUint64(at + 16, view.getBigUint64(at + 16, true) + 4n, true);
      },
    ],
    ["R139", "a name of no bytes", (view, at) => view.setUint16(at + 8, 0, true)],
    ["R140", "a name that is no UTF-8", (view, at) => view.setUint8(at + 10, 0xff)],
    ["R142", "an entry with flags", (view, at) => view.setUint8(at + 8 + 2 + 1 + 28, 1)],
    ["R146", "metadata in the header", (view, _, at) => view.setBigUint64(at + 16, 8n, true)],
    ["R147", "promised metadata of length 0", (view, _, at) => view.setUint32(at + 24, 0, true)],
  ];
  for (const [rule, what, change] of rows) {
    test(`${rule} ${what}`, async () => {
      const bytes = await changed(change);
      const error = await thrown(() => openHurray(bytes));
      expect(error).toMatchObject({ name: "HurrayFormatError", rule });
    });
  }

  test("R141 two entries of the same name", async () => {
    const bytes = encodeHurray({ a: arange(1), b: arange(1) });
    const indexAt = Number((await openHurray(bytes)).trailer.indexOffset);
    bytes[indexAt + 8 + 35 + 2] = "a".charCodeAt(0);
    new DataView(bytes.buffer).setUint32(bytes.length - 12, crc32c(bytes.subarray(indexAt, bytes.length - 40)), true);
    expect(await thrown(() => openHurray(bytes))).toMatchObject({ rule: "R141", given: '"a"' });
  });

  test("long names are cut in messages", async () => {
    const file = await openHurray(encodeHurray({ ["n".repeat(60000)]: arange(1) }));
    expect((await thrown(() => file.tensor("x".repeat(60000)))).message.length).toBeLessThan(400);
  });
});

describe("writing", () => {
  test("into a sink the bytes are those of encodeHurray, in pieces that come one at a time", async () => {
    const parts: Uint8Array[] = [];
    let open = 0;
    const report = await writeHurray(
      {
        write: async (bytes) => {
          expect(open++).toBe(0);
          await Promise.resolve();
          parts.push(bytes.slice());
          open--;
        },
      },
      TENSORS,
      { metadata: { seed: 7n } },
    );
    expect(new Uint8Array(Buffer.concat(parts))).toEqual(BYTES);
    expect(report.byteLength).toBe(BYTES.length);
    expect(report.tensors.map((t) => [t.name, t.dtype, t.layout, t.byteLength, t.packed])).toEqual([
      ["w", "float32", "rowMajor", 48, false],
      ["b/ä", "int64", "rowMajor", 16, false],
      ["mask", "bool", "rowMajor", 1, false],
    ]);
  });

  test("packing is told", () => {
    const told: SavedTensor[] = [];
    const onTensor = (saved: SavedTensor): void => void told.push(saved);
    encodeHurray({ view: arange(6).slice(0, 0, 6, 2), t: TENSORS.w.T }, { onTensor });
    expect(told.map((t) => [t.name, t.layout, t.packed])).toEqual([
      ["view", "rowMajor", true],
      ["t", "columnMajor", false],
    ]);
  });

  test("a tensor that is written to while the file is being saved is an error, not a torn file", async () => {
    const a = arange(4);
    const b = arange(4);
    const sink = {
      write: async () => {
        b.set(1, 0);
      },
    };
    const error = await thrown(() => writeHurray(sink, { a, b }));
    expect(error).toMatchObject({ name: "HurraySourceError", code: "SW_HURRAY_CHANGED" });
    const disposed = { write: async () => a.dispose() };
    expect((await thrown(() => writeHurray(disposed, { a })))["code"]).toBe("SW_BUFFER_STALE");
  });

  test("names and tensors are checked before the first byte", async () => {
    let written = 0;
    const sink = { write: () => void written++ };
    const bad: readonly (readonly [Record<string, Tensor>, string])[] = [
      [{ "": arange(1) }, "SW_HURRAY_VALUE"],
      [{ ["n".repeat(65536)]: arange(1) }, "SW_HURRAY_VALUE"],
      [{ "\udc00": arange(1) }, "SW_HURRAY_VALUE"],
      [{ a: arange(1), b: 3 as unknown as Tensor }, "TypeError"],
    ];
    for (const [tensors, code] of bad) {
      const error = await thrown(() => writeHurray(sink, tensors));
      expect(error["code"] ?? error.name).toBe(code);
    }
    const bare = (name: string) => ({ name, descriptor: new Uint8Array(), byteLengths: [], pieces: () => [] });
    expect((await thrown(() => [...fileChunks(["a", "a"].map(bare), { operation: "test" })]))["code"]).toBe(
      "SW_HURRAY_VALUE",
    );
    expect(written).toBe(0);
    const signal = AbortSignal.abort(new Error("no"));
    expect((await thrown(() => writeHurray(sink, TENSORS, { signal }))).message).toBe("no");
  });

  test("a Map or a list is refused, rather than saved as nothing", async () => {
    for (const given of [new Map([["w", arange(1)]]), [arange(1)], null, 3]) {
      expect(await thrown(() => encodeHurray(given as never))).toBeInstanceOf(TypeError);
    }
    const metadata = new Map([["seed", 7n]]) as never;
    expect(await thrown(() => encodeHurray({}, { metadata }))).toBeInstanceOf(TypeError);
  });

  test("signals are heard between pieces", async () => {
    const controller = new AbortController();
    const sink = { write: () => controller.abort(new Error("stop")) };
    expect((await thrown(() => writeHurray(sink, TENSORS, { signal: controller.signal }))).message).toBe("stop");
  });
});
