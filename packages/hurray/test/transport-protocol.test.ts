import { describe, expect, test } from "vitest";
import { type Descriptor, encodeDescriptor } from "../src/descriptor/index.js";
import { encodeMessage, type Message } from "../src/messages/index.js";
import {
  type ConnectOptions,
  connect,
  memoryStore,
  type ServeOptions,
  serve,
  type TensorStore,
} from "../src/transport/index.js";
import { bytesOf, thrown, vectors } from "./support.js";
import { bytesTensor, channelPair, expectSame, FakeClock, HELLO, Peer, REQUEST, settled } from "./support-transport.js";

const W = bytesTensor(10);
const hello: Message = { ...HELLO, streamId: 1 };
const request: Message = { ...REQUEST, streamId: 5 };

/** A server, and the other end of its channel. */
async function serving(store: TensorStore = memoryStore({ w: W }), options: ServeOptions = {}) {
  const { client, server } = channelPair();
  const served = serve(server, store, options);
  const end = served.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { peer: new Peer(client), end };
}

/** The same after the hellos. */
async function greeted(store?: TensorStore, options?: ServeOptions) {
  const { peer, end } = await serving(store, options);
  await peer.say(hello);
  expect(await peer.hear()).toMatchObject({ kind: "serverHello", streamId: 1, protocolVersion: 1, devices: [0] });
  return { peer, end };
}

/** A client, and the other end of its channel, after the hellos. */
async function connected(options: ConnectOptions = {}) {
  const { client: channel, server } = channelPair();
  const peer = new Peer(server);
  const connecting = connect(channel, options);
  expect(await peer.hear()).toMatchObject({ kind: "clientHello", streamId: 1 });
  await peer.say({ ...HELLO, kind: "serverHello", streamId: 1 });
  return { client: await connecting, peer };
}

const opening = (streamId: number, descriptor: Descriptor = W.descriptor, total = 10n): Message => ({
  kind: "tensorDescriptor",
  streamId,
  descriptor: encodeDescriptor(descriptor),
  totalDataBytes: total,
  shardIndex: 0,
  totalShards: 1,
});
const data = (streamId: number, bytes: Uint8Array = W.buffers[0]!, offset = 0n): Message => ({
  kind: "tensorData",
  streamId,
  byteOffsetInBuffer: offset,
  data: bytes,
});
const end = (streamId: number): Message => ({ kind: "tensorDataEnd", streamId });
const put = (streamId: number, descriptor: Descriptor = W.descriptor, total = 10n): Message => ({
  kind: "tensorPut",
  streamId,
  tensorKey: "p",
  descriptor: encodeDescriptor(descriptor),
  totalDataBytes: total,
});

/** The bytes of a message, changed. */
function changed(message: Message, change: (bytes: Uint8Array, view: DataView) => void): Uint8Array {
  const bytes = encodeMessage(message);
  change(bytes, new DataView(bytes.buffer));
  return bytes;
}

describe("a server", () => {
  test("answers in order, on the stream of the request, and settles when its client leaves", async () => {
    const { peer, end: ended } = await greeted();
    await peer.say(request);
    expect(await peer.hear()).toEqual(opening(5));
    expect(await peer.hear()).toEqual(data(5));
    expect(await peer.hear()).toEqual(end(5));
    await peer.channel.close();
    expect(await ended).toBeUndefined();
  });

  test("sends what was asked for to a client that says nothing more, but listens", async () => {
    const { client, server, up } = channelPair();
    const served = serve(server, memoryStore({ w: W }));
    const peer = new Peer(client);
    await peer.say(hello, request);
    up.end();
    const kinds = [];
    for (let message = await peer.hear(); message; message = await peer.hear()) kinds.push(message.kind);
    expect(kinds).toEqual(["serverHello", "tensorDescriptor", "tensorData", "tensorDataEnd"]);
    await served;
  });

  test("A22 answers a ping at once with what it brought, while an answer waits to be taken", async () => {
    const { client, server, down } = channelPair((bytes) => [bytes], 0);
    const served = serve(server, memoryStore({ w: bytesTensor(3_000_000) })).catch(() => {});
    const peer = new Peer(client);
    await peer.say(hello, request);
    await settled();
    expect(down.waiting).toBeLessThan(300_000);
    await peer.say({ kind: "ping", streamId: 9, payload: Uint8Array.of(1, 2) });
    const kinds: string[] = [];
    let message = await peer.hear();
    for (; message?.kind !== "pong"; message = await peer.hear()) kinds.push(message!.kind);
    expect(message).toEqual({ kind: "pong", streamId: 9, payload: Uint8Array.of(1, 2) });
    // The message that was being written comes before it.
    expect(kinds.length).toBeLessThan(4);
    await peer.channel.close();
    await served;
  });

  const BROKEN: readonly (readonly [rule: string, code: number, what: string, bytes: Uint8Array])[] = [
    [
      "R158",
      6,
      "a type without a meaning",
      changed({ kind: "pong", streamId: 5, payload: new Uint8Array(9) }, (_, view) => view.setUint32(0, 0xf0, true)),
    ],
    ["R158", 6, "what only a server says", encodeMessage({ kind: "tensorPutAck", streamId: 5 })],
    [
      "R158",
      6,
      "memory for RDMA",
      encodeMessage({ kind: "rdmaRegister", streamId: 5, remoteAddr: 1n, length: 1n, rkey: new Uint8Array(4) }),
    ],
    ["R158", 6, "readiness for RDMA", encodeMessage({ kind: "rdmaReady", streamId: 5 })],
    [
      "R162",
      6,
      "a request with reserved flags",
      changed(request, (bytes, view) => view.setUint32(bytes.length - 4, 4, true)),
    ],
    ["R163", 6, "a request that is cut short", changed(request, (_, view) => view.setUint32(12, 1000, true))],
    ["R164", 6, "data without a put", encodeMessage(data(5))],
    ["R164", 6, "an end without a put", encodeMessage(end(5))],
    ["R164", 6, "a second hello", encodeMessage({ ...hello, streamId: 5 })],
    [
      "R167",
      6,
      "an alignment that is no power of two",
      changed(request, (bytes, view) => view.setUint32(bytes.length - 8, 48, true)),
    ],
    ["R2", 6, "a put of something else", changed(put(5), (bytes) => bytes.fill(0x41, 21, 25))],
  ];
  for (const [rule, code, what, bytes] of BROKEN) {
    test(`${rule} answers ${what} by error ${code} on its stream, and goes on`, async () => {
      const { peer } = await greeted();
      await peer.channel.write(bytes);
      const answer = await peer.hear();
      expect(answer).toMatchObject({ kind: "error", streamId: 5, errorCode: code });
      if (answer?.kind === "error") expect(answer.message).toContain(`${rule},`);
      await peer.say({ ...request, streamId: 7 });
      expect(await peer.hear()).toEqual(opening(7));
    });
  }

  const FATAL: readonly (readonly [rule: string, code: number, streamId: number, what: string, bytes: Uint8Array])[] = [
    ["R156", 7, 5, "a message that is too large", changed(request, (_, view) => view.setUint32(8, 70_000, true))],
    ["R159", 6, 1, "a message of no stream", changed(request, (_, view) => view.setUint32(4, 0, true))],
  ];
  for (const [rule, code, streamId, what, bytes] of FATAL) {
    test(`${rule} answers ${what} by error ${code}, and hangs up`, async () => {
      const { peer, end: ended } = await greeted(undefined, { maximumMessageBytes: 65536 });
      await peer.channel.write(bytes);
      expect(await peer.hear()).toMatchObject({ kind: "error", streamId, errorCode: code });
      expect(await peer.hear()).toBeUndefined();
      expect(await ended).toMatchObject({ rule });
    });
  }

  const FIRST: readonly (readonly [rule: string, code: number, what: string, bytes: Uint8Array])[] = [
    ["R160", 6, "a request", encodeMessage({ ...request, streamId: 1 })],
    ["R161", 1, "version 0", changed(hello, (_, view) => view.setUint32(12, 0, true))],
    ["R162", 6, "GPUDirect without RDMA", changed(hello, (bytes) => (bytes[20] = 8))],
    ["R156", 7, "messages of no size", encodeMessage({ ...hello, maxMessageSize: 100 } as Message)],
    ["R158", 6, "a type without a meaning", changed({ kind: "pong", streamId: 1 }, (bytes) => (bytes[0] = 99))],
  ];
  for (const [rule, code, what, bytes] of FIRST) {
    test(`${rule} answers a connection that begins with ${what} by error ${code}, and hangs up`, async () => {
      const { peer, end: ended } = await serving();
      await peer.channel.write(bytes);
      expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 1, errorCode: code });
      expect(await peer.hear()).toBeUndefined();
      expect(await ended).toMatchObject({ rule });
    });
  }

  test("R155 a client that leaves within a message has broken off; nothing was made for what it announced", async () => {
    const { peer, end: ended } = await greeted();
    await peer.channel.write(changed(request, (_, view) => view.setUint32(8, 16_000_000, true)).subarray(0, 20));
    await peer.channel.close();
    expect(await ended).toMatchObject({ rule: "R155" });
  });

  test("A24 a client of a later version is served in version 1", async () => {
    const { peer } = await serving();
    await peer.say({ ...HELLO, streamId: 3, protocolVersion: 9 });
    expect(await peer.hear()).toMatchObject({ kind: "serverHello", streamId: 3, protocolVersion: 1 });
  });

  test("memory of another device is refused by error 5: what is asked for there, stored there, or put there", async () => {
    const cuda = { ...W.descriptor, buffers: [{ ...W.descriptor.buffers[0]!, deviceTag: 1 }] };
    const store = memoryStore({ w: W, cuda: { descriptor: cuda, buffers: W.buffers } });
    const { peer } = await greeted(store);
    await peer.say({ ...REQUEST, streamId: 5, preferredDevice: 1 });
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 5, errorCode: 5 });
    await peer.say({ ...REQUEST, streamId: 7, tensorKey: "cuda" });
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 7, errorCode: 5 });
    await peer.say(put(9, cuda), data(9), end(9));
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 9, errorCode: 5 });
    // Nothing more is said of the rest of it, and the next put is taken.
    await peer.say(put(11), data(11), end(11));
    expect(await peer.hear()).toEqual({ kind: "tensorPutAck", streamId: 11 });
    expect([...store.items.keys()]).toEqual(["w", "cuda", "p"]);
  });

  test("R164 data without a put is refused once, in however many chunks it comes", async () => {
    const { peer } = await greeted();
    const stray = encodeMessage(data(5, new Uint8Array(1000)));
    for (let at = 0; at < stray.byteLength; at += 300) await peer.channel.write(stray.subarray(at, at + 300));
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 5, errorCode: 6 });
    await peer.say({ kind: "ping", streamId: 7 });
    expect(await peer.hear()).toEqual({ kind: "pong", streamId: 7 });
  });

  test("R157, R164, R165, R118 a put that breaks a rule is refused, and what follows of it is passed over", async () => {
    const head: Descriptor = {
      ...W.descriptor,
      shape: [20n],
      layout: { kind: "composite", rule: "partition", combine: "none", memberCount: 2 },
      buffers: [],
    };
    const member = { ...W.descriptor, shard: { parentShape: [20n], offset: [0n] } };
    const asynchronous = { ...W.descriptor, buffers: [{ ...W.descriptor.buffers[0]!, deviceTag: 1, syncMode: 1 }] };
    const puts: readonly (readonly [string, readonly Message[]])[] = [
      ["R157", [put(5, asynchronous), data(5), end(5)]],
      ["R164", [put(5), data(5, W.buffers[0], 3n), end(5)]],
      ["R164", [put(5), put(5), data(5), end(5)]],
      ["R165", [put(5), end(5), put(5), data(5), end(5)]],
      ["R165", [put(5, W.descriptor, 11n), data(5), end(5)]],
      ["R118", [put(5, head, 0n), end(5), put(5, member), data(5), end(5), put(5, member), data(5), end(5)]],
      [
        "R112",
        [
          put(5, head, 0n),
          end(5),
          put(5, { ...member, shard: { parentShape: [30n], offset: [0n] } }),
          data(5),
          end(5),
          put(5, member),
          data(5),
          end(5),
        ],
      ],
    ];
    for (const [rule, messages] of puts) {
      const store = memoryStore({ w: W });
      const { peer } = await greeted(store);
      await peer.say(...messages);
      const answer = await peer.hear();
      expect(answer).toMatchObject({ kind: "error", streamId: 5, errorCode: 6 });
      if (answer?.kind === "error") expect(answer.message).toContain(rule);
      await peer.say({ ...request, streamId: 7 });
      expect(await peer.hear()).toEqual(opening(7));
      expect([...store.items.keys()]).toEqual(["w"]);
    }
  });

  test("a stream does one thing at a time", async () => {
    const { peer } = await greeted({ find: () => new Promise(() => {}), put: () => new Promise(() => {}) });
    await peer.say(request, request);
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 5, errorCode: 6 });
    await peer.say({ ...request, streamId: 7 }, data(7));
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 7, errorCode: 6 });
    await peer.say(put(9), request.kind === "tensorRequest" ? { ...request, streamId: 9 } : request);
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 9, errorCode: 6 });
    await peer.say(put(11), data(11), end(11), put(11));
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 11, errorCode: 6 });
  });

  test("a client that puts and puts where it was refused is left", async () => {
    const { peer, end: ended } = await greeted({ find: () => undefined });
    const saying = (async () => {
      for (let k = 1; k < 1100; k++) await peer.say(put(2 * k + 1));
    })().catch(() => {});
    let count = 0;
    for (let message = await peer.hear(); message; message = await peer.hear()) count++;
    expect(count).toBe(1025);
    expect(await ended).toMatchObject({ code: "SW_HURRAY_LIMIT" });
    await saying;
  });

  test("a client may answer an answer by an error: it ends, and is not told again", async () => {
    const signals: AbortSignal[] = [];
    const { peer } = await greeted({
      find: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    await peer.say(
      request,
      { kind: "error", streamId: 5, errorCode: 0xf2, message: "cancelled" },
      { kind: "ping", streamId: 9 },
    );
    expect(await peer.hear()).toMatchObject({ kind: "pong" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe("a client", () => {
  for (const c of vectors("exchange")) {
    test(`${c.id}: what a server says arrives`, async () => {
      const { client, peer } = await connected();
      const bytes = bytesOf(c);
      const ids: number[] = [];
      for (let at = 0; at < bytes.length; ) {
        const view = new DataView(bytes.buffer, bytes.byteOffset + at);
        if (view.getUint32(0, true) === 4) ids.push(view.getUint32(4, true));
        at += 12 + view.getUint32(8, true);
      }
      // The vectors have stream ids of their own; the client's are those up to the last.
      const gets = new Map<number, Promise<unknown>>();
      for (let id = 2; id <= Math.max(...ids); id++) {
        const got = client.get(`${id}`);
        got.catch(() => {});
        gets.set(id, got);
        if (id > 15) break;
        await peer.hear();
      }
      await peer.channel.write(bytes);
      for (const id of ids) expect(await gets.get(id)).toHaveProperty("buffers");
      expect(ids).toHaveLength(c.expect.tensors);
    });
  }

  for (const c of vectors("invalid-exchange").filter((c) =>
    (c as unknown as { direction: string }).direction.startsWith("server"),
  )) {
    const rule = c.spec.rule!.split(" ")[0]!;
    test(`${rule} ${c.id}: what waits is rejected with the rule, and the server is told`, async () => {
      const { client, peer } = await connected({ maximumMessageBytes: 65536 });
      const bytes = bytesOf(c);
      const streamId = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
      const gets: Promise<unknown>[] = [];
      for (let id = 2; id <= streamId; id++) {
        gets.push(client.get(`${id}`));
        gets.at(-1)!.catch(() => {});
        await peer.hear();
      }
      await peer.channel.write(bytes);
      expect(await thrown(() => gets.at(-1)!)).toMatchObject({ name: "HurrayFormatError", rule });
      expect(await peer.hear()).toMatchObject({ kind: "error", streamId });
    });
  }

  test("R160 a server that does not greet is left; one that refuses is quoted", async () => {
    for (const [answer, error] of [
      [{ kind: "pong", streamId: 1 }, { rule: "R160" }],
      [
        { kind: "error", streamId: 1, errorCode: 1, message: "too old" },
        { code: "SW_HURRAY_PEER", errorCode: 1, peerMessage: "too old" },
      ],
      [{ ...HELLO, kind: "serverHello", streamId: 1, maxMessageSize: 12 }, { rule: "R156" }],
    ] as const) {
      const { client, server } = channelPair();
      const peer = new Peer(server);
      const connecting = connect(client);
      await peer.hear();
      await peer.say(answer as Message);
      expect(await thrown(() => connecting)).toMatchObject(error);
      for (let message = await peer.hear(); message; message = await peer.hear()) expect(message.kind).toBe("error");
    }
  });

  test("R164 a server that speaks on a stream that nobody opened is left", async () => {
    const { client, peer } = await connected();
    const got = client.get("w");
    await peer.hear();
    await peer.say(opening(99));
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 99, errorCode: 6 });
    expect(await peer.hear()).toBeUndefined();
    expect(await thrown(() => got)).toMatchObject({ rule: "R164" });
  });

  test("R166 shards that nobody asked for are refused by error 8; memory of a device by error 5", async () => {
    const { client, peer } = await connected();
    const shard = client.get("w");
    await peer.hear();
    await peer.say({ ...opening(2), totalShards: 2 } as Message);
    expect(await thrown(() => shard)).toMatchObject({ rule: "R166" });
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 2, errorCode: 8 });
    const device = client.get("w");
    await peer.hear();
    await peer.say(opening(3, { ...W.descriptor, buffers: [{ ...W.descriptor.buffers[0]!, deviceTag: 1 }] }));
    expect(await thrown(() => device)).toMatchObject({ code: "SW_HURRAY_DEVICE_UNSUPPORTED" });
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 3, errorCode: 5 });
    const remote = client.get("w");
    await peer.hear();
    await peer.say(opening(4), {
      kind: "rdmaRegister",
      streamId: 4,
      remoteAddr: 1n,
      length: 10n,
      rkey: new Uint8Array(4),
    });
    expect(await thrown(() => remote)).toMatchObject({ rule: "R158" });
    expect(await peer.hear()).toMatchObject({ kind: "error", streamId: 4, errorCode: 6 });
  });

  test("an error ends one stream; the others go on, and what comes late is passed over", async () => {
    const { client, peer } = await connected();
    const [lost, kept] = [client.get("lost"), client.get("kept")];
    await peer.hear();
    await peer.hear();
    await peer.say(opening(2), opening(3), { kind: "error", streamId: 2, errorCode: 0xf1, message: "gone" });
    await peer.say(data(2), end(2), data(3), end(3));
    expect(await thrown(() => lost)).toMatchObject({
      code: "SW_HURRAY_PEER",
      errorCode: 0xf1,
      streamId: 2,
      peerMessage: "gone",
    });
    expectSame(await kept, W);
  });

  test("an error during a put ends its sending; another answer than an acknowledgement is none", async () => {
    const { client, peer } = await connected();
    const refused = client.put("p", bytesTensor(50_000_000));
    expect((await peer.hear())?.kind).toBe("tensorPut");
    await peer.say({ kind: "error", streamId: 2, errorCode: 0xf0, message: "no" });
    expect(await thrown(() => refused)).toMatchObject({ errorCode: 0xf0 });
    const wrong = client.put("p", W);
    let message = await peer.hear();
    let rest = 0;
    for (; message?.kind !== "tensorPut"; message = await peer.hear()) rest++;
    expect(rest).toBeLessThan(4);
    await peer.say(opening(3));
    expect(await thrown(() => wrong)).toMatchObject({ rule: "R164" });
  });

  test("what the server says before it hangs up is the cause", async () => {
    const { client, peer } = await connected();
    const got = client.get("w");
    await peer.hear();
    await peer.say({ kind: "error", streamId: 1, errorCode: 6, message: "you speak in riddles" });
    await peer.channel.close();
    const error = await thrown(() => got);
    expect(error).toMatchObject({ code: "SW_HURRAY_DISCONNECTED" });
    const said = (error.cause as Error).cause as Error;
    expect(said.message).toBe(
      'connect: the peer refuses: got error 6 (invalid message), expected an answer. It says "you speak in riddles".',
    );
  });
});

describe("time", () => {
  test("a server that does not greet, answer, acknowledge or pong is given up after the time that is allowed", async () => {
    const clock = new FakeClock();
    const silent = channelPair();
    const connecting = connect(silent.client, { clock, timeout: 1000 });
    connecting.catch(() => {});
    await clock.pass(999);
    await clock.pass(1);
    expect(await thrown(() => connecting)).toMatchObject({ code: "SW_HURRAY_TIMEOUT", name: "HurrayPeerError" });
    const { client, peer } = await connected({ clock, timeout: 1000 });
    for (const act of [() => client.get("w"), () => client.put("p", W), () => client.ping()]) {
      const waiting = act();
      waiting.catch(() => {});
      await clock.pass(1000);
      const error = await thrown(() => waiting);
      expect(error).toMatchObject({ code: "SW_HURRAY_TIMEOUT" });
      expect(error.message).toContain("got nothing for 1000 ms");
    }
    // One that goes on slowly is not given up.
    const slow = client.get("w");
    for (const message of [opening(5), data(5), end(5)]) {
      await clock.pass(900);
      await peer.say(message);
    }
    expectSame(await slow, W);
    await client.close();
    expect(clock.running).toBe(0);
  });

  test("data without a byte is no progress, from a server or in a put", async () => {
    const clock = new FakeClock();
    const { client, peer } = await connected({ clock, timeout: 1000 });
    const getting = client.get("w");
    getting.catch(() => {});
    for (const message of [opening(2), data(2, new Uint8Array()), data(2, new Uint8Array())]) {
      await clock.pass(400);
      await peer.say(message);
    }
    await clock.pass(300);
    expect(await thrown(() => getting)).toMatchObject({ code: "SW_HURRAY_TIMEOUT" });
    await client.close();

    const server = await greeted(memoryStore({}), { clock, timeout: 1000 });
    for (const message of [put(3), data(3, new Uint8Array()), data(3, new Uint8Array())]) {
      await clock.pass(400);
      await server.peer.say(message);
    }
    await clock.pass(300);
    expect(await server.peer.hear()).toMatchObject({ kind: "error", streamId: 3 });
  });

  test("a client is left when it does not greet, breaks off within a message, or says nothing for long", async () => {
    for (const bytes of [new Uint8Array(0), encodeMessage(hello).subarray(0, 20)]) {
      const clock = new FakeClock();
      const { peer, end: ended } = await serving(undefined, { clock, timeout: 1000 });
      await peer.channel.write(bytes);
      await clock.pass(1000);
      expect(await ended).toMatchObject({ code: "SW_HURRAY_TIMEOUT" });
      expect(clock.running).toBe(0);
    }
    const clock = new FakeClock();
    const { peer, end: ended } = await greeted(undefined, { clock, timeout: 1000, idleTimeout: 5000 });
    await clock.pass(4999);
    await peer.say({ kind: "ping", streamId: 3 });
    await clock.pass(4999);
    expect(await peer.hear()).toMatchObject({ kind: "pong" });
    await clock.pass(1);
    expect(await ended).toMatchObject({ code: "SW_HURRAY_TIMEOUT" });
    expect(clock.running).toBe(0);
  });

  test("a put that stops, and a store that does not answer, are given up; the connection goes on", async () => {
    const clock = new FakeClock();
    const signals: AbortSignal[] = [];
    const store: TensorStore = {
      find: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      put: () => {},
    };
    const { peer } = await greeted(store, { clock, timeout: 1000 });
    await peer.say(put(3), data(3, new Uint8Array(4)), request);
    await clock.pass(1000);
    const answers = [await peer.hear(), await peer.hear()];
    expect(answers.map((answer) => answer?.streamId).sort()).toEqual([3, 5]);
    for (const answer of answers)
      expect(answer).toMatchObject({ kind: "error", errorCode: 0xf1, message: "it takes too long" });
    expect(signals[0]!.aborted).toBe(true);
    await peer.say(put(7), data(7), end(7));
    expect(await peer.hear()).toEqual({ kind: "tensorPutAck", streamId: 7 });
  });

  test("a client that takes nothing of its answer is left", async () => {
    const clock = new FakeClock();
    const { client, server } = channelPair((bytes) => [bytes], 0);
    const ended = thrown(() => serve(server, memoryStore({ w: bytesTensor(3_000_000) }), { clock, timeout: 1000 }));
    const peer = new Peer(client);
    await peer.say(hello, request);
    await peer.hear();
    await settled();
    await clock.pass(1000);
    expect(await ended).toMatchObject({ code: "SW_HURRAY_TIMEOUT" });
    expect(clock.running).toBe(0);
  });
});
