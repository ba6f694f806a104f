import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { connectSocket, listen, type SocketAddress } from "../src/node/index.js";
import { memoryStore } from "../src/transport/index.js";
import { thrown } from "./support.js";
import { bytesTensor, expectSame } from "./support-transport.js";

const folder = mkdtempSync(join(tmpdir(), "sockets-"));
afterAll(() => rm(folder, { recursive: true }));

const PLACES: readonly (readonly [string, SocketAddress])[] = [
  ["TCP", { port: 0 }],
  ["Unix", { path: join(folder, "tensors") }],
];

for (const [name, place] of PLACES) {
  describe(`${name} sockets`, () => {
    test("many gets and puts at the same time bring what is there, and nothing stays open", async () => {
      const [w, v] = [bytesTensor(3_000_000), bytesTensor(10)];
      const store = memoryStore({ w, v });
      const server = await listen(store, place);
      const client = await connectSocket(server.address);
      const items = await Promise.all(
        Array.from({ length: 40 }, async (_, k) => {
          if (k % 4 === 0) await client.put(`p${k}`, bytesTensor(k * 1000));
          return client.get(k % 2 === 0 ? "v" : "w");
        }),
      );
      for (const [k, item] of items.entries()) expectSame(item, k % 2 === 0 ? v : w);
      expectSame(store.items.get("p36"), bytesTensor(36_000));
      await client.close();
      await server.close();
    });
    test("a server that closes ends its clients, and a client that leaves does not end the server", async () => {
      const server = await listen(memoryStore({ w: bytesTensor(10) }), place);
      const first = await connectSocket(server.address);
      const second = await connectSocket(server.address);
      await first.close();
      expect(await second.get("w")).toEqual(bytesTensor(10));
      await server.close();
      expect(await thrown(() => second.get("w"))).toMatchObject({ code: "SW_HURRAY_DISCONNECTED" });
      expect(await thrown(() => connectSocket(server.address))).toMatchObject({
        name: "HurrayPeerError",
        code: "SW_HURRAY_DISCONNECTED",
      });
    });
  });
}
