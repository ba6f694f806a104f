import { expect, test } from "vitest";
import { httpSource } from "../src/http/index.js";
import {
  npyBytes,
  npzBytes,
  openNpz,
  openSafetensors,
  pngOf,
  readNpy,
  safetensorsBytes,
} from "../src/interchange/index.js";
import { connect, getShards, memoryStore, serve, webSocketChannel } from "../src/transport/index.js";
import { relayout, valuesOf } from "../src/values/index.js";
import { thrown } from "./support.js";
import { bytesTensor, channelPair } from "./support-transport.js";

const T = bytesTensor(4);
type Options = { readonly [option: string]: number };

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
  ...["partBytes", "concurrency", "retries", "maximumBytes"].map(
    (option) => [option, "httpSource", (options: Options) => httpSource("http://localhost", options)] as const,
  ),
];

test.each(OPTIONS)(
  "%s of %s is a whole number, other ones are refused before anything is done",
  async (option, _of, run) => {
    for (const value of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY]) {
      const refused = { name: "HurrayValueError", code: "SW_HURRAY_VALUE", field: option };
      expect(await thrown(async () => run({ [option]: value })), `${value}`).toMatchObject(refused);
    }
    const text = await thrown(async () => run({ [option]: "8" as never }));
    expect(text).toBeInstanceOf(TypeError);
  },
);
