import { describe, expect, test } from "vitest";
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type ReceivedItem,
  readMessages,
  receiveItems,
} from "../src/messages/index.js";
import { bytesOf, thrown, type VectorCase, vectors } from "./support.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const TYPES: { readonly [kind: string]: number } = {
  clientHello: 1,
  serverHello: 2,
  tensorRequest: 3,
  tensorData: 5,
  tensorDataEnd: 6,
  ping: 10,
  rdmaRegister: 12,
  rdmaReady: 13,
};

/** A message in the words of the manifest. */
function asManifest({ kind, ...fields }: Message): Record<string, unknown> {
  const facts: Record<string, unknown> = { type: TYPES[kind] };
  for (const [name, value] of Object.entries(fields)) {
    if (name === "data") facts["dataLength"] = (value as Uint8Array).byteLength;
    else if (name === "layouts" || name === "preferredLayouts") {
      const list = value as { tag: number; metadata?: Uint8Array }[];
      facts[name] = list.map(({ tag, metadata }) => (metadata ? { tag, metadata: hex(metadata) } : { tag }));
    } else if (value instanceof Uint8Array) facts[name] = hex(value);
    else facts[name] = typeof value === "bigint" ? Number(value) : value;
  }
  return facts;
}

describe("messages", () => {
  for (const c of vectors("message")) {
    test(`${c.id}: decode equals the manifest, encode gives the same bytes`, () => {
      const bytes = bytesOf(c);
      const message = decodeMessage(bytes);
      expect(asManifest(message)).toEqual(c.expect);
      expect(encodeMessage(message)).toEqual(bytes);
    });
  }
});

/** Whose messages the exchange holds, and from when on. */
function side(c: VectorCase): { from: "server" | "client"; greeted: boolean } {
  const { direction } = c as unknown as { direction: string };
  return { from: direction.startsWith("server") ? "server" : "client", greeted: direction.includes("after") };
}

async function received(bytes: Uint8Array, c: VectorCase, chunk: number): Promise<ReceivedItem[]> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunk) chunks.push(bytes.subarray(at, at + chunk));
  const items: ReceivedItem[] = [];
  for await (const item of receiveItems(chunks, side(c))) items.push(item);
  return items;
}

describe("exchanges", () => {
  for (const c of vectors("exchange")) {
    for (const chunk of [1, 13, 1 << 20]) {
      test(`${c.id}, ${chunk} bytes at a time: the tensors arrive whole`, async () => {
        const items = await received(bytesOf(c), c, chunk);
        expect(items).toHaveLength(c.expect.tensors);
        const buffers = items.flatMap(({ item }) => ("buffers" in item ? item.buffers.map(hex) : []));
        if (c.expect.data !== undefined) expect(buffers).toEqual([c.expect.data]);
        if (c.expect.buffers !== undefined) expect(buffers).toEqual(c.expect.buffers);
      });
    }

    test(`${c.id}: every message is written again byte for byte`, async () => {
      const bytes = bytesOf(c);
      const again: Uint8Array[] = [];
      for await (const message of readMessages([bytes])) again.push(encodeMessage(message));
      expect(new Uint8Array(Buffer.concat(again))).toEqual(bytes);
    });

    test(`R155 ${c.id}: cut anywhere it gives the tensors before the cut, then an error`, async () => {
      const bytes = bytesOf(c);
      const whole = await received(bytes, c, bytes.length);
      for (let length = 0; length < bytes.length; length++) {
        const items: ReceivedItem[] = [];
        let error: { rule?: string } | undefined;
        try {
          for await (const item of receiveItems([bytes.subarray(0, length)], side(c))) items.push(item);
        } catch (thrown) {
          error = thrown as { rule?: string };
        }
        expect(items).toEqual(whole.slice(0, items.length));
        if (error === undefined) expect(items.length).toBeLessThan(whole.length);
        else expect(error.rule).toBe("R155");
      }
    });
  }

  for (const c of vectors("invalid-exchange")) {
    const rule = c.spec.rule!.split(" ")[0];
    for (const chunk of [1, 1 << 20]) {
      test(`${rule} ${c.id}, ${chunk} bytes at a time, is refused`, async () => {
        const error = await thrown(() => received(bytesOf(c), c, chunk));
        expect(error.name).toBe("HurrayFormatError");
        expect(error["rule"]).toBe(rule);
        expect(typeof error["byteOffset"]).toBe("number");
      });
    }
  }
});
