import type { FunctionReference, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "./loops.js";
import { HIGH, HIGH_HALVES, LOW, LOW_HALVES } from "./pack.js";

/** Columns that one pass takes, as many as there are sums in registers. */
const COLUMNS = 8;

/**
 * Emits a row times a matrix whose columns lie together: `y = a · b` over `depth`, along which both are contiguous;
 * columns are `bColumn` bytes apart. The counterpart of `emitLineProduct`: nothing is packed. A sum has four parts, one
 * for each lane, which are added in the end.
 */
export function emitDotProduct(module: ModuleBuilder, name: string): void {
  const passes = [COLUMNS, 1].map((columns) => ({
    columns,
    vectors: emitPass(module, `${name}Vectors${columns}`, columns, 4),
    singles: emitPass(module, `${name}Singles${columns}`, columns, 1),
  }));
  module.function(name, { columns: "i32", depth: "i32", y: "i32", a: "i32", b: "i32", bColumn: "i32" }, [], (f, p) => {
    const left = f.local("i32", "left");
    const whole = f.local("i32", "whole");
    const wholeBytes = f.local("i32", "wholeBytes");
    f.get(p.y).i32(0).get(p.columns).i32(2).op("i32.shl").op("memory.fill");
    f.get(p.depth).i32(2).op("i32.shr_u").tee(whole).i32(4).op("i32.shl").set(wholeBytes);
    f.get(p.depth).i32(3).op("i32.and").set(p.depth);
    for (const { columns, vectors, singles } of passes) {
      f.get(p.columns).i32(columns).op("i32.div_u").set(left);
      f.get(p.columns).i32(columns).op("i32.rem_u").set(p.columns);
      repeatIfAny(f, left, () => {
        f.get(whole).if(() => f.get(whole).get(p.y).get(p.a).get(p.b).get(p.bColumn).call(vectors));
        f.get(p.depth).if(() => {
          f.get(p.depth).get(p.y).get(p.a).get(wholeBytes).op("i32.add");
          f.get(p.b).get(wholeBytes).op("i32.add").get(p.bColumn).call(singles);
        });
        advance(f, p.y, columns * 4);
        f.get(p.bColumn).i32(columns).op("i32.mul").get(p.b).op("i32.add").set(p.b);
      });
    }
  });
}

/** Emits one pass: `y += a · b` for `columns` columns, `lanes` steps of the depth at a time, `count` times. */
function emitPass(module: ModuleBuilder, name: string, columns: number, lanes: 1 | 4): FunctionReference {
  const load = lanes === 4 ? "v128.load" : "v128.load32_zero";
  return module.function(
    name,
    { count: "i32", y: "i32", a: "i32", b: "i32", bColumn: "i32" },
    [],
    (f, p) => {
      const pointers = Array.from({ length: columns }, (_, i) => f.local("i32", `column${i}`));
      const sums = Array.from({ length: Math.max(columns, 4) }, (_, i) => f.local("v128", `sum${i}`));
      const factors = f.local("v128", "factors");
      for (const pointer of pointers) {
        f.get(p.b).set(pointer);
        advanceBy(f, p.b, p.bColumn);
      }
      repeat(f, p.count, () => {
        f.get(p.a).op(load).set(factors);
        for (const [i, pointer] of pointers.entries()) {
          f.get(sums[i]!).get(pointer).op(load).get(factors).op("f32x4.mul").op("f32x4.add").set(sums[i]!);
        }
        for (const pointer of [p.a, ...pointers]) advance(f, pointer, lanes * 4);
      });
      const inHalves = (first: number): void => {
        for (const interleave of [LOW, HIGH]) {
          f.get(sums[first]!)
            .get(sums[first + 1]!)
            .op("i8x16.shuffle", interleave);
        }
        f.op("f32x4.add").set(sums[first]!);
      };
      for (let four = 0; four < columns; four += 4) {
        const [low, high] = [sums[four]!, sums[four + 2]!];
        inHalves(four);
        inHalves(four + 2);
        f.get(p.y)
          .get(p.y)
          .op(columns === 1 ? "v128.load32_zero" : "v128.load", four * 4);
        f.get(low).get(high).op("i8x16.shuffle", LOW_HALVES);
        f.get(low).get(high).op("i8x16.shuffle", HIGH_HALVES);
        f.op("f32x4.add").op("f32x4.add");
        if (columns === 1) f.op("v128.store32_lane", 0, 0);
        else f.op("v128.store", four * 4);
      }
    },
    { exported: false },
  );
}
