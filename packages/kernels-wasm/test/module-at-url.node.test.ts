import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { wasmMemory } from "@sw/buffer/wasm";
import { wasmKernels, wasmKernelsSync } from "@sw/kernels-wasm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { assembleCore } from "../src/kernels/core.js";
import { noise, place, values } from "./operands.js";

const TYPES: { readonly [path: string]: string } = {
  "/kernels.wasm": "application/wasm",
  "/charset.wasm": "Application/WASM; charset=utf-8",
  "/plain.wasm": "application/octet-stream",
};

let server: Server;
let folder: string;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sw-wasm-"));
  await writeFile(join(folder, "kernels.wasm"), assembleCore());
  await writeFile(join(folder, "kernels.shared.wasm"), assembleCore(true));
  server = createServer((request, response) => {
    const type = TYPES[request.url ?? ""];
    if (type === undefined) response.writeHead(404).end("none");
    else response.writeHead(200, { "content-type": type }).end(assembleCore());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const file = (name: string): URL => pathToFileURL(join(folder, name));

/** The kernels negate eight numbers. */
async function works(module: URL, memory = wasmMemory({ initialBytes: 2 ** 21 })): Promise<void> {
  const backend = await wasmKernels({ memory, module });
  const x = place(memory, [8], noise(1));
  backend.kernels.neg([x], [x], [], []);
  expect(values(x)).toEqual(Array.from({ length: 8 }, (_, i) => -noise(1)(i)));
}

describe("a module at a URL", () => {
  test("of a server is compiled while it arrives where its type is named, else from its bytes", async () => {
    const streaming = vi.spyOn(WebAssembly, "compileStreaming");
    try {
      await works(new URL("/kernels.wasm", origin));
      expect(streaming).toHaveBeenCalledTimes(1);
      // Hosts refuse to compile a stream whose type has a parameter.
      for (const path of ["/charset.wasm", "/plain.wasm"]) await works(new URL(path, origin));
      expect(streaming).toHaveBeenCalledTimes(1);
    } finally {
      streaming.mockRestore();
    }
  });

  test("of a file, and in the URL itself", async () => {
    await works(file("kernels.wasm"));
    await works(file("kernels.shared.wasm"), wasmMemory({ initialBytes: 2 ** 21, shared: true }));
    await works(new URL(`data:application/wasm;base64,${Buffer.from(assembleCore()).toString("base64")}`));
  });

  test("that is not there, or of the other kind of memory, is refused and says why", async () => {
    await expect(wasmKernels({ module: new URL("/gone.wasm", origin) })).rejects.toMatchObject({
      code: "SW_WASM_MODULE",
      message: expect.stringContaining(`${origin}/gone.wasm answers with status 404`),
    });
    await expect(wasmKernels({ module: file("gone.wasm") })).rejects.toMatchObject({
      code: "SW_WASM_MODULE",
      cause: expect.objectContaining({ code: "ENOENT" }),
    });
    await expect(wasmKernels({ module: file("kernels.shared.wasm") })).rejects.toMatchObject({
      code: "SW_WASM_MODULE",
      message: expect.stringContaining("of shared memory where it is shared"),
    });
  });

  test("cannot be waited for by wasmKernelsSync", () => {
    expect(() => wasmKernelsSync({ module: file("kernels.wasm") })).toThrow(
      expect.objectContaining({ name: "WasmOptionError", code: "SW_WASM_OPTION", option: "module" }),
    );
  });
});
