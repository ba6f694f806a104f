import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "../kernels/loops.js";

/** How elements of float32 come together. Totals are of float64, so that nothing is lost between blocks. */
export interface Fold {
  readonly name: string;
  readonly operation: "add" | "max" | "min";
}

/** Vectors that a block of a row has for each accumulator: few enough for sums in float32 to stay within 18 roundings. */
const BLOCK_TURNS = 16;
const ACCUMULATORS = 8;
const VECTOR_BYTES = 16;
const ELEMENT_BYTES = 4;
const TOTAL_BYTES = 8;

type Load = "v128.load" | "v128.load32_zero" | "v128.load32_splat";

/** What a lane holds that has no element: nothing for a sum, the last one again for an extreme. */
function lastLoad({ operation }: Fold): Load {
  return operation === "add" ? "v128.load32_zero" : "v128.load32_splat";
}

/**
 * Emits `rows, count, totals, x, xRow`: folds each of `rows` contiguous rows of `count` elements (both at least 1) into the
 * total beside it. A row goes in blocks of 512 elements, each of which is folded in float32 by eight accumulators and then
 * pairwise; blocks come together in float64. Rows are `xRow` bytes apart.
 */
export function emitFoldRows(module: ModuleBuilder, fold: Fold): void {
  const lane = `f32x4.${fold.operation}` as const;
  const wide = `f64x2.${fold.operation}` as const;
  module.function(
    `${fold.name}Rows`,
    { rows: "i32", count: "i32", totals: "i32", x: "i32", xRow: "i32" },
    [],
    (f, p) => {
      const at = f.local("i32", "at");
      const left = f.local("i32", "left");
      const turns = f.local("i32", "turns");
      const total = f.local("v128", "total");
      const sums = Array.from({ length: ACCUMULATORS }, (_, i) => f.local("v128", `sum${i}`));
      const first = sums[0]!;
      const widen = (): void => {
        f.get(total).get(first).op("f64x2.promote_low_f32x4").op(wide);
        f.get(first).get(first).op("i8x16.shuffle", UPPER).op("f64x2.promote_low_f32x4").op(wide).set(total);
      };
      const block = (): void => {
        sums.forEach((sum, i) => {
          f.get(at)
            .op("v128.load", i * VECTOR_BYTES)
            .set(sum);
        });
        advance(f, at, ACCUMULATORS * VECTOR_BYTES);
        f.get(left).i32(5).op("i32.shr_u").i32(1).op("i32.sub").set(turns);
        f.get(turns)
          .i32(BLOCK_TURNS - 1)
          .get(turns)
          .i32(BLOCK_TURNS - 1)
          .op("i32.lt_u")
          .select()
          .set(turns);
        f.get(left).get(turns).i32(1).op("i32.add").i32(5).op("i32.shl").op("i32.sub").set(left);
        repeatIfAny(f, turns, () => {
          sums.forEach((sum, i) => {
            f.get(sum)
              .get(at)
              .op("v128.load", i * VECTOR_BYTES)
              .op(lane)
              .set(sum);
          });
          advance(f, at, ACCUMULATORS * VECTOR_BYTES);
        });
        for (let half = ACCUMULATORS / 2; half >= 1; half /= 2) {
          for (let i = 0; i < half; i++)
            f.get(sums[i]!)
              .get(sums[i + half]!)
              .op(lane)
              .set(sums[i]!);
        }
        widen();
      };
      repeat(f, p.rows, () => {
        f.get(p.x).set(at);
        f.get(p.count).set(left);
        // The second half begins with nothing, or with the same.
        f.get(p.totals)
          .op(fold.operation === "add" ? "v128.load64_zero" : "v128.load64_splat")
          .set(total);
        f.loop((top) => {
          f.get(left)
            .i32(ACCUMULATORS * 4)
            .op("i32.ge_u");
          f.if(() => {
            block();
            f.br(top);
          });
        });
        for (const [load, elements] of [
          ["v128.load", 4],
          [lastLoad(fold), 1],
        ] as const) {
          if (elements === 4) f.get(left).i32(2).op("i32.shr_u").set(turns);
          else f.get(left).i32(3).op("i32.and").set(turns);
          f.get(turns).if(() => {
            f.get(at).op(load).set(first);
            advance(f, at, elements * ELEMENT_BYTES);
            advance(f, turns, -1);
            repeatIfAny(f, turns, () => {
              f.get(first).get(at).op(load).op(lane).set(first);
              advance(f, at, elements * ELEMENT_BYTES);
            });
            widen();
          });
        }
        f.get(p.totals);
        f.get(total).op("f64x2.extract_lane", 0).get(total).op("f64x2.extract_lane", 1).op(`f64.${fold.operation}`);
        f.op("f64.store");
        advance(f, p.totals, TOTAL_BYTES);
        advanceBy(f, p.x, p.xRow);
      });
    },
  );
}

const UPPER = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7] as const;

/** Rows that come together in float32 before their columns' totals are touched. */
const GROUPS = [16, 4, 1] as const;

/**
 * Emits `columns, rows, totals, x, xRow`: folds each of `columns` contiguous columns, over `rows` (both at least 1), into
 * its total. Sixteen rows at a time come together pairwise in float32, and their result is folded in float64.
 */
export function emitFoldColumns(module: ModuleBuilder, fold: Fold): void {
  const lane = `f32x4.${fold.operation}` as const;
  const wide = `f64x2.${fold.operation}` as const;
  module.function(
    `${fold.name}Columns`,
    { columns: "i32", rows: "i32", totals: "i32", x: "i32", xRow: "i32" },
    [],
    (f, p) => {
      const column = f.local("i32", "column");
      const at = f.local("i32", "at");
      const total = f.local("i32", "total");
      const groups = f.local("i32", "groups");
      const left = f.local("i32", "left");
      const folded = f.local("v128", "folded");
      /** Puts the rows from `at` on, folded pairwise, on the stack. */
      const tree = (rows: number, load: Load): void => {
        if (rows === 1) {
          f.get(at).op(load);
          advanceBy(f, at, p.xRow);
          return;
        }
        tree(rows / 2, load);
        tree(rows / 2, load);
        f.op(lane);
      };
      const turn = (rows: number, load: Load): void => {
        f.get(column).set(at);
        tree(rows, load);
        f.set(folded);
        f.get(total).get(total).op("v128.load").get(folded).op("f64x2.promote_low_f32x4").op(wide);
        if (load === "v128.load") {
          f.op("v128.store");
          f.get(total).get(total).op("v128.load", 16);
          f.get(folded).get(folded).op("i8x16.shuffle", UPPER).op("f64x2.promote_low_f32x4").op(wide);
          f.op("v128.store", 16);
          advance(f, column, VECTOR_BYTES);
          advance(f, total, 4 * TOTAL_BYTES);
        } else {
          f.op("v128.store64_lane", 0, 0);
          advance(f, column, ELEMENT_BYTES);
          advance(f, total, TOTAL_BYTES);
        }
      };
      for (const rows of GROUPS) {
        if (rows === GROUPS[0]) f.get(p.rows).i32(Math.log2(rows)).op("i32.shr_u").set(groups);
        else f.get(p.rows).i32(Math.log2(rows)).op("i32.shr_u").i32(3).op("i32.and").set(groups);
        repeatIfAny(f, groups, () => {
          f.get(p.x).set(column);
          f.get(p.totals).set(total);
          f.get(p.columns).i32(2).op("i32.shr_u").set(left);
          repeatIfAny(f, left, () => turn(rows, "v128.load"));
          f.get(p.columns).i32(3).op("i32.and").set(left);
          repeatIfAny(f, left, () => turn(rows, lastLoad(fold)));
          f.get(p.x).get(p.xRow).i32(rows).op("i32.mul").op("i32.add").set(p.x);
        });
      }
    },
  );
}

/**
 * Emits `rows, count, totals, x, xRow, xStep`: folds rows of any steps in float64, element by element. What comes
 * together in float32 may overflow where float64 does not: this is what is right then.
 */
export function emitFoldAny(module: ModuleBuilder, fold: Fold): void {
  module.function(
    `${fold.name}Any`,
    { rows: "i32", count: "i32", totals: "i32", x: "i32", xRow: "i32", xStep: "i32" },
    [],
    (f, p) => {
      const at = f.local("i32", "at");
      const left = f.local("i32", "left");
      const total = f.local("f64", "total");
      repeat(f, p.rows, () => {
        f.get(p.x).set(at);
        f.get(p.count).set(left);
        f.get(p.totals).op("f64.load").set(total);
        repeat(f, left, () => {
          f.get(total).get(at).op("f32.load").op("f64.promote_f32").op(`f64.${fold.operation}`).set(total);
          advanceBy(f, at, p.xStep);
        });
        f.get(p.totals).get(total).op("f64.store");
        advance(f, p.totals, TOTAL_BYTES);
        advanceBy(f, p.x, p.xRow);
      });
    },
  );
}

/** Emits `fillTotals: count, totals, value`. */
export function emitFillTotals(module: ModuleBuilder): void {
  module.function("fillTotals", { count: "i32", totals: "i32", value: "f64" }, [], (f, p) => {
    repeat(f, p.count, () => {
      f.get(p.totals).get(p.value).op("f64.store");
      advance(f, p.totals, TOTAL_BYTES);
    });
  });
}

/**
 * Emits `storeTotals: count, out, outStep, totals, divisor`, which gives whether all totals are finite: each is divided
 * once, and rounded once.
 */
export function emitStoreTotals(module: ModuleBuilder): void {
  module.function(
    "storeTotals",
    { count: "i32", out: "i32", outStep: "i32", totals: "i32", divisor: "f64" },
    ["i32"],
    (f: FunctionBuilder, p) => {
      const total: Local<"f64"> = f.local("f64", "total");
      const finite = f.local("i32", "finite");
      f.i32(1).set(finite);
      repeat(f, p.count, () => {
        f.get(p.out).get(p.totals).op("f64.load").tee(total);
        f.get(p.divisor).op("f64.div").op("f32.demote_f64").op("f32.store");
        f.get(total).get(total).op("f64.sub").op("f64.const", 0).op("f64.eq").get(finite).op("i32.and").set(finite);
        advance(f, p.totals, TOTAL_BYTES);
        advanceBy(f, p.out, p.outStep);
      });
      f.get(finite);
    },
  );
}
