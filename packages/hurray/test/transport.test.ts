import { expect, test } from "vitest";
import { connect, memoryStore, serve } from "../src/transport/index.js";
import { thrown } from "./support.js";
import { bytesTensor, channelPair, expectSame, piecesOf } from "./support-transport.js";

test("a client gets what a server has, byte for byte, and what it puts is there", async () => {
  const { client: channel, server } = channelPair(piecesOf(7));
  const store = memoryStore({ w: bytesTensor(100_000), empty: bytesTensor(0) });
  const served = serve(server, store);
  const client = await connect(channel);
  const [w, empty] = await Promise.all([client.get("w"), client.get("empty")]);
  expectSame(w, bytesTensor(100_000));
  expectSame(empty, bytesTensor(0));
  await client.put("v", w);
  expectSame(store.items.get("v"), w);
  await client.ping();
  expect(await thrown(() => client.get("none"))).toMatchObject({ code: "SW_HURRAY_PEER", errorCode: 2 });
  await client.close();
  await served;
});
