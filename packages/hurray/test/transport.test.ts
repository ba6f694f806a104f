import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Descriptor, DYNAMIC, resolveShape } from "../src/descriptor/index.js";
import { encodeHurray, openHurray } from "../src/index.js";
import type { SendableItem, StoredItem, StreamedTensor } from "../src/stream/index.js";
import {
  type ConnectOptions,
  connect,
  fileStore,
  memoryStore,
  type ServeOptions,
  serve,
  type TensorStore,
} from "../src/transport/index.js";
import { toSparse, valuesOf } from "../src/values/index.js";
import { bytesOf, thrown, vectors } from "./support.js";
import { bytesTensor, channelPair, expectSame, type Pair, piecesOf, said, settled } from "./support-transport.js";

/** A client of a server over a channel in memory. */
async function session(store: TensorStore, options: ServeOptions = {}, pair: Pair = channelPair()) {
  const served = serve(pair.server, store, options);
  served.catch(() => {});
  return { client: await connect(pair.client), served, pair };
}

/** A matrix of float32, row-major. */
function matrix(rows: number, columns: number): { descriptor: Descriptor; buffers: Uint8Array[] } {
  const elements = Float32Array.from({ length: rows * columns }, (_, k) => k);
  const { descriptor } = bytesTensor(elements.byteLength);
  return {
    descriptor: { ...descriptor, typeTag: 3, shape: [BigInt(rows), BigInt(columns)] },
    buffers: [new Uint8Array(elements.buffer)],
  };
}

/** The same tensor, in pieces that are asked for one at a time. */
function inPieces({ descriptor, buffers }: { descriptor: Descriptor; buffers: Uint8Array[] }, length: number) {
  const counts = { asked: 0, ended: 0 };
  const tensor: StreamedTensor = {
    descriptor,
    pieces: function* (buffer) {
      try {
        for (const piece of piecesOf(length)(buffers[buffer]!)) {
          counts.asked++;
          yield piece;
        }
      } finally {
        counts.ended++;
      }
    },
  };
  return { tensor, counts };
}

const GROUP: Descriptor = {
  ...bytesTensor(0).descriptor,
  layout: { kind: "composite", rule: "group", combine: "none", memberCount: 2 },
  buffers: [],
};

describe("what is got and put", () => {
  test("a client gets what a server has, byte for byte, and what it puts is there", async () => {
    const w = bytesTensor(100_000);
    const store = memoryStore({ w, empty: bytesTensor(0) });
    const { client, served } = await session(store, {}, channelPair(piecesOf(7)));
    const [first, empty] = await Promise.all([client.get("w"), client.get("empty")]);
    expectSame(first, w);
    expectSame(empty, bytesTensor(0));
    await client.put("v", first);
    expectSame(store.items.get("v"), w);
    await client.ping();
    await client.close();
    await served;
  });

  test("however the bytes are cut on their way, the same arrives", async () => {
    const items = {
      w: bytesTensor(700),
      m: matrix(3, 5),
      group: { descriptor: GROUP, members: [matrix(2, 2), bytesTensor(3)] },
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 2000 }),
        async (lengths, room) => {
          let k = 0;
          const cut = (bytes: Uint8Array): Uint8Array[] => {
            const pieces: Uint8Array[] = [];
            for (let at = 0; at < bytes.byteLength; ) {
              const piece = bytes.subarray(at, at + lengths[k++ % lengths.length]!);
              pieces.push(piece);
              at += piece.byteLength;
            }
            return pieces;
          };
          const store = memoryStore(items);
          const { client, served } = await session(store, {}, channelPair(cut, room));
          const names = Object.keys(items) as (keyof typeof items)[];
          await Promise.all(
            names.map(async (name) => {
              expectSame(await client.get(name), items[name]);
              await client.put(`${name}2`, items[name]);
              expectSame(store.items.get(`${name}2`), items[name]);
            }),
          );
          await client.close();
          await served;
        },
      ),
      { numRuns: 60 },
    );
  });

  test("every descriptor of the vectors that travels comes back as it is", async () => {
    for (const c of vectors("stream")) {
      const { readItems } = await import("../src/stream/index.js");
      const items: StoredItem[] = [];
      for await (const item of readItems([bytesOf(c)])) items.push(item);
      const { client, pair } = await session(memoryStore(Object.fromEntries(items.map((item, k) => [`${k}`, item]))));
      for (const [k, item] of items.entries()) {
        if (isHere(item)) expectSame(await client.get(`${k}`), item);
        else expect(await thrown(() => client.get(`${k}`))).toMatchObject({ code: "SW_HURRAY_PEER" });
      }
      await client.close();
      expect(pair.down.isEnded).toBe(true);
    }
  });

  test("composites travel whole, nested, and with members in pieces", async () => {
    const streamed = inPieces(matrix(40, 50), 333);
    const inner = { descriptor: GROUP, members: [bytesTensor(9), matrix(2, 3)] };
    const outer: SendableItem = { descriptor: GROUP, members: [inner, streamed.tensor] };
    const store = memoryStore({ outer });
    const { client } = await session(store);
    const expected = { descriptor: GROUP, members: [inner, matrix(40, 50)] };
    expectSame(await client.get("outer"), expected);
    await client.put("again", outer);
    expectSame(store.items.get("again"), expected);
    await client.close();
  });

  test("a file is served by the names of its tensors and composites, and read as it is taken", async () => {
    const file = await openHurray(bytesOf(vectors("file").find(({ id }) => id.includes("composite-nested"))!));
    const { client } = await session(fileStore(file));
    for (const name of file.names()) {
      const item = await client.get(name);
      expect(item.descriptor.shape).toEqual((await file.descriptor(name)).shape);
      if ("buffers" in item) expect(item.buffers).toEqual(await file.buffers(name));
      else expect(item.members.length).toBeGreaterThan(0);
    }
    expect(await thrown(() => client.get("none"))).toMatchObject({ errorCode: 2, code: "SW_HURRAY_PEER" });
    await client.close();
  });

  test("requests take turns on the wire, and a large answer does not hold up a small one", async () => {
    const { client, pair } = await session(
      memoryStore({ large: bytesTensor(20_000_000), small: bytesTensor(10) }),
      {},
      channelPair((bytes) => [bytes], 1000),
    );
    const order: string[] = [];
    const large = client.get("large").then(() => order.push("large"));
    const small = client.get("small").then(() => order.push("small"));
    await Promise.all([large, small]);
    expect(order).toEqual(["small", "large"]);
    expect(pair.down.most).toBeLessThan(600_000);
    await client.close();
  });

  test("A43 dynamic dimensions are refused on both sides, unless their sizes are filled in or they are allowed", async () => {
    const batch: Descriptor = { ...matrix(3, 4).descriptor, shape: [DYNAMIC, 4n] };
    const { buffers } = matrix(3, 4);
    const store = memoryStore({
      batch: { descriptor: batch, buffers },
      filled: { descriptor: resolveShape(batch, [3n, undefined]), buffers },
    });
    const refusing = await session(store);
    const error = await thrown(() => refusing.client.get("batch"));
    expect(error).toMatchObject({ code: "SW_HURRAY_PEER", errorCode: 0xf1 });
    expect(error.message).toContain("dynamic");
    expectSame(await refusing.client.get("filled"), matrix(3, 4));
    const put = () => refusing.client.put("b", { descriptor: batch, buffers });
    expect(await thrown(put)).toMatchObject({ code: "SW_HURRAY_DYNAMIC_UNSUPPORTED" });
    const allowing = await session(store, { allowDynamic: true });
    expectSame(await allowing.client.get("batch"), { descriptor: batch, buffers });
    await allowing.client.put("b", { descriptor: batch, buffers }, { allowDynamic: true });
    expectSame(store.items.get("b"), { descriptor: batch, buffers });
  });
});

/** Whether an item is in memory that is reached from here. */
function isHere(item: StoredItem): boolean {
  if ("members" in item) return item.members.every(isHere);
  return item.descriptor.buffers.every(({ deviceTag }) => deviceTag === 0);
}

describe("layouts", () => {
  test("a tensor comes as it is stored, or in the first layout that is preferred and can be had", async () => {
    const w = matrix(4, 8);
    const { client } = await session(memoryStore({ w }));
    const layoutOf = async (options?: Parameters<typeof client.get>[1]) => {
      const item = await client.get("w", options);
      expect(valuesOf(item).elements).toEqual(valuesOf(w).elements);
      return item.descriptor.layout.kind;
    };
    expect(client.server.capabilityFlags).toBe(1n);
    expect(await layoutOf()).toBe("rowMajor");
    expect(await layoutOf({ layouts: [2] })).toBe("rowMajor");
    expect(await layoutOf({ layouts: [2], transcode: true })).toBe("columnMajor");
    expect(
      await layoutOf({ layouts: [{ tag: 0xf0, metadata: Uint8Array.of(1) }, 4, 11, 10, 200, 5], transcode: true }),
    ).toBe("morton");
    // Hilbert needs equal sides; the next one is what the tensor has.
    expect(await layoutOf({ layouts: [0x40, 1, 2], transcode: true })).toBe("rowMajor");
    expect(await layoutOf({ layouts: [7], transcode: true })).toBe("csr");
  });

  test("a preference that takes too much memory is passed over, and a server that transcodes nothing says so", async () => {
    const w = matrix(4, 8);
    const small = await session(memoryStore({ w }), { maximumTranscodeBytes: 127 });
    expect((await small.client.get("w", { layouts: [2], transcode: true })).descriptor).toEqual(w.descriptor);
    const sparse = toSparse(matrix(1, 1), "coo");
    const wide = { ...sparse.descriptor, shape: [1000n, 1000n] };
    const lean = await session(memoryStore({ s: { ...sparse, descriptor: wide } }), { maximumTranscodeBytes: 100_000 });
    // Few bytes as they are, four million as a matrix.
    expect((await lean.client.get("s", { layouts: [1], transcode: true })).descriptor.layout.kind).toBe("coo");
    const none = await session(memoryStore({ w }), { maximumTranscodeBytes: 0 });
    expect(none.client.server.capabilityFlags).toBe(0n);
    expect((await none.client.get("w", { layouts: [2], transcode: true })).descriptor).toEqual(w.descriptor);
  });

  test("pieces are taken once, whether the layout they are wanted in can be had or not", async () => {
    for (const layout of [2, 0x40]) {
      const { tensor, counts } = inPieces(matrix(4, 8), 10);
      const { client } = await session(memoryStore({ w: tensor }));
      const item = await client.get("w", { layouts: [layout], transcode: true });
      expect(valuesOf(item).elements).toEqual(valuesOf(matrix(4, 8)).elements);
      expect(counts).toEqual({ asked: 13, ended: 1 });
    }
  });

  test("a private layout goes to clients that know it only", async () => {
    const { descriptor, buffers } = bytesTensor(10);
    const item = {
      descriptor: { ...descriptor, layout: { kind: "private", tag: 0xf3, id: 7n, data: new Uint8Array(0) } as const },
      buffers,
    };
    const { client } = await session(memoryStore({ w: item }));
    expect(await thrown(() => client.get("w"))).toMatchObject({ errorCode: 3 });
    expect(await thrown(() => client.get("w", { layouts: [{ tag: 0xf3 }] }))).toMatchObject({ rule: "R14" });
    const pair = channelPair();
    void serve(pair.server, memoryStore({ w: item }));
    const knowing = await connect(pair.client, { layouts: [1, 0xf3], accept: () => true });
    expectSame(await knowing.get("w"), item);
  });

  test("alignments are raised to what is asked for, and memory is what it is here", async () => {
    const { descriptor, buffers } = bytesTensor(10);
    const unified = { ...descriptor, buffers: [{ ...descriptor.buffers[0]!, memoryClass: 1 }] };
    const { client } = await session(memoryStore({ w: { descriptor: unified, buffers } }));
    const got = await client.get("w", { minAlignment: 4096 });
    expect(got.descriptor.buffers).toEqual([{ ...descriptor.buffers[0], alignment: 4096 }]);
    expect(await thrown(() => client.get("w", { minAlignment: 48 }))).toMatchObject({ field: "minAlignment" });
  });
});

describe("limits and leaving", () => {
  test("limits and times that are none are refused at once, on both sides", async () => {
    const rows: readonly [ServeOptions & ConnectOptions, string][] = [
      [{ maximumRequests: 0 }, "SW_HURRAY_VALUE"],
      [{ maximumRequests: Number.NaN }, "SW_HURRAY_VALUE"],
      [{ maximumRequests: "8" as never }, "TypeError"],
      [{ maximumMessageBytes: 1000 }, "SW_HURRAY_VALUE"],
      [{ timeout: Number.NaN }, "SW_HURRAY_VALUE"],
      [{ timeout: 0 }, "SW_HURRAY_VALUE"],
    ];
    const servers: readonly [ServeOptions, string][] = [
      [{ maximumBytes: -1 }, "SW_HURRAY_VALUE"],
      [{ maximumTranscodeBytes: Number.NaN }, "SW_HURRAY_VALUE"],
      [{ idleTimeout: -5 }, "SW_HURRAY_VALUE"],
    ];
    const { client, server } = channelPair();
    for (const [options, code] of rows) {
      const error = await thrown(() => connect(client, options));
      expect([error["code"] ?? error.name, error.message]).toEqual([code, expect.stringContaining("connect: ")]);
    }
    for (const [options, code] of [...rows, ...servers]) {
      const error = await thrown(() => serve(server, memoryStore({}), options));
      expect([error["code"] ?? error.name, error.message]).toEqual([code, expect.stringContaining("serve: ")]);
    }
    const { client: open } = await session(memoryStore({}), { timeout: Number.POSITIVE_INFINITY });
    expect((await thrown(() => open.get("w", { maximumBytes: Number.NaN })))["code"]).toBe("SW_HURRAY_VALUE");
    for (const act of [
      () => open.get(null as never),
      () => open.put(undefined as never, matrix(1, 1)),
      () => open.get("w", { layouts: 5 as never }),
    ]) {
      const error = await thrown(act);
      expect([error.name, error.message]).toEqual(["TypeError", expect.stringMatching(/got .*, expected/)]);
    }
    await open.close();
  });

  test("what the client does not take is not asked for: a slow reader holds the store back", async () => {
    const { tensor, counts } = inPieces(bytesTensor(50_000_000), 100_000);
    const { client, pair } = await session(
      memoryStore({ w: tensor }),
      {},
      channelPair((bytes) => [bytes], 0),
    );
    pair.down.hold(true);
    const got = client.get("w");
    await settled();
    expect(pair.down.waiting).toBeLessThan(300_000);
    expect(counts.asked).toBeLessThan(8);
    pair.down.hold(false);
    expectSame(await got, bytesTensor(50_000_000));
    expect(pair.down.most).toBeLessThan(300_000);
    await client.close();
  });

  test("a get that is called off ends at once, the server stops, and other requests go on", async () => {
    const { tensor, counts } = inPieces(bytesTensor(50_000_000), 100_000);
    const { client, pair } = await session(
      memoryStore({ w: tensor, v: bytesTensor(10) }),
      {},
      channelPair((bytes) => [bytes], 500_000),
    );
    const controller = new AbortController();
    pair.down.hold(true);
    const got = client.get("w", { signal: controller.signal });
    await settled();
    controller.abort(new Error("enough"));
    expect((await thrown(() => got)).message).toBe("enough");
    await settled();
    pair.down.hold(false);
    expectSame(await client.get("v"), bytesTensor(10));
    await settled();
    expect(counts.asked).toBeLessThan(8);
    expect(counts.ended).toBe(1);
    expect((await thrown(() => client.get("v", { signal: controller.signal }))).message).toBe("enough");
    await client.close();
  });

  test("a client takes no more than it allows, and goes on", async () => {
    const { client } = await session(
      memoryStore({
        w: bytesTensor(1000),
        group: { descriptor: GROUP, members: [bytesTensor(600), bytesTensor(600)] },
      }),
    );
    for (const key of ["w", "group"]) {
      const error = await thrown(() => client.get(key, { maximumBytes: 999 }));
      expect(error).toMatchObject({ name: "HurrayLimitError", code: "SW_HURRAY_LIMIT" });
    }
    expectSame(await client.get("w", { maximumBytes: 1000 }), bytesTensor(1000));
    await client.close();
  });

  test("a server takes no more than it allows, and puts nothing where nothing can be put", async () => {
    const store = memoryStore();
    const { client } = await session(store, { maximumBytes: 1000 });
    expect(await thrown(() => client.put("w", bytesTensor(1001)))).toMatchObject({ errorCode: 0xf0 });
    // The rest of a put that was refused is passed over.
    const refused = await thrown(() => client.put("w", bytesTensor(5_000_000)));
    expect(refused).toMatchObject({ errorCode: 0xf0, code: "SW_HURRAY_PEER" });
    for (let k = 0; k < 3; k++) await client.put("w", bytesTensor(1000));
    expectSame(store.items.get("w"), bytesTensor(1000));
    const reading = await session({ find: () => undefined });
    expect(await thrown(() => reading.client.put("w", bytesTensor(3)))).toMatchObject({ errorCode: 0xf1 });
    expect(await thrown(() => reading.client.get("w"))).toMatchObject({ errorCode: 2 });
  });

  test("keys and descriptors that the server's messages do not hold are refused before they are sent", async () => {
    const { client, pair } = await session(memoryStore({ w: bytesTensor(3) }), { maximumMessageBytes: 1024 });
    const { written } = pair.up;
    const { descriptor, buffers } = bytesTensor(3);
    const long = { descriptor: { ...descriptor, versionMinor: 1, tail: new Uint8Array(1000) }, buffers };
    const acts = [
      () => client.get("k".repeat(1020)),
      () => client.put("k".repeat(1000), bytesTensor(3)),
      () => client.put("k", long),
    ];
    for (const act of acts) {
      expect(await thrown(act)).toMatchObject({ code: "SW_HURRAY_LIMIT", limit: "the bytes of a message" });
    }
    expect(pair.up.written).toBe(written);
    expectSame(await client.get("w"), bytesTensor(3));
    await client.close();
  });

  test("requests beyond the server's limit are refused; a client waits with its own", async () => {
    let open = 0;
    let most = 0;
    const store: TensorStore = {
      find: async () => {
        most = Math.max(most, ++open);
        await settled();
        open--;
        return bytesTensor(3);
      },
    };
    const { client } = await session(store, { maximumRequests: 4 });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => client.get("w")));
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect((results[5] as PromiseRejectedResult).reason).toMatchObject({ errorCode: 0xf0 });
    const pair = channelPair();
    void serve(pair.server, store);
    most = 0;
    const patient = await connect(pair.client, { maximumRequests: 3 });
    await Promise.all(Array.from({ length: 20 }, () => patient.get("w")));
    expect(most).toBe(3);
  });

  test("what a store throws is not told to the client, but to the server", async () => {
    const told: unknown[] = [];
    const store: TensorStore = {
      find: (key) => {
        if (key === "w") throw new Error("disk on fire at /secret");
        return { descriptor: bytesTensor(10).descriptor, pieces: () => [new Uint8Array(4)] };
      },
      put: () => Promise.reject(new Error("full")),
    };
    const { client } = await session(store, { onError: (error, key) => told.push([key, (error as Error).message]) });
    const error = await thrown(() => client.get("w"));
    expect(error).toMatchObject({ errorCode: 0xf1 });
    expect(error.message).not.toContain("secret");
    // Pieces that are not what the descriptor says end the answer.
    expect(await thrown(() => client.get("short"))).toMatchObject({ errorCode: 0xf1 });
    expect(await thrown(() => client.put("p", bytesTensor(3)))).toMatchObject({ errorCode: 0xf1 });
    expect(told).toEqual([
      ["w", "disk on fire at /secret"],
      ["short", expect.stringContaining("pieces of buffer 0")],
      ["p", "full"],
    ]);
  });

  test("small messages are sent to a peer that takes no others", async () => {
    const pair = channelPair();
    const { chunks } = pair.down;
    const seen: Uint8Array[] = [];
    const push = chunks.push.bind(chunks);
    chunks.push = (...added) => {
      seen.push(...added);
      return push(...added);
    };
    void serve(pair.server, memoryStore({ w: bytesTensor(5000) }));
    const client = await connect(pair.client, { maximumMessageBytes: 1024 });
    expectSame(await client.get("w"), bytesTensor(5000));
    const data = said(seen).filter(({ kind }) => kind === "tensorData");
    expect(data.map((message) => (message.kind === "tensorData" ? message.data.byteLength : 0))).toEqual([
      1016, 1016, 1016, 1016, 936,
    ]);
    await client.close();
  });

  test("everything that waits is rejected when the connection ends, and nothing works afterwards", async () => {
    const pair = channelPair();
    void serve(pair.server, { find: () => new Promise(() => {}) }).catch(() => {});
    const client = await connect(pair.client);
    const waiting = [client.get("a"), client.get("b")];
    await settled();
    pair.down.end();
    for (const promise of waiting) {
      expect(await thrown(() => promise)).toMatchObject({ name: "HurrayPeerError", code: "SW_HURRAY_DISCONNECTED" });
    }
    for (const act of [() => client.get("w"), () => client.put("w", bytesTensor(1)), () => client.ping()]) {
      expect(await thrown(act)).toMatchObject({ code: "SW_HURRAY_DISCONNECTED" });
    }
    await client.close();
    await client.close();
  });

  test("a signal ends a connection on either side", async () => {
    const pair = channelPair();
    const [ending, leaving] = [new AbortController(), new AbortController()];
    const served = serve(pair.server, memoryStore(), { signal: ending.signal });
    await connect(pair.client, { signal: leaving.signal });
    ending.abort(new Error("night"));
    expect((await thrown(() => served)).message).toBe("night");
    expect((await thrown(() => connect(channelPair().client, { signal: ending.signal }))).message).toBe("night");
    const again = channelPair();
    void serve(again.server, { find: () => new Promise(() => {}) }).catch(() => {});
    const client = await connect(again.client, { signal: leaving.signal });
    const waiting = client.get("w");
    leaving.abort(new Error("home"));
    expect((await thrown(() => waiting)).message).toBe("home");
  });

  test("tensors saved in a file come over a connection as they are", async () => {
    const { arange } = await import("@sw/tensor");
    const file = await openHurray(encodeHurray({ w: arange(6).reshape([2, 3]) }));
    const { client } = await session(fileStore(file));
    const { load } = await import("../src/index.js");
    const item = await client.get("w");
    if ("members" in item) throw new Error("not a tensor");
    expect(load(item).tensor.toArray()).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    await client.close();
  });
});
