import type { ModuleBuilder } from "../assembler/index.js";
import { advanceBy, repeat } from "../kernels/loops.js";

/**
 * Emits a copy of `rows` × `count` elements of 4 bytes (both at least 1), bit for bit, in which both sides have a step
 * for each loop, in bytes: what gathers operands of any strides into a block, and scatters a block.
 */
export function emitMove(module: ModuleBuilder, name: string): void {
  module.function(
    name,
    {
      rows: "i32",
      count: "i32",
      to: "i32",
      toRow: "i32",
      toStep: "i32",
      from: "i32",
      fromRow: "i32",
      fromStep: "i32",
    },
    [],
    (f, p) => {
      const left = f.local("i32", "left");
      const target = f.local("i32", "target");
      const source = f.local("i32", "source");
      repeat(f, p.rows, () => {
        f.get(p.to).set(target);
        f.get(p.from).set(source);
        f.get(p.count).set(left);
        repeat(f, left, () => {
          f.get(target).get(source).op("i32.load").op("i32.store");
          advanceBy(f, target, p.toStep);
          advanceBy(f, source, p.fromStep);
        });
        advanceBy(f, p.to, p.toRow);
        advanceBy(f, p.from, p.fromRow);
      });
    },
  );
}
