import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat } from "../kernels/loops.js";

/** From so many bytes on, the host's own copy is faster than a loop of vectors. */
const LONG_RUN = 512;

const RUNS = { rows: "i32", bytes: "i32", to: "i32", toRow: "i32", from: "i32", fromRow: "i32" } as const;

/** Emits a copy of `rows` (at least 1) times a run of `bytes` (at least 16), with a step between rows on both sides. */
export function emitCopyRuns(module: ModuleBuilder, name: string): void {
  module.function(name, RUNS, [], (f, p) => {
    const at = f.local("i32", "at");
    repeat(f, p.rows, () => {
      f.get(p.bytes).i32(LONG_RUN).op("i32.ge_u");
      f.if(
        () => f.get(p.to).get(p.from).get(p.bytes).op("memory.copy"),
        () =>
          eachVector(f, at, p.bytes, () => {
            f.get(p.to).get(at).op("i32.add");
            f.get(p.from).get(at).op("i32.add").op("v128.load").op("v128.store");
          }),
      );
      advanceBy(f, p.to, p.toRow);
      advanceBy(f, p.from, p.fromRow);
    });
  });
}

/** Emits runs of one element each: as `emitCopyRuns`, where a source is an element of `size` bytes, 1, 2, 4 or 8. */
export function emitFillRuns(module: ModuleBuilder, name: string): void {
  module.function(name, { ...RUNS, size: "i32" }, [], (f, p) => {
    const at = f.local("i32", "at");
    const element = f.local("v128", "element");
    const splat = (sizes: readonly (readonly [number, "8" | "16" | "32"])[]): void => {
      const [first, ...rest] = sizes;
      if (first === undefined) {
        f.get(p.from).op("v128.load64_splat").set(element);
        return;
      }
      f.get(p.size).i32(first[0]).op("i32.eq");
      f.if(
        () => f.get(p.from).op(`v128.load${first[1]}_splat`).set(element),
        () => splat(rest),
      );
    };
    repeat(f, p.rows, () => {
      splat([
        [4, "32"],
        [2, "16"],
        [1, "8"],
      ]);
      eachVector(f, at, p.bytes, () => f.get(p.to).get(at).op("i32.add").get(element).op("v128.store"));
      advanceBy(f, p.to, p.toRow);
      advanceBy(f, p.from, p.fromRow);
    });
  });
}

/** Runs the body at every vector of a run; the last one may cover part of that before it. */
function eachVector(f: FunctionBuilder, at: Local<"i32">, bytes: Local<"i32">, body: () => void): void {
  f.i32(0).set(at);
  f.loop((top) => {
    body();
    advance(f, at, 16);
    f.get(at).i32(16).op("i32.add").get(bytes).op("i32.le_u").brIf(top);
  });
  // What is left is shorter than a vector.
  f.get(at).get(bytes).op("i32.lt_u");
  f.if(() => {
    f.get(bytes).i32(16).op("i32.sub").set(at);
    body();
  });
}
