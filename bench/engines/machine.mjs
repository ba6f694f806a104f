import { ModuleBuilder } from "@sw/kernels-wasm/assembler";

const ACCUMULATORS = 12;
const TURNS = 100_000;

/** Not a library: what the machine allows, in the arithmetic and in the memory of WebAssembly. */
export function start() {
  return { version: "limits", prepare: (task) => task({ registers, stream }) };
}

/** Multiply and add that never leave the registers; the work is in flops. */
function registers() {
  const module = new ModuleBuilder();
  module.function("run", { turns: "i32", x: "f32" }, ["f32"], (f, { turns, x }) => {
    const factor = f.local("v128", "factor");
    const term = f.local("v128", "term");
    const sums = Array.from({ length: ACCUMULATORS }, (_, i) => f.local("v128", `sum${i}`));
    f.get(x).op("f32x4.splat").tee(factor).set(term);
    f.loop((top) => {
      for (const one of sums) f.get(one).get(factor).op("f32x4.mul").get(term).op("f32x4.add").set(one);
      f.get(turns).i32(1).op("i32.sub").tee(turns).brIf(top);
    });
    f.get(sums[0]);
    for (const one of sums.slice(1)) f.get(one).op("f32x4.add");
    f.op("f32x4.extract_lane", 0);
  });
  const { run } = new WebAssembly.Instance(new WebAssembly.Module(module.toBytes())).exports;
  return { run: () => run(TURNS, 1e-3), work: TURNS * ACCUMULATORS * 8, end() {} };
}

/** The sum of two arrays into a third, 64 bytes at a time: 12 bytes an element are moved; the work is in those. */
function stream(elements) {
  const bytes = Math.ceil(elements / 16) * 64;
  const module = new ModuleBuilder();
  module.memory({ minimum: Math.ceil((3 * bytes) / 65536) });
  module.function("run", { to: "i32", a: "i32", b: "i32", end: "i32" }, [], (f, { to, a, b, end }) => {
    f.loop((top) => {
      for (const offset of [0, 16, 32, 48]) {
        f.get(to)
          .get(a)
          .op("v128.load", offset)
          .get(b)
          .op("v128.load", offset)
          .op("f32x4.add")
          .op("v128.store", offset);
      }
      for (const pointer of [a, b, to]) f.get(pointer).i32(64).op("i32.add").set(pointer);
      f.get(to).get(end).op("i32.ne").brIf(top);
    });
  });
  const { run } = new WebAssembly.Instance(new WebAssembly.Module(module.toBytes())).exports;
  return { run: () => run(2 * bytes, 0, bytes, 3 * bytes), work: 12 * elements, end() {} };
}
