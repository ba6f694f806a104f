import { wasmMemory } from "@sw/buffer/wasm";
import { hasWasmSimd, type WasmLoadError, wasmKernels, wasmKernelsSync } from "@sw/kernels-wasm";
import { afterEach, describe, expect, test, vi } from "vitest";
import wabt from "wabt";
import { assembleCore } from "../src/kernels/core.js";
import { noise, place, values } from "./operands.js";

afterEach(() => vi.unstubAllGlobals());

async function failure(run: () => unknown): Promise<WasmLoadError> {
  try {
    await run();
  } catch (error) {
    return error as WasmLoadError;
  }
  throw new Error("it loaded");
}

/** A host that refuses vectors as Node 14 does: validation says no, compilation throws. */
function hostWithoutVectors(): object {
  return {
    validate: () => false,
    Module: class {
      constructor() {
        throw new WebAssembly.CompileError("invalid value type 'Simd128'");
      }
    },
  };
}

describe("loading", () => {
  test("bytes and a compiled module serve as well as what the package carries", async () => {
    const bytes = assembleCore();
    const module = new WebAssembly.Module(bytes);
    for (const source of [bytes, bytes.buffer, module]) {
      expect(wasmKernelsSync({ module: source }).name).toBe("wasm");
      expect((await wasmKernels({ module: source })).name).toBe("wasm");
    }
  });

  test("base64 is decoded alike by hosts with and without a decoder", () => {
    const decoders = [
      { Buffer: undefined },
      {
        Uint8Array: Object.assign(class extends Uint8Array {}, {
          fromBase64: (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)),
        }),
      },
    ];
    for (const globals of decoders) {
      for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
      expect(wasmKernelsSync({ initialBytes: 2 ** 21 }).name).toBe("wasm");
      vi.unstubAllGlobals();
    }
  });

  test("the probe is a module with a vector in it", async () => {
    expect(hasWasmSimd()).toBe(true);
    const seen: Uint8Array[] = [];
    vi.stubGlobal("WebAssembly", { validate: (bytes: Uint8Array) => seen.push(bytes) > 0 });
    hasWasmSimd();
    vi.unstubAllGlobals();
    const read = (await wabt()).readWasm(seen[0]!, { simd: true });
    read.validate();
    expect(read.toText({})).toContain("v128.const");
  });

  test("a host without vectors gives a typed error with the host's own as its cause", async () => {
    const host = hostWithoutVectors();
    const CompileError = WebAssembly.CompileError;
    for (const run of [() => wasmKernelsSync(), () => wasmKernels()]) {
      vi.stubGlobal("WebAssembly", { ...host, CompileError });
      const error = await failure(run);
      expect(error).toMatchObject({ name: "WasmLoadError", code: "SW_WASM_UNSUPPORTED" });
      expect(error.cause).toBeInstanceOf(CompileError);
    }
    expect(hasWasmSimd()).toBe(false);
  });

  test("a host without WebAssembly gives the same error", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const error = await failure(() => wasmKernelsSync());
    expect(error).toMatchObject({ code: "SW_WASM_UNSUPPORTED" });
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.message).toBe(
      "wasmKernelsSync: the kernels need WebAssembly with 128-bit vectors: got a host without WebAssembly, expected Node 16.4, Chrome 91, Firefox 89, Safari 16.4 or later. Use jsKernels of @sw/kernels-js alone.",
    );
  });

  test("a module that is none, or another one, is refused with the reason", async () => {
    const other = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    for (const load of [wasmKernelsSync, wasmKernels]) {
      const broken = await failure(() => load({ module: new Uint8Array([1, 2, 3]) }));
      expect(broken).toMatchObject({ code: "SW_WASM_MODULE" });
      expect(broken.cause).toBeInstanceOf(WebAssembly.CompileError);
      const foreign = await failure(() => load({ module: other }));
      expect(foreign).toMatchObject({ code: "SW_WASM_MODULE" });
      expect(foreign.message).toContain("exports, move4, turn4, copyRuns among them; it is another module");
    }
    const cut = assembleCore().slice(0, -10);
    expect(await failure(() => wasmKernelsSync({ module: cut }))).toMatchObject({ code: "SW_WASM_MODULE" });
  });
});

describe.runIf(typeof SharedArrayBuffer !== "undefined")("a shared memory", () => {
  test("the module links with one of any maximum, at once or later", async () => {
    for (const maximumBytes of [2 ** 22, 2 ** 32]) {
      const options = { initialBytes: 2 ** 21, maximumBytes, shared: true };
      expect(wasmKernelsSync({ memory: wasmMemory(options) }).name).toBe("wasm");
      expect((await wasmKernels({ memory: wasmMemory(options) })).name).toBe("wasm");
    }
  });

  test("field case 8: a window of before the memory grew is still in place, and so is one of after", () => {
    const memory = wasmMemory({ initialBytes: 2 ** 21, shared: true });
    const backend = wasmKernelsSync({ memory });
    const x = place(memory, [8], noise(1));
    const before = memory.epoch;
    const y = place(memory, [2 ** 20], noise(2));
    expect(memory.epoch).toBeGreaterThan(before);
    for (const operand of [x, y]) backend.kernels.neg([operand], [operand], [], []);
    expect(values(x)).toEqual(Array.from({ length: 8 }, (_, i) => -noise(1)(i)));
    expect(y.data[y.offset]).toBe(-noise(2)(0));
    expect(backend.staged).toEqual({});
  });
});
