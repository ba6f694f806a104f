import type { FunctionBuilder, FunctionReference, Local, ModuleBuilder } from "../assembler/index.js";
import { TILE_COLUMNS, TILE_ROWS } from "./blocking.js";
import { advance, advanceBy, repeat } from "./loops.js";

const VECTORS = TILE_COLUMNS / 4;

/**
 * Emits the product of packed blocks: `c (+)= a · b` for `rows` × `columns` (both at least 1) over `depth` (0
 * gives zeros). `a` holds panels of TILE_ROWS, `b` panels of TILE_COLUMNS. Where a whole tile lies on contiguous
 * columns of `c` it is stored there; at the edges, and on other strides, it goes through `tile`.
 */
export function emitBlockProduct(module: ModuleBuilder, name: string): void {
  const multiplyTile = emitTile(module, `${name}Tile`);
  module.function(
    name,
    {
      rows: "i32",
      columns: "i32",
      depth: "i32",
      a: "i32",
      b: "i32",
      c: "i32",
      cRow: "i32",
      cColumn: "i32",
      tile: "i32",
      accumulate: "i32",
    },
    [],
    (f, p) => {
      const a = f.local("i32", "aAt");
      const c = f.local("i32", "cAt");
      const rowsLeft = f.local("i32", "rowsLeft");
      f.loop((nextColumns) => {
        f.get(p.a).set(a);
        f.get(p.c).set(c);
        f.get(p.rows).set(rowsLeft);
        f.loop((nextRows) => {
          f.get(rowsLeft).i32(TILE_ROWS).op("i32.ge_s");
          f.get(p.columns).i32(TILE_COLUMNS).op("i32.ge_s").op("i32.and");
          f.get(p.cColumn).i32(4).op("i32.eq").op("i32.and");
          f.if(
            () => f.get(p.depth).get(a).get(p.b).get(c).get(p.cRow).get(p.accumulate).call(multiplyTile),
            () => {
              f.get(p.depth)
                .get(a)
                .get(p.b)
                .get(p.tile)
                .i32(TILE_COLUMNS * 4)
                .i32(0)
                .call(multiplyTile);
              storePart(f, { ...p, rows: rowsLeft, c });
            },
          );
          f.get(a)
            .get(p.depth)
            .i32(TILE_ROWS * 4)
            .op("i32.mul")
            .op("i32.add")
            .set(a);
          f.get(c).get(p.cRow).i32(TILE_ROWS).op("i32.mul").op("i32.add").set(c);
          f.get(rowsLeft).i32(TILE_ROWS).op("i32.sub").tee(rowsLeft).i32(0).op("i32.gt_s").brIf(nextRows);
        });
        f.get(p.b)
          .get(p.depth)
          .i32(TILE_COLUMNS * 4)
          .op("i32.mul")
          .op("i32.add")
          .set(p.b);
        f.get(p.c).get(p.cColumn).i32(TILE_COLUMNS).op("i32.mul").op("i32.add").set(p.c);
        f.get(p.columns).i32(TILE_COLUMNS).op("i32.sub").tee(p.columns).i32(0).op("i32.gt_s").brIf(nextColumns);
      });
    },
  );
}

/**
 * Emits one tile: the sums over `depth` of a panel of A by a panel of B, stored or added at `to`. It is a function
 * of its own so that nothing but the inner loop wants registers.
 *
 * Its shape decides its speed, since V8 places the arithmetic, which has no effects, after all loads that it is
 * free to move up, and then spills. Three things keep a row's splat next to its products: the loop is left at its
 * top, the sums are stored in the order in which the rows are loaded, and each arm stores what it computes. Change
 * one, and 35 GFLOP/s become 20 (of 39 that registers alone reach on the same machine). One step of the depth is
 * one turn: unrolled, every distinct offset wants a general register, and the speed halves too.
 */
function emitTile(module: ModuleBuilder, name: string): FunctionReference {
  return module.function(
    name,
    { depth: "i32", a: "i32", b: "i32", to: "i32", toRow: "i32", accumulate: "i32" },
    [],
    (f, p) => {
      const sums = Array.from({ length: TILE_ROWS * VECTORS }, (_, i) => f.local("v128", `sum${i}`));
      const columns = Array.from({ length: VECTORS }, (_, i) => f.local("v128", `b${i}`));
      const splat = f.local("v128", "aSplat");
      f.block((done) =>
        f.loop((next) => {
          f.get(p.depth).op("i32.eqz").brIf(done);
          columns.forEach((column, j) => {
            f.get(p.b)
              .op("v128.load", j * 16)
              .set(column);
          });
          for (let i = 0; i < TILE_ROWS; i++) {
            f.get(p.a)
              .op("v128.load32_splat", i * 4)
              .set(splat);
            columns.forEach((column, j) => {
              const sum = sums[i * VECTORS + j]!;
              f.get(sum).get(splat).get(column).op("f32x4.mul").op("f32x4.add").set(sum);
            });
          }
          advance(f, p.a, TILE_ROWS * 4);
          advance(f, p.b, TILE_COLUMNS * 4);
          advance(f, p.depth, -1);
          f.br(next);
        }),
      );
      const row = f.local("i32", "row");
      const everyRow = (each: (i: number) => void): void => {
        f.get(p.to).set(row);
        for (let i = 0; i < TILE_ROWS; i++) {
          each(i);
          if (i + 1 < TILE_ROWS) advanceBy(f, row, p.toRow);
        }
      };
      const everySum = (put: (sum: Local, offset: number) => void): void =>
        everyRow((i) => {
          for (let j = 0; j < VECTORS; j++) put(sums[i * VECTORS + j]!, j * 16);
        });
      f.get(p.accumulate).if(
        () =>
          everySum((sum, at) => f.get(row).get(row).op("v128.load", at).get(sum).op("f32x4.add").op("v128.store", at)),
        () => everySum((sum, at) => f.get(row).get(sum).op("v128.store", at)),
      );
    },
    { exported: false },
  );
}

/** Stores or adds the part of a tile that exists, element by element, at any strides. */
function storePart(
  f: FunctionBuilder,
  p: { readonly [K in "rows" | "columns" | "c" | "cRow" | "cColumn" | "tile" | "accumulate"]: Local<"i32"> },
): void {
  const from = f.local("i32", "from");
  const tileRow = f.local("i32", "tileRow");
  const row = f.local("i32", "toRow");
  const to = f.local("i32", "to");
  const rows = f.local("i32", "rowsHere");
  const columns = f.local("i32", "columnsHere");
  const atMost = (count: Local<"i32">, most: number, into: Local<"i32">): void => {
    f.get(count).i32(most).op("i32.lt_s");
    f.if(
      () => f.get(count),
      () => f.i32(most),
      "i32",
    ).set(into);
  };
  atMost(p.rows, TILE_ROWS, rows);
  f.get(p.c).set(row);
  f.get(p.tile).set(tileRow);
  repeat(f, rows, () => {
    atMost(p.columns, TILE_COLUMNS, columns);
    f.get(row).set(to);
    f.get(tileRow).set(from);
    repeat(f, columns, () => {
      f.get(to).get(from).op("f32.load");
      // Adding -0 changes no sum, -0 included.
      f.get(p.accumulate).if(
        () => f.get(to).op("f32.load"),
        () => f.op("f32.const", -0),
        "f32",
      );
      f.op("f32.add").op("f32.store");
      advance(f, from, 4);
      advanceBy(f, to, p.cColumn);
    });
    advance(f, tileRow, TILE_COLUMNS * 4);
    advanceBy(f, row, p.cRow);
  });
}
