import type { Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeatIfAny } from "./loops.js";

/** Steps of the depth that one pass over the columns takes: as many lines of B are read at a time, each to its end. */
const LINES = 8;

/**
 * Emits a row times a matrix: `y = a · b` for `columns` columns that lie together, over `depth` (both at least 1), with
 * the steps of A and from row to row of B in bytes. Nothing is packed, since every element of B is used once. Terms are
 * added in the order of the depth, as in a tile.
 */
export function emitLineProduct(module: ModuleBuilder, name: string): void {
  module.function(
    name,
    { columns: "i32", depth: "i32", y: "i32", a: "i32", aStep: "i32", b: "i32", bStep: "i32" },
    [],
    (f, p) => {
      const y = f.local("i32", "yAt");
      const left = f.local("i32", "left");
      const groups = f.local("i32", "groups");
      const lines = Array.from({ length: LINES }, (_, i) => f.local("i32", `line${i}`));
      const factors = lines.map((_, i) => f.local("v128", `factor${i}`));
      const sum = f.local("v128", "sum");
      const zero = f.local("v128", "zero");
      const overColumns = (
        pointers: readonly Local<"i32">[],
        turn: (load: "v128.load" | "v128.load32_zero") => void,
      ): void => {
        f.get(p.y).set(y);
        for (const [load, bytes] of [
          ["v128.load", 16],
          ["v128.load32_zero", 4],
        ] as const) {
          f.get(p.columns);
          if (bytes === 16) f.i32(2).op("i32.shr_u");
          else f.i32(3).op("i32.and");
          f.set(left);
          repeatIfAny(f, left, () => {
            turn(load);
            f.get(y).get(sum);
            if (bytes === 16) f.op("v128.store");
            else f.op("v128.store32_lane", 0, 0);
            for (const pointer of [y, ...pointers]) advance(f, pointer, bytes);
          });
        }
      };
      const addLines = (count: number): void => {
        const here = lines.slice(0, count);
        here.forEach((line, i) => {
          f.get(p.b).set(line);
          advanceBy(f, p.b, p.bStep);
          f.get(p.a).op("v128.load32_splat").set(factors[i]!);
          advanceBy(f, p.a, p.aStep);
        });
        overColumns(here, (load) => {
          f.get(y).op(load);
          for (const [i, line] of here.entries()) f.get(line).op(load).get(factors[i]!).op("f32x4.mul").op("f32x4.add");
          f.set(sum);
        });
      };

      overColumns([], () => f.get(zero).set(sum));
      f.get(p.depth).i32(LINES).op("i32.div_u").set(groups);
      repeatIfAny(f, groups, () => addLines(LINES));
      f.get(p.depth).i32(LINES).op("i32.rem_u").set(groups);
      repeatIfAny(f, groups, () => addLines(1));
    },
  );
}
