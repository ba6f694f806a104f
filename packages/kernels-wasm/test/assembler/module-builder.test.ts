import { AssemblerError, ModuleBuilder, memoryImport } from "@sw/kernels-wasm/assembler";
import { describe, expect, test } from "vitest";
import wabt from "wabt";

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof AssemblerError ? error.code : String(error);
  }
  return undefined;
}

describe("the module builder", () => {
  test("an empty module is the header alone", () => {
    const bytes = new ModuleBuilder().toBytes();
    expect([...bytes]).toEqual([0, 97, 115, 109, 1, 0, 0, 0]);
    expect(WebAssembly.validate(bytes)).toBe(true);
  });

  test("wabt writes the same module as text", async () => {
    const module = new ModuleBuilder();
    module.importMemory("env", "memory", { minimum: 1, maximum: 300 });
    module.function("add", { x: "i32", y: "i32" }, ["i32"], (f, { x, y }) => f.get(x).get(y).op("i32.add"));
    module.function("inner", { x: "i32", y: "i32" }, ["i32"], (f, { x }) => f.get(x), { exported: false });
    const read = (await wabt()).readWasm(module.toBytes(), {});
    read.validate();
    expect(read.toText({}).replaceAll(/\s+/g, " ").trim()).toBe(
      '(module (type (;0;) (func (param i32 i32) (result i32))) (import "env" "memory" (memory (;0;) 1 300)) ' +
        "(func (;0;) (type 0) (param i32 i32) (result i32) local.get 0 local.get 1 i32.add) " +
        '(func (;1;) (type 0) (param i32 i32) (result i32) local.get 0) (export "add" (func 0)))',
    );
    read.destroy();
  });

  test("data lies where it says at once, or where memory.init puts it", () => {
    const module = new ModuleBuilder().memory({ minimum: 1 }, "memory");
    module.data(new Uint8Array([1, 2, 3]), 8);
    const later = module.data(new Uint8Array([4, 5, 6]));
    module.function("fill", { at: "i32" }, [], (f, { at }) => f.get(at).i32(1).i32(2).op("memory.init", later));
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.toBytes()));
    const bytes = new Uint8Array((exports["memory"] as WebAssembly.Memory).buffer);
    expect([...bytes.slice(7, 16)]).toEqual([0, 1, 2, 3, 0, 0, 0, 0, 0]);
    (exports["fill"] as (at: number) => void)(12);
    expect([...bytes.slice(7, 16)]).toEqual([0, 1, 2, 3, 0, 5, 6, 0, 0]);
  });

  test("one module links with memories of every kind by an import section of its own", () => {
    const module = new ModuleBuilder().importMemory("env", "memory", { minimum: 0 });
    module.function("read", { at: "i32" }, ["i32"], (f, { at }) => f.get(at).op("i32.load"));
    const [before, after] = module.toParts();
    expect([...before, ...memoryImport("env", "memory", { minimum: 0 }), ...after]).toEqual([...module.toBytes()]);
    for (const limits of [{ minimum: 0 }, { minimum: 0, maximum: 9 }, { minimum: 0, maximum: 65536, shared: true }]) {
      const { shared = false } = { shared: false, ...limits };
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 9, shared });
      new Int32Array(memory.buffer)[3] = 42;
      const bytes = new Uint8Array([...before, ...memoryImport("env", "memory", limits), ...after]);
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
      expect((exports["read"] as (at: number) => number)(12)).toBe(42);
    }
  });

  test("a function that fails leaves the module as it was", () => {
    const module = new ModuleBuilder();
    module.function("good", {}, [], () => {});
    const before = module.toBytes();
    expect(codeOf(() => module.function("bad", { x: "f64" }, ["i32"], () => {}))).toBe("SW_WASM_ASM_STACK");
    expect(module.toBytes()).toEqual(before);
  });

  test("a name is exported once", () => {
    const module = new ModuleBuilder();
    module.function("twice", {}, [], () => {});
    expect(codeOf(() => module.function("twice", {}, [], () => {}))).toBe("SW_WASM_ASM_MODULE");
  });

  test("there is one memory, with possible limits", () => {
    expect(codeOf(() => new ModuleBuilder().memory({ minimum: 1 }).memory({ minimum: 1 }))).toBe("SW_WASM_ASM_MODULE");
    for (const limits of [
      { minimum: 3, maximum: 2 },
      { minimum: -1 },
      { minimum: 0.5 },
      { minimum: 65537 },
      { minimum: 1, shared: true },
    ]) {
      expect(codeOf(() => new ModuleBuilder().importMemory("a", "b", limits))).toBe("SW_WASM_ASM_MODULE");
    }
  });

  test("imports come before functions, and the error says which one does not", () => {
    const module = new ModuleBuilder();
    module.function("f", {}, [], () => {});
    expect(() => module.importFunction("host", "late", { params: [], results: [] })).toThrow(
      'assemble importFunction: an import comes after a function: got "late" after 1 functions, expected imports first.',
    );
  });
});
