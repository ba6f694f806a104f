import { arange, tensor, zeros } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { load, store } from "../src/index.js";
import {
  checkComposite,
  HurrayFormatError,
  HurrayUnsupportedError,
  HurrayValueError,
  itemBytes,
  readItems,
  type StoredItem,
  type StoredTensor,
} from "../src/stream/index.js";
import { bytesOf, thrown, vectors } from "./support.js";

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function joined(items: Iterable<StoredItem>): Promise<Uint8Array> {
  return new Uint8Array(Buffer.concat(await collect(itemBytes(items))));
}

const TENSORS = [arange(6).reshape([2, 3]).T, tensor([1n, -2n]), tensor([true, false, true]), zeros([0, 3]), tensor(7)];

describe("reading", () => {
  test("tensors sent are the tensors received, layout and all", async () => {
    const received = await collect(readItems(itemBytes(TENSORS.map(store))));
    const tensors = received.map((item) => load(item as StoredTensor).tensor);
    expect(tensors.map((t) => [t.dtype, t.shape, t.strides])).toEqual(
      TENSORS.map((t) => [t.dtype, t.shape, t.strides]),
    );
    expect(tensors.map((t) => t.data())).toEqual(TENSORS.map((t) => t.data()));
  });

  test("a tensor comes when its last byte has arrived, before anything behind it", async () => {
    const bytes = await joined([store(tensor([1, 2]))]);
    let given = 0;
    async function* slow(): AsyncGenerator<Uint8Array, void, void> {
      for (const byte of [bytes, bytes.subarray(0, 5), bytes.subarray(5)]) {
        given++;
        yield byte;
      }
    }
    const items = readItems(slow())[Symbol.asyncIterator]();
    expect(given).toBe(0);
    await items.next();
    expect(given).toBe(1);
    await items.next();
    expect(given).toBe(3);
    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  test("a reader that stops early lets the input go", async () => {
    const bytes = await joined([store(tensor([1, 2]))]);
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const item of readItems(endless)) {
      expect(item.descriptor.shape).toEqual([2n]);
      break;
    }
    expect(cancelled).toBe(true);
  });

  test("a signal ends the wait, with its reason", async () => {
    const control = new AbortController();
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const waiting = thrown(() => collect(readItems(silent, { signal: control.signal })));
    const reason = new Error("enough");
    control.abort(reason);
    expect(await waiting).toBe(reason);
  });

  test("R156 what is declared larger than accepted is refused before it is read", async () => {
    const bytes = await joined([store(arange(100))]);
    let read = 0;
    function* noted(): Generator<Uint8Array, void, void> {
      for (let k = 0; k < bytes.length; k++) {
        read++;
        yield bytes.subarray(k, k + 1);
      }
    }
    const large = await thrown(() => collect(readItems(noted(), { maximumDescriptorBytes: 40 })));
    expect(large).toBeInstanceOf(HurrayFormatError);
    expect([large["code"], large["rule"], large["field"], large["byteOffset"]]).toEqual([
      "SW_HURRAY_STREAM_INVALID",
      "R156",
      "descriptor_length",
      6,
    ]);
    expect(read).toBe(10);
    read = 0;
    const buffer = await thrown(() => collect(readItems(noted(), { maximumBufferBytes: 399, base: 1000 })));
    expect([buffer["rule"], buffer["field"], buffer["byteOffset"]]).toEqual(["R156", "byte_size", 1000]);
    expect(read).toBe(53);
    expect(await collect(readItems(noted(), { maximumBufferBytes: 400 }))).toHaveLength(1);
  });

  test("R155 the message says what is cut, where, and how much of it there is", async () => {
    const bytes = await joined([store(tensor([1, 2]))]);
    const error = await thrown(() => collect(readItems([bytes.subarray(0, 58)])));
    expect(error.message).toBe("readItems: the stream ends within buffer 0: got 5 bytes, expected 8 (R155, byte 58).");
    expect(error["code"]).toBe("SW_HURRAY_TRUNCATED");
  });

  test("R13 permissive reading gives a tensor of an unknown layout, and cannot follow the stream past it (A31)", async () => {
    const unknown = bytesOf(vectors("invalid-descriptor").find((c) => c.id === "bad-layout-41")!);
    const items: StoredItem[] = [];
    const error = await thrown(async () => {
      for await (const item of readItems([unknown, unknown], { mode: "permissive" })) items.push(item);
    });
    expect(items.map(({ descriptor }) => [descriptor.layout.kind, descriptor.opaque])).toEqual([["unknown", true]]);
    expect([error["rule"], error["byteOffset"]]).toEqual(["R13", 15]);
    expect((await thrown(() => collect(readItems([unknown]))))["rule"]).toBe("R13");
  });

  test("R14, R44 private layouts and rules are read where the caller knows them", async () => {
    const layout = { kind: "private", tag: 0xf0, id: 7n, data: new Uint8Array() } as const;
    const parts = store(tensor([1, 2]));
    const head = { kind: "composite", rule: 0xf1, combine: "none", memberCount: 1 } as const;
    const member = { ...parts, descriptor: { ...parts.descriptor, layout } };
    const item = { descriptor: { ...parts.descriptor, layout: head, buffers: [] }, members: [member] };
    const bytes = await joined([item]);
    const accept = (what: string, id: bigint): boolean => what === "rule" || (what === "layout" && id === 7n);
    const [read] = await collect(readItems([bytes], { accept }));
    expect(read).toMatchObject({ descriptor: { layout: head }, members: [{ descriptor: { layout } }] });
    expect((await thrown(() => collect(readItems([bytes]))))["rule"]).toBe("R44");
    expect((await thrown(() => collect(readItems([bytes], { accept: (what) => what === "rule" }))))["rule"]).toBe(
      "R14",
    );
  });

  test("R2 a file is no stream, and the message says so", async () => {
    const file = new TextEncoder().encode("HRRYFILE and more of it");
    expect((await thrown(() => collect(readItems([file])))).message).toBe(
      "readItems: this is a file, not a stream: got HRRYFILE, expected a descriptor; open it as a file (R2, byte 0).",
    );
  });
});

describe("writing", () => {
  const stored = store(tensor([1, 2]));

  test("pieces are the buffers themselves, and items are taken one by one", async () => {
    let taken = 0;
    function* items(): Generator<StoredItem, void, void> {
      for (let k = 0; k < 2; k++) {
        taken++;
        yield stored;
      }
    }
    const pieces = itemBytes(items())[Symbol.asyncIterator]();
    await pieces.next();
    expect(taken).toBe(1);
    expect((await pieces.next()).value).toBe(stored.buffers[0]);
    await pieces.next();
    expect(taken).toBe(2);
  });

  test("SW_HURRAY_VALUE buffers other than the descriptor says are refused before a byte is given", async () => {
    for (const buffers of [[], [new Uint8Array(7)], [...stored.buffers, new Uint8Array()]]) {
      const pieces: Uint8Array[] = [];
      const error = await thrown(async () => {
        for await (const piece of itemBytes([{ ...stored, buffers }])) pieces.push(piece);
      });
      expect(error).toBeInstanceOf(HurrayValueError);
      expect([error["code"], error["field"], pieces.length]).toEqual(["SW_HURRAY_VALUE", "buffers", 0]);
    }
    const error = await thrown(() => joined([{ ...stored, buffers: [new Uint8Array(7)] }]));
    expect(error.message).toBe("itemBytes: the buffers are not those of the descriptor: got [7] bytes, expected [8].");
  });

  test("SW_HURRAY_DYNAMIC_UNSUPPORTED a dynamic dimension is not sent unless that is asked for (A43)", async () => {
    const dynamic = { ...stored, descriptor: { ...stored.descriptor, shape: [0xffffffffffffffffn] } };
    const error = await thrown(() => joined([dynamic]));
    expect(error).toBeInstanceOf(HurrayUnsupportedError);
    expect(error["code"]).toBe("SW_HURRAY_DYNAMIC_UNSUPPORTED");
    const [received] = await collect(readItems(itemBytes([dynamic], { allowDynamic: true })));
    expect(received).toEqual({ descriptor: dynamic.descriptor, buffers: stored.buffers });
  });

  test("a composite is checked whole before a byte of it is given", async () => {
    const descriptor = {
      ...stored.descriptor,
      layout: { kind: "composite", rule: "group", combine: "none", memberCount: 2 },
      buffers: [],
    } as const;
    const pieces: Uint8Array[] = [];
    const error = await thrown(async () => {
      for await (const piece of itemBytes([{ descriptor, members: [stored] }])) pieces.push(piece);
    });
    expect([error["rule"], pieces.length]).toEqual(["R122", 0]);
    expect(await thrown(() => checkComposite({ descriptor, members: [] }))).toMatchObject({ rule: "R122" });
  });

  test("SW_HURRAY_VALUE an opaque descriptor is not sent on", async () => {
    const error = await thrown(() => joined([{ ...stored, descriptor: { ...stored.descriptor, opaque: true } }]));
    expect([error["code"], error["field"]]).toEqual(["SW_HURRAY_VALUE", "opaque"]);
  });

  test("TypeError one item is no list of items", async () => {
    for (const wrong of [stored, null, 3]) {
      const error = await thrown(() => itemBytes(wrong as unknown as StoredItem[]));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain("Put one item in a list");
    }
  });
});
