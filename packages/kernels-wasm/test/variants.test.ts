import { wasmMemory } from "@sw/buffer/wasm";
import { expect, test } from "vitest";
import type { ModuleBuilder } from "../src/assembler/index.js";
import { Variants } from "../src/variants.js";

type Store = { readonly store: (at: number, value: number) => void };

const build = (module: ModuleBuilder): void => {
  module.function("store", { at: "i32", value: "i32" }, [], (f, { at, value }) => f.get(at).get(value).op("i32.store"));
};

test.each([false, ...(typeof SharedArrayBuffer === "undefined" ? [] : [true])])(
  "a structure is compiled once, and works on the memory (shared: %s)",
  (shared) => {
    const memory = wasmMemory({ initialBytes: 65536, maximumBytes: 2 ** 20, shared });
    const variants = new Variants(memory);
    let built = 0;
    const get = (key: string): Store =>
      variants.get<Store>(key, (module) => {
        built++;
        build(module);
      });
    get("first").store(64, 7);
    expect(new Int32Array(memory.memory.buffer)[16]).toBe(7);
    expect(get("first")).toBe(get("first"));
    expect(get("second")).not.toBe(get("first"));
    expect(built).toBe(2);
  },
);

test("two memories share no instance", () => {
  const memories = [wasmMemory({ initialBytes: 65536 }), wasmMemory({ initialBytes: 65536 })] as const;
  const [a, b] = memories.map((memory) => new Variants(memory).get<Store>("store", build)) as [Store, Store];
  a.store(64, 1);
  b.store(64, 2);
  expect(memories.map(({ memory }) => new Int32Array(memory.buffer)[16])).toEqual([1, 2]);
});

test("what does not compile is not kept", () => {
  const variants = new Variants(wasmMemory({ initialBytes: 65536 }));
  const fail = (): never => {
    throw new TypeError("no such kernel");
  };
  expect(() => variants.get("it", fail)).toThrow("no such kernel");
  expect(variants.get<Store>("it", build).store).toBeTypeOf("function");
});
