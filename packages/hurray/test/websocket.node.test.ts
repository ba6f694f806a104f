import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { attachWebSocket } from "../src/node/index.js";
import { connect, memoryStore, webSocketChannel } from "../src/transport/index.js";
import { thrown } from "./support.js";
import { bytesTensor, expectSame } from "./support-transport.js";

test("clients of a WebSocket server get and put, each for itself, and all see it close", async () => {
  const w = bytesTensor(5_000_000);
  const store = memoryStore({ w });
  const server = await new Promise<WebSocketServer>((resolve) => {
    const made: WebSocketServer = new WebSocketServer({ host: "127.0.0.1", port: 0 }, () => resolve(made));
  });
  attachWebSocket(server, store);
  const address = `ws://127.0.0.1:${server.address().port}`;
  const clients = await Promise.all([1, 2].map(() => connect(webSocketChannel(new WebSocket(address)))));
  await Promise.all(
    clients.map(async (client, k) => {
      expectSame(await client.get("w"), w);
      await client.put(`p${k}`, bytesTensor(100_000 * k));
      expect(await thrown(() => client.get("none"))).toMatchObject({ errorCode: 2 });
      await client.close();
    }),
  );
  expectSame(store.items.get("p1"), bytesTensor(100_000));
  await new Promise<void>((resolve) => server.close(resolve));
  const nobody = thrown(() => connect(webSocketChannel(new WebSocket(address))));
  expect(await nobody).toMatchObject({ code: "SW_HURRAY_DISCONNECTED" });
});
