import { arange, type Tensor, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import {
  type Descriptor,
  encodeHurray,
  FileWriter,
  type FileWriterOptions,
  openHurray,
  type StreamedTensor,
  store,
  type WriteProgress,
  writeHurray,
} from "../src/index.js";
import { memberNames, readItem } from "../src/stream/index.js";
import { thrown } from "./support.js";

/** A sink that keeps what it is given, and notes how it ended. */
function collecting() {
  const chunks: Uint8Array[] = [];
  const ends: unknown[] = [];
  return {
    ends,
    write: async (bytes: Uint8Array) => {
      await Promise.resolve();
      chunks.push(bytes.slice());
    },
    close: () => void ends.push("closed"),
    abort: (reason: unknown) => void ends.push(reason),
    bytes: () => new Uint8Array(Buffer.concat(chunks)),
  };
}

const W = arange(12).reshape([3, 4]);
const VALUES = store(arange(4));

/** Bytes of a count up from 0, whose descriptor promises `byteSize`. */
function streamed(byteSize: number, pieces: StreamedTensor["pieces"]): StreamedTensor {
  const { descriptor } = store(arange(0));
  const buffers = [{ ...descriptor.buffers[0]!, byteSize: BigInt(byteSize) }];
  return { descriptor: { ...descriptor, typeTag: 0x11, shape: [BigInt(byteSize)], buffers }, pieces };
}

const head = (memberCount: number): Descriptor => ({
  ...VALUES.descriptor,
  layout: { kind: "composite", rule: "group", combine: "none", memberCount },
  buffers: [],
});

describe("a file written item by item", () => {
  test("is, byte for byte, the file that is written at once", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink, { metadata: { seed: 7n }, tensorCountHint: 3n });
    await writer.add("w", W);
    await writer.add("wT", W.T);
    await writer.add("mask", tensor([true, false]));
    const { byteLength } = await writer.finish();
    expect(sink.bytes()).toEqual(
      encodeHurray({ w: W, wT: W.T, mask: tensor([true, false]) }, { metadata: { seed: 7n } }),
    );
    expect([byteLength, writer.byteLength, sink.ends]).toEqual([sink.bytes().byteLength, byteLength, ["closed"]]);
  });

  test("takes calls in their order, without waiting between them", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    const names = ["c", "a", "b"];
    await Promise.all([...names.map((name) => writer.add(name, W)), writer.finish()]);
    expect((await openHurray(sink.bytes())).names()).toEqual(names);
  });

  test("without a tensor is a file", async () => {
    const sink = collecting();
    await new FileWriter(sink).finish();
    const file = await openHurray(sink.bytes());
    expect([file.names(), file.kv, file.header.hasMetadata]).toEqual([[], [], false]);
  });

  test("A17 metadata may come at the end; what is known before is announced in the header", async () => {
    for (const metadata of [undefined, {}, { a: "x" }]) {
      const sink = collecting();
      const writer = new FileWriter(sink, metadata === undefined ? {} : { metadata });
      await writer.add("w", W);
      await writer.finish({ steps: 3n });
      const file = await openHurray(sink.bytes());
      expect(file.metadata).toEqual({ ...metadata, steps: 3n });
      expect(file.header.hasMetadata).toBe(metadata !== undefined);
    }
  });

  test("holds stored items of element types that no tensor has, and tensors that come in pieces, waited for or not", async () => {
    const float8 = { ...VALUES, descriptor: { ...VALUES.descriptor, typeTag: 0x40, byteOffset: 0n } };
    async function* slowly() {
      for (const piece of [[0, 1], [], [2], [3, 4, 5]]) {
        await new Promise((resolve) => setTimeout(resolve));
        yield Uint8Array.from(piece);
      }
    }
    const sink = collecting();
    const writer = new FileWriter(sink, { sortedIndex: true, dataBufferAlignment: 8192 });
    await writer.add(
      "z",
      streamed(6, () => slowly()),
    );
    await writer.add("float8", { ...float8, descriptor: { ...float8.descriptor, typeTag: 0x10, shape: [16n] } });
    // The memory of a piece is used again for the next.
    const room = new Uint8Array(2);
    function* reused() {
      for (let k = 0; k < 6; k += 2) {
        room.set([k, k + 1]);
        yield room;
      }
    }
    await writer.add(
      "a",
      streamed(6, () => reused()),
    );
    await writer.finish();
    const file = await openHurray(sink.bytes());
    expect(file.names()).toEqual(["a", "float8", "z"]);
    for (const name of ["a", "z"]) expect([...(await file.buffers(name))[0]!]).toEqual([0, 1, 2, 3, 4, 5]);
    for (const entry of file.entries.values()) expect(Number(entry.dataOffset) % 8192).toBe(0);
  });

  test("R121 a composite goes with its members, which take their names from it, or its head goes first and they follow", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    const inner = { descriptor: head(1), members: [VALUES] };
    const outer = { descriptor: head(2), members: [VALUES, inner] };
    await writer.add("whole", outer);
    await writer.add("named", inner, { memberName: (name, member) => `part ${member} of ${name}` });
    await writer.add("alone", { descriptor: head(2), buffers: [] });
    await writer.add("first", VALUES);
    expect(await thrown(() => writer.finish())).toMatchObject({ rule: "R121" });
    await writer.add(
      "second",
      streamed(3, () => [Uint8Array.of(1, 2, 3)]),
    );
    await writer.finish();
    const file = await openHurray(sink.bytes());
    expect(file.names()).toEqual([
      ...["whole", "whole/0", "whole/1", "whole/1/0", "named", "part 0 of named"],
      ...["alone", "first", "second"],
    ]);
    expect(await memberNames(file, "whole")).toEqual(["whole/0", "whole/1"]);
    expect(await memberNames(file, "alone")).toEqual(["first", "second"]);
    const { packed: _, ...values } = VALUES;
    expect(await readItem(file, "whole/1")).toEqual({ descriptor: head(1), members: [values] });
  });

  test("progress tells the bytes of each tensor, piece by piece", async () => {
    const seen: WriteProgress[] = [];
    const writer = new FileWriter(collecting(), { onProgress: (progress) => void seen.push(progress) });
    await writer.add(
      "big",
      streamed(2.5 * 1024 * 1024, () => [new Uint8Array(2.5 * 1024 * 1024)]),
    );
    await writer.add("small", VALUES);
    expect(seen.map(({ name, bytes, totalBytes }) => [name, bytes / 1024, totalBytes / 1024])).toEqual([
      ["big", 1024, 2560],
      ["big", 2048, 2560],
      ["big", 2560, 2560],
      ["small", 16 / 1024, 16 / 1024],
    ]);
  });

  test("10,000 tensors leave a small record each, and none of their memory", async () => {
    let bytes = 0;
    let most = 0;
    const writer = new FileWriter({
      write: (chunk) => {
        bytes += chunk.byteLength;
      },
    });
    const before = process.memoryUsage().arrayBuffers;
    for (let k = 0; k < 10_000; k++) {
      await writer.add(
        `layer ${k}`,
        streamed(65536, () => [new Uint8Array(65536)]),
      );
      if (k % 100 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    await writer.finish();
    expect(bytes).toBeGreaterThan(655_360_000);
    expect(most).toBeLessThan(160_000_000);
    const record = writer.form.index.writer.position / 10_000;
    expect(record).toBeLessThan(48);
  });
});

describe("what is wrong with an item", () => {
  test("is said before a byte of it is written, and the writer goes on", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    await writer.add("w", W);
    const before = sink.bytes().byteLength;
    const { descriptor, buffers } = VALUES;
    const composite = { descriptor: head(2), members: [VALUES] };
    const rows: readonly (readonly [string, unknown, Record<string, unknown>])[] = [
      ["w", W, { code: "SW_HURRAY_VALUE", field: "name" }],
      ["", W, { code: "SW_HURRAY_VALUE", field: "name" }],
      ["\udc00", W, { code: "SW_HURRAY_VALUE" }],
      ["t", null, { name: "TypeError" }],
      ["t", { buffers }, { name: "TypeError" }],
      ["t", { descriptor, buffers: [] }, { code: "SW_HURRAY_VALUE", field: "buffers" }],
      ["t", { descriptor, buffers: [buffers[0]!.subarray(1)] }, { code: "SW_HURRAY_VALUE", field: "buffers" }],
      ["t", { descriptor: { ...descriptor, opaque: true }, buffers }, { code: "SW_HURRAY_VALUE", field: "opaque" }],
      ["t", { descriptor: { ...descriptor, shape: [5n] }, buffers }, { rule: "R65" }],
      ["t", composite, { rule: "R122" }],
      ["v", { descriptor: head(1), members: [VALUES] }, { code: "SW_HURRAY_VALUE", field: "name" }],
      [
        "d",
        { descriptor: { ...descriptor, shape: [2n ** 64n - 1n] }, buffers },
        { code: "SW_HURRAY_DYNAMIC_UNSUPPORTED" },
      ],
    ];
    for (const [name, item, expected] of rows) {
      const adding = () => writer.add(name, item as Tensor, { memberName: () => "v" });
      expect(await thrown(adding), `${name} ${Object.keys(expected)}`).toMatchObject(expected);
    }
    expect(await thrown(() => writer.add("t", W, { signal: AbortSignal.abort(new Error("no")) }))).toMatchObject({
      message: "no",
    });
    expect(sink.bytes().byteLength).toBe(before);
    // A name is free again when its tensor was not written.
    await writer.add("t", VALUES);
    await writer.finish();
    expect((await openHurray(sink.bytes())).names()).toEqual(["w", "t"]);
  });

  test("what is no item by its form is a TypeError, before a byte is written", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    const { descriptor } = VALUES;
    const group = head(1);
    const odd: readonly unknown[] = [
      { descriptor },
      { descriptor: null, buffers: [] },
      { descriptor: {}, buffers: [] },
      { descriptor, buffers: null },
      { descriptor, buffers: [new ArrayBuffer(16)] },
      { descriptor: group, members: null },
      { descriptor: group, members: [null] },
      { descriptor: group, members: [{ descriptor }] },
    ];
    for (const item of odd) {
      const error = await thrown(() => writer.add("x", item as never));
      expect([error.name, error.message]).toEqual([
        "TypeError",
        expect.stringContaining("FileWriter: not a stored item"),
      ]);
    }
    expect(sink.ends).toEqual([]);
    const empty = await thrown(() =>
      writer.add(
        "x",
        streamed(4, () => null as never),
      ),
    );
    expect([empty.name, empty.message]).toEqual(["TypeError", expect.stringContaining("gave no pieces: got null")]);
  });

  test("pieces of another length than was promised abort the sink, and the writer takes nothing more", async () => {
    const rows: readonly (readonly [readonly unknown[], Record<string, unknown>])[] = [
      [[new Uint8Array(3)], { code: "SW_HURRAY_VALUE", field: "pieces", given: "3 bytes" }],
      [[new Uint8Array(3), new Uint8Array(2)], { code: "SW_HURRAY_VALUE", field: "pieces", given: "5 bytes" }],
      [["abcd"], { name: "TypeError" }],
    ];
    for (const [pieces, expected] of rows) {
      const sink = collecting();
      const writer = new FileWriter(sink);
      const error = await thrown(() =>
        writer.add(
          "t",
          streamed(4, () => pieces as Uint8Array[]),
        ),
      );
      expect(error).toMatchObject(expected);
      expect(sink.ends).toEqual([error]);
      const after = await thrown(() => writer.add("w", W));
      expect([after["code"], after.cause]).toEqual(["SW_HURRAY_CLOSED", error]);
      expect((await thrown(() => writer.finish()))["code"]).toBe("SW_HURRAY_CLOSED");
    }
  });

  test("SW_HURRAY_CHANGED a tensor that is written to while it waits is not saved half old, half new", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    const t = arange(3);
    const adding = [writer.add("w", W), writer.add("t", t)];
    t.set(7, 0);
    expect((await thrown(() => Promise.all(adding)))["code"]).toBe("SW_HURRAY_CHANGED");
    await writer.finish();
    expect((await openHurray(sink.bytes())).names()).toEqual(["w"]);
  });

  test("A43 dynamic dimensions are written when that is asked for", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink, { allowDynamic: true });
    const descriptor = { ...VALUES.descriptor, shape: [2n ** 64n - 1n] };
    await writer.add("d", { descriptor, buffers: VALUES.buffers });
    await writer.finish();
    expect((await (await openHurray(sink.bytes())).descriptor("d")).shape).toEqual([2n ** 64n - 1n]);
  });

  test("options are refused at once", async () => {
    const bad: readonly (readonly [FileWriterOptions, string])[] = [
      [{ dataBufferAlignment: 64 }, "SW_HURRAY_VALUE"],
      [{ dataBufferAlignment: 4097 }, "SW_HURRAY_VALUE"],
      [{ dataBufferAlignment: Number.NaN }, "SW_HURRAY_VALUE"],
      [{ metadata: { "": 1 } }, "SW_HURRAY_VALUE"],
      [{ metadata: new Map() as never }, "TypeError"],
    ];
    for (const [options, code] of bad) {
      const error = await thrown(() => new FileWriter(collecting(), options));
      expect(error["code"] ?? error.name).toBe(code);
    }
    for (const sink of [null, 3, {}])
      expect(await thrown(() => new FileWriter(sink as never))).toBeInstanceOf(TypeError);
  });
});

describe("the end of a writer", () => {
  test("SW_HURRAY_CLOSED after finish and after abort, which may come twice", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    await writer.finish();
    await writer.abort();
    expect(sink.ends).toEqual(["closed"]);
    expect((await thrown(() => writer.add("w", W)))["code"]).toBe("SW_HURRAY_CLOSED");
    expect((await thrown(() => writer.finish()))["code"]).toBe("SW_HURRAY_CLOSED");
    const other = new FileWriter(sink);
    await other.abort("why");
    await other.abort("again");
    expect(sink.ends).toEqual(["closed", "why"]);
    expect((await thrown(() => other.finish())).cause).toBe("why");
  });

  test("abort ends what is under way, even where the pieces never come", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    let give: (value: undefined) => void = () => {};
    const never = new Promise<undefined>((resolve) => {
      give = resolve;
    });
    const adding = writer.add(
      "t",
      streamed(4, async function* () {
        yield new Uint8Array(2);
        await never;
        yield new Uint8Array(2);
      }),
    );
    adding.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    await writer.abort("enough");
    expect(sink.ends).toEqual(["enough"]);
    give(undefined);
    expect((await thrown(() => adding))["code"]).toBe("SW_HURRAY_CLOSED");
  });

  test("a signal ends an item whose pieces never come, and abort a sink that never has done", async () => {
    const sink = collecting();
    const writer = new FileWriter(sink);
    const never = streamed(4, async function* () {
      await new Promise(() => {});
      yield new Uint8Array(4);
    });
    const error = await thrown(() => writer.add("x", never, { signal: AbortSignal.timeout(5) }));
    expect(error.name).toBe("TimeoutError");
    expect(sink.ends).toEqual([error]);

    const stuck = new FileWriter({ write: () => new Promise(() => {}) });
    const adding = thrown(() => stuck.add("x", W));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await stuck.abort("enough");
    expect(await adding).toMatchObject({ code: "SW_HURRAY_CLOSED", cause: "enough" });
  });

  test("a file that is given up while its sink closes is not told to be finished", async () => {
    let closed: () => void = () => {};
    const close = (): Promise<void> =>
      new Promise((resolve) => {
        closed = resolve;
      });
    const writer = new FileWriter({ write: () => {}, close });
    await writer.add("w", W);
    const finishing = thrown(() => writer.finish());
    await new Promise((resolve) => setTimeout(resolve, 5));
    await writer.abort("enough");
    closed();
    expect(await finishing).toMatchObject({ code: "SW_HURRAY_CLOSED", cause: "enough" });
  });

  test("a signal between pieces is the end of the file", async () => {
    const control = new AbortController();
    const sink = collecting();
    const writer = new FileWriter(sink, { onProgress: () => control.abort(new Error("stop")) });
    const big = streamed(2 * 1024 * 1024, () => [new Uint8Array(2 * 1024 * 1024)]);
    expect((await thrown(() => writer.add("big", big, { signal: control.signal }))).message).toBe("stop");
    expect((sink.ends[0] as Error).message).toBe("stop");
  });
});

describe("Web streams", () => {
  test("a slow consumer holds the writer back, and may keep what it is given", async () => {
    const chunks: Uint8Array[] = [];
    let waiting = 0;
    let most = 0;
    const slow = new WritableStream<Uint8Array>({
      write: async (chunk) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        chunks.push(chunk);
        waiting--;
      },
    });
    const source = new Uint8Array(65536);
    function* pieces() {
      for (let k = 0; k < 20; k++) {
        most = Math.max(most, ++waiting);
        yield source.fill(k);
      }
    }
    const writer = new FileWriter(slow);
    await writer.add("t", streamed(20 * 65536, pieces));
    await writer.finish();
    // One at the consumer, one that waits for it, one that is being made.
    expect(most).toBeLessThanOrEqual(6);
    const bytes = new Uint8Array(Buffer.concat(chunks));
    const values = (await (await openHurray(bytes)).buffers("t"))[0]!;
    for (let k = 0; k < 20; k++) expect([values[k * 65536], values[(k + 1) * 65536 - 1]]).toEqual([k, k]);
  });

  test("what a stream is piped into gets the file, and its memory may be taken", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const whole = new Response(readable).arrayBuffer();
    const stored = { descriptor: VALUES.descriptor, buffers: VALUES.buffers };
    const writer = new FileWriter(writable);
    await writer.add("t", stored);
    await writer.finish();
    expect((await (await openHurray(await whole)).tensor("t")).toArray()).toEqual([0, 1, 2, 3]);
    expect(stored.buffers[0]!.byteLength).toBe(16);
  });

  test("the error of the consumer is the error of the writer", async () => {
    const full = new Error("the disk is full");
    const stream = new WritableStream<Uint8Array>({
      write: () => {
        throw full;
      },
    });
    expect(await thrown(() => writeHurray(stream, { w: W, v: W }))).toBe(full);
  });

  test("a writer that is given up aborts the stream with its reason", async () => {
    let reason: unknown;
    const stream = new WritableStream<Uint8Array>({
      abort: (given) => {
        reason = given;
      },
    });
    const writer = new FileWriter(stream);
    await writer.add("w", W);
    await writer.abort("enough");
    expect(reason).toBe("enough");
  });
});
