import { describe, expect, test } from "vitest";
import { type Descriptor, encodeDescriptor } from "../src/descriptor/index.js";
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type MessageContent,
  type ReceivedItem,
  type ReceiveItemsOptions,
  receiveItems,
} from "../src/messages/index.js";
import { thrown } from "./support.js";

const HELLO = {
  kind: "clientHello",
  streamId: 1,
  protocolVersion: 1,
  maxMessageSize: 65536,
  capabilityFlags: 3n,
  layouts: [{ tag: 1 }, { tag: 0xf0, metadata: Uint8Array.of(7) }],
  devices: [0],
  memoryClasses: [0, 2],
} as const satisfies Message;

const REQUEST = {
  kind: "tensorRequest",
  streamId: 7,
  tensorKey: "weights/ß",
  preferredLayouts: [{ tag: 4 }],
  preferredDevice: 0,
  minAlignment: 64,
  requestFlags: 1,
} as const satisfies Message;

const EVERY: readonly MessageContent[] = [
  HELLO,
  { ...HELLO, kind: "serverHello" },
  REQUEST,
  { kind: "tensorData", byteOffsetInBuffer: 2n ** 60n, data: Uint8Array.of(1, 2, 3) },
  { kind: "tensorDataEnd" },
  { kind: "tensorPutAck" },
  { kind: "error", errorCode: 0xf0, message: "no such tensor: ß" },
  { kind: "ping", payload: Uint8Array.of(1) },
  { kind: "pong" },
  { kind: "rdmaRegister", remoteAddr: 1n, length: 2n, rkey: Uint8Array.of(9) },
  { kind: "rdmaReady" },
];

const HANDLE = { byteSize: 16n, alignment: 64, deviceTag: 0, syncMode: 0, memoryClass: 0 };
const TENSOR: Descriptor = {
  versionMinor: 0,
  typeTag: 3,
  shape: [4n],
  byteOffset: 0n,
  layout: { kind: "rowMajor" },
  buffers: [HANDLE],
};
const HEAD: Descriptor = {
  ...TENSOR,
  shape: [8n],
  layout: { kind: "composite", rule: "partition", combine: "none", memberCount: 2 },
  buffers: [],
};
const member = (offset: bigint): Descriptor => ({ ...TENSOR, shard: { parentShape: [8n], offset: [offset] } });
const DATA = Uint8Array.from({ length: 16 }, (_, k) => k);

/** The messages that send tensors, heads without data. */
function sent(streamId: number, key: string | undefined, ...descriptors: Descriptor[]): Message[] {
  return descriptors.flatMap((d): Message[] => {
    const descriptor = encodeDescriptor(d);
    const totalDataBytes = d.buffers.reduce((sum, handle) => sum + handle.byteSize, 0n);
    const start: Message =
      key === undefined
        ? { kind: "tensorDescriptor", streamId, descriptor, totalDataBytes, shardIndex: 0, totalShards: 1 }
        : { kind: "tensorPut", streamId, tensorKey: key, descriptor, totalDataBytes };
    const data: Message = { kind: "tensorData", streamId, byteOffsetInBuffer: 0n, data: DATA };
    return [start, ...(totalDataBytes > 0n ? [data] : []), { kind: "tensorDataEnd", streamId }];
  });
}

async function receive(
  messages: readonly Message[],
  options: Partial<ReceiveItemsOptions> = {},
): Promise<ReceivedItem[]> {
  const items: ReceivedItem[] = [];
  const input = messages.map(encodeMessage);
  for await (const item of receiveItems(input, { from: "server", greeted: true, ...options })) items.push(item);
  return items;
}

describe("one message", () => {
  for (const content of EVERY) {
    test(`${content.kind} comes back from its bytes, wherever they lie`, () => {
      const message = { ...content, streamId: 0xffffffff } as Message;
      const bytes = encodeMessage(message);
      const wider = new Uint8Array(bytes.length + 9).fill(0xee);
      wider.set(bytes, 3);
      expect(decodeMessage(wider.subarray(3))).toEqual(message);
      expect(new DataView(bytes.buffer).getUint32(8, true)).toBe(bytes.length - 12);
    });

    test(`R163 ${content.kind}: a payload with a byte less or a byte more does not fit`, async () => {
      const bytes = encodeMessage({ ...content, streamId: 1 } as Message);
      const longer = new Uint8Array(bytes.length + 1);
      longer.set(bytes);
      new DataView(longer.buffer).setUint32(8, bytes.length - 11, true);
      const free = ["tensorData", "ping", "pong"].includes(content.kind);
      if (!free) expect(await thrown(() => decodeMessage(longer))).toMatchObject({ rule: "R163" });
      if (free || bytes.length === 12) return;
      const shorter = bytes.slice(0, -1);
      new DataView(shorter.buffer).setUint32(8, shorter.length - 12, true);
      expect(await thrown(() => decodeMessage(shorter))).toMatchObject({
        rule: "R163",
        code: "SW_HURRAY_STREAM_INVALID",
      });
    });
  }

  test("R155 a message that is cut short is told from one that is wrong", async () => {
    const bytes = encodeMessage(REQUEST);
    for (let length = 0; length < bytes.length; length++) {
      const error = await thrown(() => decodeMessage(bytes.subarray(0, length)));
      expect(error).toMatchObject({ rule: "R155", code: "SW_HURRAY_TRUNCATED" });
    }
  });

  test("R158 types without a meaning, private ones and 0xFF are refused by their number", async () => {
    for (const type of [0, 14, 0xef, 0xf0, 0xff, 0x101, 0xffffffff]) {
      const bytes = encodeMessage({ kind: "tensorDataEnd", streamId: 1 });
      new DataView(bytes.buffer).setUint32(0, type, true);
      const error = await thrown(() => decodeMessage(bytes, { base: 100 }));
      expect(error).toMatchObject({ rule: "R158", field: "message_type", given: type, byteOffset: 100 });
    }
    const error = await thrown(() => encodeMessage({ kind: "hello", streamId: 1 } as unknown as Message));
    expect(error).toMatchObject({ code: "SW_HURRAY_VALUE", field: "kind" });
  });

  test("R159 stream 0 is no stream", async () => {
    const error = await thrown(() => encodeMessage({ kind: "ping", streamId: 0 }));
    expect(error).toMatchObject({ rule: "R159", field: "stream_id", byteOffset: 4 });
  });

  test("R156 a payload beyond the maximum is refused by its length alone", async () => {
    const header = encodeMessage({ kind: "ping", streamId: 1 });
    new DataView(header.buffer).setUint32(8, 65, true);
    const error = await thrown(() => decodeMessage(header, { maximumMessageBytes: 64 }));
    expect(error).toMatchObject({ rule: "R156", code: "SW_HURRAY_STREAM_INVALID", given: 65 });
  });

  test("R161 a server speaks no later version than the client, and nobody version 0", async () => {
    const server: Message = { ...HELLO, kind: "serverHello", protocolVersion: 2 };
    expect(await thrown(() => encodeMessage(server))).toMatchObject({ rule: "R161", code: "SW_HURRAY_VERSION" });
    expect(await thrown(() => encodeMessage({ ...HELLO, protocolVersion: 0 }))).toMatchObject({ rule: "R161" });
  });

  test("A24 memory classes may be missing, and what a later version appends to its hello is passed over", async () => {
    const { memoryClasses: _classes, ...hello } = HELLO;
    expect(decodeMessage(encodeMessage(hello))).toEqual(hello);
    const later = { ...HELLO, protocolVersion: 2 };
    const bytes = encodeMessage(later);
    const longer = new Uint8Array(bytes.length + 5).fill(9);
    longer.set(bytes);
    new DataView(longer.buffer).setUint32(8, longer.length - 12, true);
    expect(decodeMessage(longer)).toEqual(later);
  });

  test("R162, R167 reserved bits and alignments that are no power of two are not written", async () => {
    expect(await thrown(() => encodeMessage({ ...HELLO, capabilityFlags: 16n }))).toMatchObject({ rule: "R162" });
    expect(await thrown(() => encodeMessage({ ...REQUEST, requestFlags: 4 }))).toMatchObject({ rule: "R162" });
    for (const minAlignment of [0, 48, 0xffffffff]) {
      expect(await thrown(() => encodeMessage({ ...REQUEST, minAlignment }))).toMatchObject({ rule: "R167" });
    }
  });

  test("text that is none, metadata of a layout of the format, and wrong types are refused", async () => {
    const bytes = encodeMessage({ kind: "error", streamId: 1, errorCode: 1, message: "ab" });
    bytes[bytes.length - 1] = 0xff;
    expect(await thrown(() => decodeMessage(bytes))).toMatchObject({ rule: "R163", field: "message" });
    const layouts = [{ tag: 1, metadata: Uint8Array.of(1) }];
    expect(await thrown(() => encodeMessage({ ...HELLO, layouts }))).toMatchObject({ code: "SW_HURRAY_VALUE" });
    const lone = { ...REQUEST, tensorKey: "\ud800" };
    expect(await thrown(() => encodeMessage(lone))).toMatchObject({ code: "SW_HURRAY_VALUE", field: "tensor_key" });
    const wrong = { ...REQUEST, minAlignment: "64" as unknown as number };
    expect(await thrown(() => encodeMessage(wrong))).toBeInstanceOf(TypeError);
  });
});

describe("one side of a connection", () => {
  test("R160 each side begins with its hello; a server may refuse instead", async () => {
    const ping: Message = { kind: "ping", streamId: 1 };
    const server: Message = { ...HELLO, kind: "serverHello" };
    const no: Message = { kind: "error", streamId: 1, errorCode: 1, message: "" };
    const from = (side: "server" | "client", first: Message) => receive([first], { from: side, greeted: false });
    expect(await from("client", HELLO)).toEqual([]);
    expect(await from("server", server)).toEqual([]);
    expect(await from("server", no)).toEqual([]);
    for (const [side, first] of [
      ["client", ping],
      ["client", server],
      ["client", no],
      ["server", ping],
    ] as const) {
      const error = await thrown(() => from(side, first));
      expect(error).toMatchObject({ rule: "R160", byteOffset: 0 });
    }
  });

  test("R158 a side does not send what only the other one says", async () => {
    expect(await thrown(() => receive([REQUEST]))).toMatchObject({ rule: "R158", given: "tensorRequest" });
    const put = sent(3, "w", TENSOR);
    expect(await thrown(() => receive(put))).toMatchObject({ rule: "R158", given: "tensorPut" });
    const answer = sent(3, undefined, TENSOR);
    expect(await thrown(() => receive(answer, { from: "client" }))).toMatchObject({ rule: "R158" });
  });

  test("what a client puts comes with its key; members of a composite go by the key of the head", async () => {
    const messages = [...sent(3, "head", HEAD), ...sent(3, "ignored", member(0n), member(4n)), ...sent(5, "w", TENSOR)];
    const items = await receive(messages, { from: "client" });
    expect(items.map(({ streamId, tensorKey }) => [streamId, tensorKey])).toEqual([
      [3, "head"],
      [5, "w"],
    ]);
    expect(items[0]!.item.descriptor).toEqual(HEAD);
    expect(items[1]!.item).toEqual({ descriptor: TENSOR, buffers: [DATA] });
  });

  test("R118, R121 composites are bound and judged as in a stream", async () => {
    const overlap = sent(2, undefined, HEAD, member(0n), member(0n));
    expect(await thrown(() => receive(overlap))).toMatchObject({ rule: "R118" });
    const torn = sent(2, undefined, HEAD, member(0n));
    expect(await thrown(() => receive(torn))).toMatchObject({ rule: "R121", code: "SW_HURRAY_COMPOSITE_INVALID" });
  });

  test("an error closes its stream, drops what was unfinished there, and is told", async () => {
    const told: string[] = [];
    const error: Message = { kind: "error", streamId: 2, errorCode: 2, message: "gone" };
    const messages = [...sent(2, undefined, TENSOR).slice(0, 2), error, ...sent(4, undefined, TENSOR)];
    const items = await receive(messages, { onMessage: (message) => told.push(message.kind) });
    expect(items.map(({ streamId }) => streamId)).toEqual([4]);
    expect(told).toEqual(["error"]);
    // The number of the stream may be used again.
    expect(await receive([...messages, ...sent(2, undefined, TENSOR)])).toHaveLength(2);
  });

  test("R164 a tensor does not begin within another, nor data end before it began", async () => {
    const [begin, , end] = sent(2, undefined, TENSOR);
    expect(await thrown(() => receive([begin!, begin!]))).toMatchObject({ rule: "R164" });
    expect(await thrown(() => receive([end!]))).toMatchObject({ rule: "R164" });
    const gap: Message = { kind: "tensorData", streamId: 2, byteOffsetInBuffer: 4n, data: DATA };
    expect(await thrown(() => receive([begin!, gap]))).toMatchObject({ rule: "R164", field: "byte_offset_in_buffer" });
  });

  test("R156 sizes beyond the maxima are refused before any data; a size that is a lie costs no memory", async () => {
    const huge: Descriptor = { ...TENSOR, buffers: [{ ...HANDLE, byteSize: 2n ** 33n }] };
    const messages = sent(2, undefined, huge);
    expect(await thrown(() => receive(messages, { maximumBufferBytes: 2 ** 32 }))).toMatchObject({ rule: "R156" });
    expect(await thrown(() => receive(messages, { maximumDescriptorBytes: 52 }))).toMatchObject({ rule: "R156" });
    expect(await thrown(() => receive(messages.slice(0, 2)))).toMatchObject({ rule: "R155" });
  });

  test("errors in a descriptor are counted from where it lies in the connection", async () => {
    const messages = sent(3, "ß", TENSOR);
    const put = messages[0] as Extract<Message, { kind: "tensorPut" }>;
    const descriptor = put.descriptor.slice();
    descriptor[14] = 0xff;
    const ping: Message = { kind: "ping", streamId: 9 };
    const error = await thrown(() => receive([ping, { ...put, descriptor }], { from: "client" }));
    // Ping 12, header 12, key 4 + 2, length 4, then byte 14.
    expect(error).toMatchObject({ rule: "R9", byteOffset: 12 + 12 + 6 + 4 + 14 });
  });

  test("a signal that is given ends the wait, and an input left early is let go", async () => {
    let closed = 0;
    const endless = {
      async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
        try {
          for (;;) for (const message of sent(2, undefined, TENSOR)) yield encodeMessage(message);
        } finally {
          closed++;
        }
      },
    };
    for await (const { item } of receiveItems(endless, { from: "server", greeted: true })) {
      expect(item.descriptor).toEqual(TENSOR);
      break;
    }
    expect(closed).toBe(1);
    const signal = AbortSignal.abort(new Error("no"));
    const waiting = receiveItems(endless, { from: "server", greeted: true, signal });
    expect((await thrown(() => waiting.next())).message).toBe("no");
  });
});
