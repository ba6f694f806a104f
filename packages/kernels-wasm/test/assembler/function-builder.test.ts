import {
  AssemblerError,
  type FunctionBuilder,
  type Label,
  type Local,
  ModuleBuilder,
} from "@sw/kernels-wasm/assembler";
import { describe, expect, test } from "vitest";

type Call = (...numbers: number[]) => number;

function run(module: ModuleBuilder): { readonly [name: string]: Call } {
  const compiled = new WebAssembly.Module(module.toBytes());
  return new WebAssembly.Instance(compiled).exports as unknown as { readonly [name: string]: Call };
}

function failure(
  build: (f: FunctionBuilder, x: Local<"i32">) => unknown,
  results: readonly "i32"[] = [],
): AssemblerError {
  try {
    new ModuleBuilder().function("broken", { x: "i32" }, results, (f, { x }) => build(f, x));
  } catch (error) {
    if (error instanceof AssemblerError) return error;
    throw error;
  }
  throw new Error("the function was assembled");
}

describe("functions that run", () => {
  test("arithmetic on parameters", () => {
    const module = new ModuleBuilder();
    module.function("f", { x: "f64", y: "f64" }, ["f64"], (f, { x, y }) =>
      f.get(x).get(y).op("f64.sub").op("f64.sqrt"),
    );
    expect(run(module)["f"]!(13, 4)).toBe(3);
  });

  test("a loop with a local: the sum of 1 to n", () => {
    const module = new ModuleBuilder();
    module.function("sum", { n: "i32" }, ["i32"], (f, { n }) => {
      const total = f.local("i32", "total");
      f.block((done) =>
        f.loop((again) => {
          f.get(n).op("i32.eqz").brIf(done);
          f.get(total).get(n).op("i32.add").set(total);
          f.get(n).i32(1).op("i32.sub").set(n).br(again);
        }),
      );
      f.get(total);
    });
    expect(run(module)["sum"]!(100)).toBe(5050);
  });

  test("an if with a result, and one with a single arm", () => {
    const module = new ModuleBuilder();
    module.function("absolute", { x: "i32" }, ["i32"], (f, { x }) => {
      f.get(x).i32(0).op("i32.lt_s");
      f.if(
        () => f.i32(0).get(x).op("i32.sub"),
        () => f.get(x),
        "i32",
      );
    });
    module.function("clip", { x: "i32" }, ["i32"], (f, { x }) => {
      f.get(x).i32(9).op("i32.gt_s");
      f.if(() => f.i32(9).set(x));
      f.get(x);
    });
    const { absolute, clip } = run(module);
    expect([absolute!(-5), absolute!(6), clip!(12), clip!(3)]).toEqual([5, 6, 9, 3]);
  });

  test("a block with a result that a branch brings", () => {
    const module = new ModuleBuilder();
    module.function("pick", { x: "i32" }, ["i32"], (f, { x }) =>
      f.block((end) => {
        f.i32(7).get(x).brIf(end).drop();
        f.i32(8);
      }, "i32"),
    );
    const { pick } = run(module);
    expect([pick!(1), pick!(0)]).toEqual([7, 8]);
  });

  test("calls, of functions that are not exported and of the host's", () => {
    const module = new ModuleBuilder();
    const host = module.importFunction("host", "triple", { params: ["i32"], results: ["i32"] });
    const inner = module.function("inner", { x: "i32" }, ["i32"], (f, { x }) => f.get(x).call(host), {
      exported: false,
    });
    module.function("outer", { x: "i32" }, ["i32"], (f, { x }) => f.get(x).call(inner).call(inner));
    const compiled = new WebAssembly.Module(module.toBytes());
    const { exports } = new WebAssembly.Instance(compiled, { host: { triple: (x: number) => 3 * x } });
    expect(Object.keys(exports)).toEqual(["outer"]);
    expect((exports["outer"] as Call)(2)).toBe(18);
  });

  test("return leaves early, and what follows it is not reached", () => {
    const module = new ModuleBuilder();
    module.function("early", { x: "i32" }, ["i32"], (f, { x }) => {
      f.get(x).if(() => f.i32(1).return());
      f.i32(2).return();
      f.op("i32.add");
    });
    const { early } = run(module);
    expect([early!(5), early!(0)]).toEqual([1, 2]);
  });

  test("select takes the first of two values of any type, or the second", () => {
    const module = new ModuleBuilder();
    module.function("pick", { x: "f64", y: "f64", first: "i32" }, ["f64"], (f, { x, y, first }) =>
      f.get(x).get(y).get(first).select(),
    );
    module.function("vector", { first: "i32" }, ["i32"], (f, { first }) => {
      f.i32(7).op("i32x4.splat").i32(8).op("i32x4.splat").get(first).select();
      f.op("i32x4.extract_lane", 3);
    });
    module.function("after", {}, ["f32"], (f) => f.op("f32.const", 2).return().select());
    const { pick, vector, after } = run(module);
    expect([pick!(1.5, 2.5, 1), pick!(1.5, 2.5, 0), vector!(1), vector!(0), after!()]).toEqual([1.5, 2.5, 7, 8, 2]);
  });

  test("integers of 64 bits: the high half of a product", () => {
    const module = new ModuleBuilder();
    module.function("high", { x: "i32", y: "i32" }, ["i32"], (f, { x, y }) => {
      f.get(x).op("i64.extend_i32_u").get(y).op("i64.extend_i32_u").op("i64.mul");
      f.op("i64.const", 32n).op("i64.shr_u").op("i32.wrap_i64");
    });
    expect(run(module)["high"]!(0xffffffff, 0xffffffff) >>> 0).toBe(0xfffffffe);
  });

  test("memory by offset and lane", () => {
    const module = new ModuleBuilder().memory({ minimum: 1, maximum: 2 }, "memory");
    module.function("swap", { at: "i32" }, [], (f, { at }) => {
      const v = f.local("v128", "v");
      f.get(at).op("v128.load", 16).set(v);
      f.get(at).get(v).op("v128.store32_lane", 16, 3);
      f.get(at).get(v).op("v128.store32_lane", 28, 0);
    });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module.toBytes()));
    const floats = new Float32Array((exports["memory"] as WebAssembly.Memory).buffer);
    floats.set([1, 2, 3, 4], 6);
    (exports["swap"] as Call)(8);
    expect([...floats.slice(5, 11)]).toEqual([0, 4, 2, 3, 1, 0]);
  });

  test("locals of many types keep their numbers", () => {
    const module = new ModuleBuilder();
    module.function("mix", { x: "f32" }, ["f32"], (f, { x }) => {
      const a = f.local("i32", "a");
      const b = f.local("f32", "b");
      const c = f.local("f32", "c");
      const d = f.local("v128", "d");
      f.i32(3).set(a);
      f.get(x).tee(b).op("f32x4.splat").set(d);
      f.get(d).op("f32x4.extract_lane", 2).set(c);
      f.get(b).get(c).op("f32.add");
    });
    expect(run(module)["mix"]!(1.25)).toBe(2.5);
  });
});

describe("functions that are wrong", () => {
  test("an operand of the wrong type names the function, the instruction and both types", () => {
    const error = failure((f, x) => f.get(x).op("f32.const", 1).op("i32.add"));
    expect(error).toMatchObject({
      name: "AssemblerError",
      code: "SW_WASM_ASM_STACK",
      functionName: "broken",
      instruction: "i32.add",
      position: 2,
    });
    expect(error.message).toBe(
      "assemble broken: i32.add (instruction 2): operand 2 has the wrong type: got f32, expected i32 (stack [i32,f32], expected [i32,i32]).",
    );
  });

  test.each([
    ["an operand is missing", (f: FunctionBuilder) => f.op("f32x4.add"), "f32x4.add", "got stack []"],
    ["nothing to drop", (f: FunctionBuilder) => f.drop(), "drop", "expected any value"],
    ["select of two types", (f: FunctionBuilder) => f.i32(1).op("f32.const", 1).i32(1).select(), "select", "got i32"],
    ["select of nothing", (f: FunctionBuilder) => f.i32(1).select(), "select", "expected any value"],
    ["a value is left", (f: FunctionBuilder) => f.i32(1), "end", "got [i32]"],
    ["a value is left in a loop", (f: FunctionBuilder) => f.loop(() => f.i32(1)), "end of loop", "got [i32]"],
    [
      "a block takes operands from outside",
      (f: FunctionBuilder) => f.i32(1).block(() => f.drop()),
      "drop",
      "got stack []",
    ],
    ["a condition is no i32", (f: FunctionBuilder) => f.op("f32.const", 1).if(() => {}), "if", "got f32, expected i32"],
    [
      "the arms of an if differ",
      (f: FunctionBuilder) =>
        f.i32(1).if(
          () => f.i32(1),
          () => f.op("f64.const", 1),
          "i32",
        ),
      "end of if",
      "got f64",
    ],
    [
      "an if with a result has one arm",
      (f: FunctionBuilder) => f.i32(1).if(() => f.i32(1), undefined, "i32"),
      "if",
      "else",
    ],
    [
      "a branch brings the wrong value",
      (f: FunctionBuilder) => f.block((end) => f.br(end), "f32"),
      "br",
      "expected [f32]",
    ],
    ["a store of the wrong type", (f: FunctionBuilder) => f.i32(0).i32(0).op("f32.store"), "f32.store", "got i32"],
    [
      "a return without the result",
      (f: FunctionBuilder) => f.op("f32.const", 1).set(f.local("i32", "n")),
      "local.set n",
      "got f32",
    ],
  ])("%s", (_, build, instruction, words) => {
    const error = failure(build);
    expect(error).toMatchObject({ code: "SW_WASM_ASM_STACK", instruction });
    expect(error.message).toContain(words);
  });

  test("a result is missing at the end, and at a return", () => {
    expect(failure((f, x) => f.get(x).drop(), ["i32"])).toMatchObject({ instruction: "end" });
    expect(failure((f) => f.return(), ["i32"])).toMatchObject({ instruction: "return" });
  });

  test("what a call takes is checked", () => {
    const module = new ModuleBuilder();
    const g = module.function("g", { x: "f32" }, [], () => {});
    expect(() => module.function("h", {}, [], (f) => f.i32(1).call(g))).toThrow(
      /assemble h: call g .*got i32, expected f32/,
    );
  });

  test("a label that is closed", () => {
    const error = failure((f) => {
      let kept: Label | undefined;
      f.block((label) => {
        kept = label;
      });
      f.br(kept!);
    });
    expect(error).toMatchObject({ code: "SW_WASM_ASM_LABEL", instruction: "br" });
    expect(error.message).toContain("got a block that has ended");
  });

  test("a variable of another function", () => {
    let kept: Local | undefined;
    new ModuleBuilder().function("first", { y: "i32" }, [], (_, { y }) => {
      kept = y;
    });
    const error = failure((f) => f.get(kept!));
    expect(error).toMatchObject({ code: "SW_WASM_ASM_LOCAL", instruction: "local.get" });
    expect(error.message).toContain('got "y"');
  });

  test.each([
    ["a lane", (f: FunctionBuilder) => f.op("f32x4.extract_lane", 4), "got 4, expected an integer from 0 to 3"],
    ["an offset", (f: FunctionBuilder) => f.i32(0).op("v128.load", -1), "byte offset is out of range: got -1"],
    ["a constant", (f: FunctionBuilder) => f.i32(2 ** 32), "got 4294967296"],
    ["a fraction", (f: FunctionBuilder) => f.i32(0.5), "got 0.5"],
    ["a vector", (f: FunctionBuilder) => f.op("v128.const", [1, 2]), "got 2, expected 16"],
    ["a shuffle", (f: FunctionBuilder) => f.op("i8x16.shuffle", new Array(16).fill(32)), "from 0 to 31"],
  ])("%s out of range", (_, build, words) => {
    const error = failure((f) => {
      const v = f.local("v128", "v");
      f.get(v).get(v);
      build(f);
    });
    expect(error).toMatchObject({ code: "SW_WASM_ASM_IMMEDIATE", functionName: "broken" });
    expect(error.message).toContain(words);
  });
});
