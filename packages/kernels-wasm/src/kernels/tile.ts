import type { FunctionReference, Local, ModuleBuilder } from "../assembler/index.js";
import { TILE_ROWS } from "./blocking.js";
import { advance, advanceBy } from "./loops.js";

/** How a product computes with one dtype: its size, the rows of its tiles, and its instructions. */
export interface ProductElement {
  readonly bytes: 4 | 8;
  readonly rows: number;
  readonly splat: "v128.load32_splat" | "v128.load64_splat";
  readonly multiply: "f32x4.mul" | "f64x2.mul";
  readonly add: "f32x4.add" | "f64x2.add";
  /** Multiplies and adds at once: in place of both. */
  readonly fused?: "f32x4.relaxed_madd";
}

export const FLOAT32: ProductElement = {
  bytes: 4,
  rows: TILE_ROWS,
  splat: "v128.load32_splat",
  multiply: "f32x4.mul",
  add: "f32x4.add",
};

export const FLOAT64: ProductElement = {
  bytes: 8,
  rows: TILE_ROWS,
  splat: "v128.load64_splat",
  multiply: "f64x2.mul",
  add: "f64x2.add",
};

/** Two vectors: a row of a tile, 8 columns of float32 or 4 of float64. */
export const ROW_BYTES = 32;

/**
 * Emits one tile: for `rows` rows of A and two vectors of columns of B, the sums over `depth` of their products, stored
 * or added at `to`. The rows of A are `aRow` bytes apart and advance by `aStep`, B advances by `bStep`, so that matrices
 * are read packed or as they lie, and an element has the same bits either way. `together` is for rows of A that are
 * neighbours, as packed ones are: one pointer for all of them. It is a function of its own so that nothing but the inner
 * loop wants registers.
 *
 * Its shape decides its speed, since V8 places the arithmetic, which has no effects, after all loads that it is
 * free to move up, and then spills. Three things keep a row's splat next to its products: the loop is left at its
 * top, the sums are stored in the order in which the rows are loaded, and each arm stores what it computes. Change
 * one, and 35 GFLOP/s become 20 (of 39 that registers alone reach on the same machine). One step of the depth is
 * one turn: unrolled, every distinct offset wants a general register, and the speed halves too.
 */
export function emitTile(
  module: ModuleBuilder,
  name: string,
  rows: number,
  together: boolean,
  { bytes, splat, multiply, add, fused }: ProductElement,
): FunctionReference {
  return module.function(
    name,
    {
      depth: "i32",
      a: "i32",
      aRow: "i32",
      aStep: "i32",
      b: "i32",
      bStep: "i32",
      to: "i32",
      toRow: "i32",
      accumulate: "i32",
    },
    [],
    (f, p) => {
      const offsets = [0, 16];
      const sums = Array.from({ length: rows }, (_, i) => offsets.map((_, j) => f.local("v128", `sum${i}${j}`)));
      const columns = offsets.map((_, j) => f.local("v128", `b${j}`));
      const lines = together ? [p.a] : Array.from({ length: rows }, (_, i) => f.local("i32", `a${i}`));
      const factor = f.local("v128", "factor");
      if (!together) {
        lines.forEach((line, i) => {
          if (i === 0) f.get(p.a);
          else
            f.get(lines[i - 1]!)
              .get(p.aRow)
              .op("i32.add");
          f.set(line);
        });
      }
      f.block((done) =>
        f.loop((next) => {
          f.get(p.depth).op("i32.eqz").brIf(done);
          columns.forEach((column, j) => {
            f.get(p.b).op("v128.load", offsets[j]!).set(column);
          });
          sums.forEach((row, i) => {
            if (together) f.get(p.a).op(splat, i * bytes);
            else f.get(lines[i]!).op(splat);
            f.set(factor);
            row.forEach((sum, j) => {
              if (fused === undefined) f.get(sum).get(factor).get(columns[j]!).op(multiply).op(add).set(sum);
              else f.get(factor).get(columns[j]!).get(sum).op(fused).set(sum);
            });
          });
          for (const line of lines) advanceBy(f, line, p.aStep);
          advanceBy(f, p.b, p.bStep);
          advance(f, p.depth, -1);
          f.br(next);
        }),
      );
      const everySum = (put: (sum: Local, offset: number) => void): void =>
        sums.forEach((row, i) => {
          for (let j = 0; j < row.length; j++) put(row[j]!, offsets[j]!);
          if (i + 1 < rows) advanceBy(f, p.to, p.toRow);
        });
      f.get(p.accumulate).if(
        () => everySum((sum, at) => f.get(p.to).get(p.to).op("v128.load", at).get(sum).op(add).op("v128.store", at)),
        () => everySum((sum, at) => f.get(p.to).get(sum).op("v128.store", at)),
      );
    },
    { exported: false },
  );
}
