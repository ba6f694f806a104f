import {
  INSTRUCTIONS,
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
const SIXTEEN = Array.from({ length: 16 }, (_, i) => i);
const IMMEDIATES = {
  none: [],
  i32: [-7],
  f32: [1.5],
  f64: [2.5],
  v128: [SIXTEEN],
  lane: [1],
  shuffle: [SIXTEEN.map((i) => 31 - i)],
  memory: [12],
  memoryLane: [12, 1],
} as const;

/** A module whose one function takes the instruction's operands as parameters and gives its results. */
function moduleOf(name: InstructionName): Uint8Array<ArrayBuffer> {
  const { from, to, immediate } = INSTRUCTIONS[name];
  const params = Object.fromEntries(from.map((type: ValueType, i: number) => [`p${i}`, type]));
  const module = new ModuleBuilder().memory({ minimum: 1 });
  module.function("it", params, to, (f, given) => {
    for (const local of Object.values(given) as Local[]) f.get(local);
    (f.op as (name: InstructionName, ...immediates: unknown[]) => void).call(f, name, ...IMMEDIATES[immediate]);
  });
  return module.toBytes();
}

describe("every instruction of the table", () => {
  test.each(names)("%s has the types that the engine gives it", (name) => {
    expect(() => new WebAssembly.Module(moduleOf(name))).not.toThrow();
  });

  test.each(names)("%s is what wabt reads, at its natural alignment", (name) => {
    const read = toolkit.readWasm(moduleOf(name), { simd: true });
    read.validate();
    const text = read.toText({});
    expect(text).toContain(`    ${name}`);
    expect(text).not.toContain("align=");
    if (INSTRUCTIONS[name].immediate.startsWith("memory")) expect(text).toContain("offset=12");
    read.destroy();
  });
});
