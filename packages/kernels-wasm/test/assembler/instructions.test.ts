import {
  INSTRUCTIONS,
  type Instruction,
  type InstructionName,
  type Local,
  ModuleBuilder,
  type ValueType,
} from "@sw/kernels-wasm/assembler";
import { beforeAll, describe, expect, test } from "vitest";
import wabt from "wabt";

type Wabt = Awaited<ReturnType<typeof wabt>>;
let toolkit: Wabt;
beforeAll(async () => {
  toolkit = await wabt();
});

const names = Object.keys(INSTRUCTIONS) as InstructionName[];
const LETTERS: { readonly [letter: string]: ValueType } = { i: "i32", l: "i64", f: "f32", d: "f64", v: "v128" };
const SIXTEEN = Array.from({ length: 16 }, (_, i) => i);
const IMMEDIATES = {
  i32: [-7],
  i64: [-(2n ** 40n)],
  f32: [1.5],
  f64: [2.5],
  v128: [SIXTEEN],
  lane: [1],
  shuffle: [SIXTEEN.map((i) => 31 - i)],
  memory: [12],
  memoryLane: [12, 1],
  memories: [],
  segment: [{ index: 0 }],
} as const;

/** A module whose one function takes the instruction's operands as parameters and gives its results. */
function moduleOf(name: InstructionName): Uint8Array<ArrayBuffer> {
  const [, types, immediate]: Instruction = INSTRUCTIONS[name];
  const [from, to] = types.split(">").map((side) => Array.from(side, (letter) => LETTERS[letter]!));
  const params = Object.fromEntries(from!.map((type, i) => [`p${i}`, type]));
  const module = new ModuleBuilder().memory({ minimum: 1, maximum: 1, shared: name.includes("atomic") });
  module.data(new Uint8Array(4));
  module.function("it", params, to!, (f, given) => {
    for (const local of Object.values(given) as Local[]) f.get(local);
    const immediates = immediate === undefined ? [] : IMMEDIATES[immediate];
    (f.op as unknown as (name: string, ...immediates: readonly unknown[]) => void).call(f, name, ...immediates);
  });
  return module.toBytes();
}

describe("every instruction of the table", () => {
  test("all 236 of the vectors are there, and no opcode twice", () => {
    expect(names.filter((name) => !name.includes("relaxed") && /x\d|v128/.test(name))).toHaveLength(236);
    expect(new Set(names.map((name) => INSTRUCTIONS[name][0])).size).toBe(names.length);
  });

  test.each(names.filter((name) => !name.includes("relaxed")))("%s has the types that the engine gives it", (name) => {
    expect(() => new WebAssembly.Module(moduleOf(name))).not.toThrow();
  });

  test.each(names)("%s is what wabt reads, at its natural alignment", (name) => {
    const features = { threads: true, relaxed_simd: true };
    const read = toolkit.readWasm(moduleOf(name), features);
    // Its types say that nothing is given; without the features shared memories are refused.
    (read.validate as (features: object) => void).call(read, features);
    const text = read.toText({});
    expect(text).toMatch(new RegExp(`^ {4}${name.replaceAll(".", "\\.")}\\b(?!\\.)`, "m"));
    expect(text).not.toContain("align=");
    if (/^memory(Lane)?$/.test((INSTRUCTIONS[name] as Instruction)[2] ?? "")) expect(text).toContain("offset=12");
    read.destroy();
  });
});
