import type { FunctionReference, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "./loops.js";

/** Steps of the depth that one pass over the columns takes: as many lines of B are read at a time, each to its end. */
const LINES = 8;

/**
 * Emits a row times a matrix: `y = a · b` for `columns` columns that lie together, over `depth` (both at least 1), with
 * the steps of A and from row to row of B in bytes. Nothing is packed, since every element of B is used once. Terms are
 * added in the order of the depth, as in a tile.
 */
export function emitLineProduct(module: ModuleBuilder, name: string): void {
  const passes = [LINES, 1].map((lines) => ({
    lines,
    vectors: emitPass(module, `${name}Vectors${lines}`, lines, 4),
    singles: emitPass(module, `${name}Singles${lines}`, lines, 1),
  }));
  module.function(
    name,
    { columns: "i32", depth: "i32", y: "i32", a: "i32", aStep: "i32", b: "i32", bStep: "i32" },
    [],
    (f, p) => {
      const left = f.local("i32", "left");
      const whole = f.local("i32", "whole");
      const wholeBytes = f.local("i32", "wholeBytes");
      f.get(p.y).i32(0).get(p.columns).i32(2).op("i32.shl").op("memory.fill");
      f.get(p.columns).i32(2).op("i32.shr_u").tee(whole).i32(4).op("i32.shl").set(wholeBytes);
      f.get(p.columns).i32(3).op("i32.and").set(p.columns);
      for (const { lines, vectors, singles } of passes) {
        f.get(p.depth).i32(lines).op("i32.div_u").set(left);
        f.get(p.depth).i32(lines).op("i32.rem_u").set(p.depth);
        repeatIfAny(f, left, () => {
          f.get(whole).if(() => f.get(whole).get(p.y).get(p.a).get(p.aStep).get(p.b).get(p.bStep).call(vectors));
          f.get(p.columns).if(() => {
            f.get(p.columns).get(p.y).get(wholeBytes).op("i32.add").get(p.a).get(p.aStep);
            f.get(p.b).get(wholeBytes).op("i32.add").get(p.bStep).call(singles);
          });
          for (let line = 0; line < lines; line++) {
            advanceBy(f, p.a, p.aStep);
            advanceBy(f, p.b, p.bStep);
          }
        });
      }
    },
  );
}

/**
 * Emits one pass: `y += a · b` for `lines` steps of the depth, `lanes` columns at a time, `count` times. One loop is the
 * whole function: another one behind it keeps the pointers alive, and V8 then takes a fifth more time.
 */
function emitPass(module: ModuleBuilder, name: string, lines: number, lanes: 1 | 4): FunctionReference {
  const load = lanes === 4 ? "v128.load" : "v128.load32_zero";
  return module.function(
    name,
    { count: "i32", y: "i32", a: "i32", aStep: "i32", b: "i32", bStep: "i32" },
    [],
    (f, p) => {
      const pointers = Array.from({ length: lines }, (_, i) => f.local("i32", `line${i}`));
      const factors = pointers.map((_, i) => f.local("v128", `factor${i}`));
      const sum = f.local("v128", "sum");
      pointers.forEach((pointer, i) => {
        f.get(p.b).set(pointer);
        advanceBy(f, p.b, p.bStep);
        f.get(p.a).op("v128.load32_splat").set(factors[i]!);
        advanceBy(f, p.a, p.aStep);
      });
      repeat(f, p.count, () => {
        f.get(p.y).op(load).set(sum);
        for (const [i, pointer] of pointers.entries()) {
          f.get(sum).get(pointer).op(load).get(factors[i]!).op("f32x4.mul").op("f32x4.add").set(sum);
        }
        f.get(p.y).get(sum);
        if (lanes === 4) f.op("v128.store");
        else f.op("v128.store32_lane", 0, 0);
        for (const pointer of [p.y, ...pointers]) advance(f, pointer, lanes * 4);
      });
    },
    { exported: false },
  );
}
