import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { arange } from "@sw/tensor";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpSource } from "../src/http/index.js";
import { encodeHurray, openHurray } from "../src/index.js";
import { thrown } from "./support.js";

const W = arange(1_000_000);
const BYTES = encodeHurray({ w: W, small: arange(3) }, { metadata: { seed: 7n } });
let server: Server;
let base = "";
let requests = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests++;
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (request.url === "/whole" || range === null) {
      response.end(BYTES);
      return;
    }
    const start = Number(range[1]);
    const end = Math.min(Number(range[2]) + 1, BYTES.byteLength);
    response.writeHead(206, {
      "content-range": `bytes ${start}-${end - 1}/${BYTES.byteLength}`,
      "content-length": end - start,
      etag: '"a"',
    });
    // A server that hangs up in the middle of every large answer.
    if (request.url === "/torn" && end - start > 100_000) {
      response.write(BYTES.subarray(start, start + 100_000), () => response.destroy());
      return;
    }
    response.end(BYTES.subarray(start, end));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test("a tensor comes from a server, in parts, and over a connection that breaks", async () => {
  for (const path of ["/file", "/torn"]) {
    const source = await httpSource(`${base}${path}`, { partBytes: 1_000_000, delay: async () => {} });
    const file = await openHurray(source);
    expect([file.names(), file.metadata]).toEqual([["w", "small"], { seed: 7n }]);
    const w = await file.tensor("w");
    expect(Buffer.compare(w.buffer.view(Uint8Array), W.buffer.view(Uint8Array))).toBe(0);
    await file.close();
    expect((await thrown(() => file.tensor("small")))["code"]).toBe("SW_HURRAY_CLOSED");
  }
});

test("one small tensor costs a handful of requests", async () => {
  requests = 0;
  const file = await openHurray(await httpSource(`${base}/file`));
  expect((await file.tensor("small")).toArray()).toEqual([0, 1, 2]);
  expect(requests).toBeLessThanOrEqual(6);
});

test("SW_HURRAY_RANGES_IGNORED a server that knows no ranges, or its whole file", async () => {
  expect((await thrown(() => httpSource(`${base}/whole`)))["code"]).toBe("SW_HURRAY_RANGES_IGNORED");
  const file = await openHurray(await httpSource(`${base}/whole`, { whole: "allow" }));
  expect((await file.tensor("small")).toArray()).toEqual([0, 1, 2]);
});

test("a server that is not there is an error with its cause", async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const error = await thrown(() => httpSource(`http://127.0.0.1:${port}/x`, { retries: 1, delay: async () => {} }));
  expect([error["code"], error.cause instanceof Error]).toEqual(["SW_HURRAY_HTTP", true]);
});
