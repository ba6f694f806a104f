import { AssemblerError, ModuleBuilder } from "@sw/kernels-wasm/assembler";
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
    for (const limits of [{ minimum: 3, maximum: 2 }, { minimum: -1 }, { minimum: 0.5 }, { minimum: 65537 }]) {
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
