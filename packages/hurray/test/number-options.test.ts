import { arange } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { httpSource } from "../src/http/index.js";
import { encodeHurray, FileWriter, openHurray, store } from "../src/index.js";
import {
  npyBytes,
  npzBytes,
  openNpz,
  openSafetensors,
  pngOf,
  readNpy,
  safetensorsBytes,
} from "../src/interchange/index.js";
import { decodeMessage, encodeMessage, readMessages, receiveItems } from "../src/messages/index.js";
import { listen } from "../src/node/index.js";
import { readFileItems } from "../src/sequential/index.js";
import { itemBytes, memberNames, readItem, readItems } from "../src/stream/index.js";
import { connect, getShards, memoryStore, serve, webSocketChannel } from "../src/transport/index.js";
import { quantize, relayout, valuesOf } from "../src/values/index.js";
import { verify } from "../src/verify/index.js";
import { thrown } from "./support.js";
import { bytesTensor, channelPair } from "./support-transport.js";

const T = bytesTensor(4);
type Options = { readonly [option: string]: never };

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: number[] = [];
  for await (const piece of pieces) all.push(...piece);
  return Uint8Array.from(all);
}

const collected = async (
  open: (options: Options) => Promise<{ stored(name: string, options: Options): unknown }>,
  o: Options,
) => (await open({})).stored("t", o);

/** A client of a server that has T. */
async function client() {
  const pair = channelPair();
  void serve(pair.server, memoryStore({ t: T }));
  return connect(pair.client);
}

const npz = (options: Options) => bytesOf(npzBytes([["t", T]])).then((bytes) => openNpz(bytes, options));
const safetensors = (options: Options) =>
  bytesOf(safetensorsBytes([["t", T]])).then((bytes) => openSafetensors(bytes, options));
const connection = (options: Options) => connect(channelPair().client, options);
const server = (options: Options) => serve(channelPair().server, memoryStore(), options);

class Closed extends EventTarget {
  binaryType = "arraybuffer";
  readonly readyState = 3;
  readonly bufferedAmount = 0;
  send(): void {}
  close(): void {}
}

async function walked(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

const FILE = encodeHurray({ t: arange(4) });
const PING = encodeMessage({ kind: "ping", streamId: 1 });
const opened = (options: Options) => openHurray(FILE, options);
const stream = async (options: Options) => walked(readItems(itemBytes([store(arange(4))]), options));
const fileItems = (options: Options) => walked(readFileItems([FILE], options));
const received = (options: Options) => walked(receiveItems([PING], { from: "client", greeted: true, ...options }));
const checked = (options: Options) => walked(verify(FILE, options));
const listening = (options: Options) => listen(memoryStore(), { port: 0 }, options);
const blocks = (options: Options) =>
  quantize(Float32Array.of(0, 1), [2], { scheme: "perBlock", storage: "int4", axis: 0, blockSize: 2, ...options });

/** Options that count something, and what takes them. */
const OPTIONS: readonly (readonly [option: string, of: string, run: (options: Options) => unknown])[] = [
  ["maximumBytes", "valuesOf", (options) => valuesOf(T, options)],
  ["maximumBytes", "relayout", (options) => relayout(T, { kind: "columnMajor" }, options)],
  ["maximumBytes", "stored", (options) => collected(npz, options)],
  ["maximumBytes", "stored", (options) => collected(safetensors, options)],
  ["scale", "pngOf", (options) => pngOf(T, options)],
  ["maximumPixels", "pngOf", (options) => pngOf(T, options)],
  ["maximumDirectoryBytes", "openNpz", npz],
  ["maximumRatio", "openNpz", npz],
  ["maximumHeaderBytes", "openSafetensors", safetensors],
  ["maximumHeaderBytes", "readNpy", async (options) => readNpy([await bytesOf(npyBytes(T))], options)],
  ["maximumMessageBytes", "connect", connection],
  ["maximumRequests", "connect", connection],
  ["maximumMessageBytes", "serve", server],
  ["maximumRequests", "serve", server],
  ["maximumBytes", "serve", server],
  ["maximumTranscodeBytes", "serve", server],
  ["maximumBytes", "get", async (options) => (await client()).get("t", options)],
  ["minAlignment", "get", async (options) => (await client()).get("t", options)],
  ["coverSteps", "getShards", async (options) => getShards([await client()], "t", options)],
  ["maximumWaitingBytes", "webSocketChannel", (options) => webSocketChannel(new Closed() as never, options)],
  ["maximumDecodedBytes", "openHurray", opened],
  ["dataBufferAlignment", "FileWriter", (options) => new FileWriter({ write() {} }, options)],
  ["coverSteps", "readItem", async (options) => readItem(await openHurray(FILE), "t", options)],
  ["coverSteps", "memberNames", async (options) => memberNames(await openHurray(FILE), "t", options)],
  ["maximumMessageBytes", "decodeMessage", (options) => decodeMessage(PING, options)],
  ["maximumMessageBytes", "readMessages", (options) => walked(readMessages([PING], options))],
  ["maximumMessageBytes", "receiveItems", received],
  ["maximumIndexBytes", "readFileItems", fileItems],
  ["maximumDecodedBytes", "readFileItems", fileItems],
  ["maximumSectionBytes", "verify", checked],
  ["maximumDataBytes", "verify", checked],
  ["maximumConnections", "listen", listening],
  ["axis", "quantize", blocks],
  ["blockSize", "quantize", blocks],
  ...(
    [
      ["readItems", stream],
      ["readFileItems", fileItems],
      ["receiveItems", received],
    ] as const
  ).flatMap(([of, run]) =>
    ["maximumDescriptorBytes", "maximumBufferBytes", "coverSteps"].map((option) => [option, of, run] as const),
  ),
  ...(
    [
      ["connect", connection],
      ["serve", server],
      ["listen", listening],
      ["verify", checked],
    ] as const
  ).flatMap(([of, run]) => ["maximumDescriptorBytes", "coverSteps"].map((option) => [option, of, run] as const)),
  ...["maximumMessageBytes", "maximumRequests", "maximumBytes", "maximumTranscodeBytes"].map(
    (option) => [option, "listen", listening] as const,
  ),
  ...["partBytes", "concurrency", "retries", "maximumBytes"].map(
    (option) => [option, "httpSource", (options: Options) => httpSource("http://localhost", options)] as const,
  ),
];

test.each(OPTIONS)(
  "%s of %s is a whole number, other ones are refused before anything is done",
  async (option, _of, run) => {
    for (const value of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY]) {
      const refused = { name: "HurrayValueError", code: "SW_HURRAY_VALUE", field: option };
      expect(await thrown(async () => run({ [option]: value as never })), `${value}`).toMatchObject(refused);
    }
    for (const [value, type] of [
      ["x", "string"],
      [null, "null"],
    ]) {
      const error = await thrown(async () => run({ [option]: value as never }));
      expect(error, `${value}`).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`${option} is no number: got ${type}, expected`);
    }
  },
);

/** Options that are times, for which `Infinity` is allowed. */
const TIMES = [
  ["timeout", "connect", connection],
  ["timeout", "serve", server],
  ["timeout", "listen", listening],
  ["idleTimeout", "serve", server],
  ["idleTimeout", "listen", listening],
] as const;

test.each(TIMES)("%s of %s is a time above 0", async (option, _of, run) => {
  for (const value of [Number.NaN, -1, 0]) {
    const refused = { name: "HurrayValueError", code: "SW_HURRAY_VALUE", field: option };
    expect(await thrown(async () => run({ [option]: value as never })), `${value}`).toMatchObject(refused);
  }
  for (const value of ["x", null]) {
    expect(await thrown(async () => run({ [option]: value as never }))).toBeInstanceOf(TypeError);
  }
});

describe("what a client is asked for", () => {
  test("is aligned by a power of two", async () => {
    for (const minAlignment of [3, 2 ** 32]) {
      const error = await thrown(async () => (await client()).get("t", { minAlignment }));
      expect(error).toMatchObject({ name: "HurrayValueError", field: "minAlignment", given: minAlignment });
    }
  });

  test("has layouts that are tags", async () => {
    for (const layout of ["x", null, undefined, {}]) {
      const error = await thrown(async () => (await client()).get("t", { layouts: [layout as never] }));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain("layouts is no number: got");
    }
    for (const layout of [-1, 256, 1.5, { tag: 300 }]) {
      const error = await thrown(async () => (await client()).get("t", { layouts: [layout] }));
      expect(error).toMatchObject({ name: "HurrayValueError", field: "layouts" });
    }
  });

  test("has options that are an object", async () => {
    const c = await client();
    const none = null as never;
    const calls = [
      () => c.get("t", none),
      () => c.put("t", T, none),
      () => c.ping(none),
      () => getShards([c], "t", none),
      () => connect(channelPair().client, none),
      () => serve(channelPair().server, memoryStore(), none),
    ];
    for (const call of calls) {
      const error = await thrown(call);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain("the options are no object: got null, expected");
    }
    await c.close();
  });
});
