import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openHurray, store } from "@sw/hurray";
import type { Descriptor } from "@sw/hurray/descriptor";
import { readItem } from "@sw/hurray/stream";
import { arange, tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { addressText, parseAddress } from "../src/address.js";
import { main } from "../src/main.js";
import { pathOf, putStream, putTensors, run, Written } from "./support.js";

/** Serves a file while a function runs; gives the exit code and what was written to stderr. */
async function serving(
  args: readonly string[],
  use: (address: string) => Promise<void>,
): Promise<{ code: number; err: string }> {
  const controller = new AbortController();
  const stderr = new Written();
  let code: Promise<number> | undefined;
  const address = await new Promise<string>((resolve, reject) => {
    const stdout = {
      write: (text: string): void => {
        const [, found] = / at (\S+)\n$/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      },
    };
    code = main(["serve", ...args], { stdout, stderr, signal: controller.signal });
    code.then((ended) => reject(new Error(`ended with ${ended}: ${stderr.text}`)), reject);
  });
  try {
    await use(address);
  } finally {
    controller.abort();
  }
  return { code: await code!, err: stderr.text };
}

describe("serve and fetch", () => {
  test("tensors by name over TCP, in the address or beside it, in another layout where that is asked for", async () => {
    const path = putTensors("m.hrry", { w: arange(16).reshape([4, 4]), "a b": tensor([1n]) });
    const ended = await serving([path], async (address) => {
      expect(address).toMatch(/^hurray:\/\/127\.0\.0\.1:\d+$/);
      const out = pathOf("out.hrry");
      expect(await run("fetch", `${address}/w`, "a b", "-o", out)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/: 2 items, 72 B of data\n$/),
      });
      expect((await run("diff", path, out)).code).toBe(0);
      expect((await run("fetch", `${address}/a%20b`, "-o", out)).code).toBe(0);
      expect((await run("ls", out)).out).toBe("a b\n");
      expect((await run("fetch", `${address}/w`, "w", "w", "-o", out)).out).toContain("1 item,");
      const json = await run("fetch", address, "w", "-o", out, "--layout", "csr", "--json");
      expect(JSON.parse(json.out)).toMatchObject({ tensors: [{ name: "w", layout: { kind: "csr", nnz: 15 } }] });
    });
    expect(ended).toEqual({ code: 0, err: "" });
  });

  test("over a Unix socket: composites whole, and files of other formats", async () => {
    const { descriptor, buffers } = store(tensor([1, 2]));
    const layout = { kind: "composite", rule: "group", combine: "none", memberCount: 2 } as const;
    const head: Descriptor = { ...descriptor, layout, buffers: [] };
    const path = await putStream("s.stream", {
      descriptor: head,
      members: [
        { descriptor, buffers },
        { descriptor, buffers },
      ],
    });
    await serving([path, "--listen", `unix:${pathOf("s.sock")}`], async (address) => {
      const out = pathOf("out.hrry");
      expect((await run("fetch", address, "#0", "-o", out)).code).toBe(0);
      const item = await readItem(await openHurray(readFileSync(out)), "#0");
      expect("members" in item && item.members.length).toBe(2);
    });
    const npz = pathOf("m.npz");
    await run("convert", putTensors("m.hrry", { w: tensor([5]) }), npz);
    await serving([npz], async (address) => {
      const out = pathOf("out.hrry");
      expect((await run("fetch", `${address}/w`, "-o", out)).code).toBe(0);
      expect((await run("cat", out)).out).toBe("[5.]\n");
    });
  });

  test("what is not there, code 3, and no file", async () => {
    const path = putTensors("m.hrry", { w: tensor([1]) });
    const out = pathOf("out.hrry");
    let address = "";
    await serving([path], async (at) => {
      address = at;
      expect((await run("fetch", at, "w", "v", "-o", out)).code).toBe(3);
      expect(existsSync(out)).toBe(false);
      expect((await run("fetch", at, "-o", out)).code).toBe(2);
    });
    expect(await run("fetch", `${address}/w`, "-o", out)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/ECONNREFUSED|nobody is there/),
    });
  });

  test("a port that is taken, code 3", async () => {
    const path = putTensors("m.hrry", { w: tensor([1]) });
    await serving([path], async (address) => {
      const { where } = parseAddress(address);
      const taken = "port" in where ? `127.0.0.1:${where.port}` : "";
      expect(await run("serve", path, "--listen", taken)).toMatchObject({
        code: 3,
        err: expect.stringContaining("EADDRINUSE"),
      });
    });
  });
});

describe("addresses", () => {
  test.each([
    ["hurray://localhost:7411", { where: { host: "localhost", port: 7411 } }],
    ["hurray://127.0.0.1:1/encoder/w%20x", { where: { host: "127.0.0.1", port: 1 }, key: "encoder/w x" }],
    ["example.org:80", { where: { host: "example.org", port: 80 } }],
    [":0", { where: { port: 0 } }],
    ["[::1]:9", { where: { host: "::1", port: 9 } }],
    ["unix:/run/x.sock", { where: { path: "/run/x.sock" } }],
  ])("%s", (text, address) => {
    expect(parseAddress(text)).toEqual(address);
    if (!("key" in address)) expect(parseAddress(addressText(address.where)).where).toMatchObject(address.where);
  });

  test.each(["", "localhost", "hurray://x", "x:99999", "unix:relative", "hurray://x:1/%zz"])(
    "%j is none",
    async (text) => {
      expect(() => parseAddress(text)).toThrow(/expected hurray:\/\//);
      expect((await run("fetch", text, "w", "-o", pathOf("x.hrry"))).code).toBe(2);
    },
  );
});

describe("files on the web", () => {
  /** A web server with one file, which gives parts of it. */
  async function web(path: string, use: (url: string) => Promise<void>): Promise<void> {
    const bytes = readFileSync(path);
    const server = createServer((request, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      if (request.url !== "/m.hrry") response.writeHead(404).end();
      else if (from === undefined) response.writeHead(200).end(bytes);
      else {
        const part = bytes.subarray(Number(from), Number(to) + 1);
        const range = `bytes ${from}-${Number(from) + part.byteLength - 1}/${bytes.byteLength}`;
        response.writeHead(206, { "content-range": range, "content-length": part.byteLength }).end(part);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await use(`http://127.0.0.1:${port}`);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  /** A server that sends some bytes of what it promised, and then nothing. */
  async function silent(sent: Uint8Array | undefined, use: (url: string) => Promise<void>): Promise<void> {
    const server = createServer((_request, response) => {
      if (sent === undefined) return;
      response.writeHead(206, { "content-range": "bytes 0-1023/9999", "content-length": 1024 });
      response.write(sent);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await use(`http://127.0.0.1:${port}/m.hrry`);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  test.each([
    ["no answer", undefined],
    ["a part of one", Uint8Array.of(72)],
  ])("--timeout ends the wait for a server that sends %s, in every command", async (_what, sent) => {
    await silent(sent, async (url) => {
      const out = pathOf("out.hrry");
      const commands = [
        ["ls", url],
        ["inspect", url],
        ["cat", url],
        ["verify", url],
        ["diff", url, url],
        ["convert", url, out],
        ["serve", url],
        ["fetch", url, "-o", out],
      ];
      const runs = await Promise.all(commands.map((args) => run(...args, "--timeout", "1")));
      for (const { code, err } of runs) {
        expect([code, err]).toEqual([
          3,
          `sw-hurray: ${url}: the server is silent: got nothing for 1 s, expected bytes. --timeout waits longer.\n`,
        ]);
      }
      expect(existsSync(out)).toBe(false);
    });
  });

  test("a server that sends slowly is not silent", async () => {
    const bytes = readFileSync(putTensors("m.hrry", { w: tensor([7]) }));
    let pause = 1100;
    const server = createServer(async (request, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range!)!;
      const part = bytes.subarray(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + part.byteLength - 1}/${bytes.byteLength}`;
      response.writeHead(206, { "content-range": range, "content-length": part.byteLength });
      const step = Math.ceil(part.byteLength / 3);
      for (let at = 0; at < part.byteLength; at += step) {
        response.write(part.subarray(at, at + step));
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      response.end();
      // The first answer takes longer than the time that is allowed for silence; the others need not.
      pause = 0;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await run("cat", `http://127.0.0.1:${port}/m.hrry`, "--timeout", "3")).toMatchObject({
      code: 0,
      out: "[7.]\n",
    });
    await new Promise((resolve) => server.close(resolve));
  });

  test("the reason why nobody answers is told", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { code, err } = await run("ls", `http://127.0.0.1:${port}/m.hrry`);
    expect([code, err.match(/ECONNREFUSED/g)]).toEqual([3, ["ECONNREFUSED"]]);
    expect(err.trimEnd()).not.toContain("\n");
    expect((await run("ls", "--debug", `http://127.0.0.1:${port}/m.hrry`)).err).toMatch(/\ncaused by .*ECONNREFUSED/);
  });

  test("are read by every command, and fetched whole or in part", async () => {
    const path = putTensors("m.hrry", { w: arange(5), b: tensor([7]) });
    await web(path, async (url) => {
      expect((await run("cat", `${url}/m.hrry`, "b")).out).toBe("[7.]\n");
      expect((await run("verify", `${url}/m.hrry`)).code).toBe(0);
      expect((await run("diff", path, `${url}/m.hrry`)).code).toBe(0);
      const out = pathOf("out.hrry");
      expect((await run("fetch", `${url}/m.hrry`, "-o", out)).code).toBe(0);
      expect((await run("diff", path, out)).code).toBe(0);
      expect((await run("fetch", `${url}/m.hrry`, "b", "b", "-o", out)).code).toBe(0);
      expect((await run("ls", out)).out).toBe("b\n");
      expect((await run("fetch", `${url}/m.hrry`, "x", "-o", out)).code).toBe(3);
      expect((await run("fetch", `${url}/m.hrry`, "b", "--layout", "csr", "-o", out)).code).toBe(2);
      expect(await run("ls", `${url}/nothing.hrry`)).toMatchObject({ code: 3, err: expect.stringContaining("404") });
    });
  });
});
