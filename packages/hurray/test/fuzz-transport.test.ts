import { expect, test } from "vitest";
import { encodeMessage, type Message } from "../src/messages/index.js";
import { type Channel, connect, memoryStore, serve } from "../src/transport/index.js";
import { expectTyped, mutate } from "./mutate.js";
import { randomOf } from "./support.js";
import { bytesTensor, channelPair } from "./support-transport.js";

const SEED = 20260104;
const GROUP = {
  descriptor: {
    ...bytesTensor(0).descriptor,
    layout: { kind: "composite", rule: "group", combine: "none", memberCount: 2 },
    buffers: [],
  },
  members: [bytesTensor(5), bytesTensor(70)],
} as const;

const stored = () => memoryStore({ w: bytesTensor(200), group: GROUP });

/** What a client does in each exchange; everything it waits for must end. */
async function act(channel: Channel): Promise<unknown[]> {
  const client = await connect(channel);
  const waits = [
    client.get("w"),
    client.get("group"),
    client.put("p", bytesTensor(30)),
    client.put("q", GROUP),
    client.ping(),
  ];
  waits.push(client.get("none"), client.get("w", { layouts: [2], transcode: true }));
  const results = await Promise.allSettled(waits);
  await client.close();
  return results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

/** All that either side says in one such exchange. */
async function recorded(): Promise<{ readonly up: Uint8Array; readonly down: Uint8Array }> {
  const said: { up: Uint8Array[]; down: Uint8Array[] } = { up: [], down: [] };
  const pair = channelPair();
  const spy = (channel: Channel, list: Uint8Array[]): Channel => ({
    ...channel,
    write: (bytes) => {
      list.push(bytes);
      return channel.write(bytes);
    },
  });
  void serve(spy(pair.server, said.down), stored());
  await act(spy(pair.client, said.up));
  return { up: new Uint8Array(Buffer.concat(said.up)), down: new Uint8Array(Buffer.concat(said.down)) };
}

/** A channel that says what it is given, then ends; what is written to it is taken and counted. */
function scripted(bytes: Uint8Array): { readonly channel: Channel; readonly counts: { taken: number } } {
  const counts = { taken: 0 };
  const channel: Channel = {
    readable: {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < bytes.byteLength; at += 100) {
          yield bytes.subarray(at, at + 100);
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
    write: async (written) => {
      counts.taken += written.byteLength;
    },
    close: async () => {},
  };
  return { channel, counts };
}

test(`3,000 changed halves of exchanges (seed ${SEED}): both sides end, by errors of ours or none`, async () => {
  const random = randomOf(SEED);
  const { up, down } = await recorded();
  const hello = up.subarray(0, 12 + new DataView(up.buffer).getUint32(8, true));
  let fine = 0;
  let refused = 0;
  for (let k = 0; k < 1500; k++) {
    // Most hellos stay whole, so that what follows is heard.
    const rest = mutate(up.subarray(hello.byteLength), random, 400);
    const asked = k % 8 === 0 ? mutate(up, random, 60) : new Uint8Array(Buffer.concat([hello, rest]));
    const store = stored();
    const { channel, counts } = scripted(asked);
    try {
      await serve(channel, store, { maximumBytes: 10_000, maximumTranscodeBytes: 10_000 });
      fine++;
    } catch (error) {
      expectTyped(error, k);
      refused++;
    }
    // What is stored was said; what is answered is in proportion.
    const held = [...store.items.values()].flatMap((item) => ("buffers" in item ? item.buffers : []));
    expect(held.reduce((sum, bytes) => sum + bytes.byteLength, 0)).toBeLessThan(300 + asked.byteLength);
    expect(counts.taken).toBeLessThan(8000 + 20 * asked.byteLength);
  }
  for (let k = 0; k < 1500; k++) {
    const { channel } = scripted(k % 8 === 0 ? mutate(down, random, 60) : mutateAfterHello(down, random));
    try {
      for (const error of await act(channel)) expectTyped(error, k);
      fine++;
    } catch (error) {
      expectTyped(error, k);
      refused++;
    }
  }
  expect(fine).toBeGreaterThan(600);
  expect(refused).toBeGreaterThan(100);
});

function mutateAfterHello(bytes: Uint8Array, random: () => number): Uint8Array {
  const length = 12 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, length), mutate(bytes.subarray(length), random, 400)]));
}

test(`1,000 random sequences of sound messages (seed ${SEED + 1}) end the same way`, async () => {
  const random = randomOf(SEED + 1);
  const pick = (n: number): number => Math.floor(random() * n);
  const { up } = await recorded();
  const messages: Uint8Array[] = [];
  for (let at = 0; at < up.byteLength; ) {
    const end = at + 12 + new DataView(up.buffer).getUint32(at + 8, true);
    messages.push(up.subarray(at, end));
    at = end;
  }
  const rdma: Message = { kind: "rdmaRegister", streamId: 3, remoteAddr: 1n, length: 8n, rkey: new Uint8Array(4) };
  messages.push(encodeMessage(rdma), encodeMessage({ kind: "error", streamId: 3, errorCode: 6, message: "" }));
  for (let k = 0; k < 1000; k++) {
    const chosen = [messages[0]!];
    for (let n = pick(30); n > 0; n--) {
      const message = messages[pick(messages.length)]!.slice();
      if (random() < 0.5) new DataView(message.buffer).setUint32(4, 2 + pick(4), true);
      chosen.push(message);
    }
    const { channel } = scripted(new Uint8Array(Buffer.concat(chosen)));
    await serve(channel, stored()).catch((error) => expectTyped(error, k));
  }
});
