import type { FunctionBuilder, FunctionReference, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat } from "./loops.js";
import { emitTile, type ProductElement, ROW_BYTES } from "./tile.js";

/**
 * Emits the product of blocks: `c (+)= a · b` for `rows` × `columns` (both at least 1) over `depth` (0 gives zeros).
 * `a` and `b` lie in panels of a tile's rows and columns, which are `aPanel` and `bPanel` bytes apart, packed or not;
 * the last panel of `b` is as wide as the others, whatever it holds beyond `columns`. Where a tile lies on contiguous
 * columns of `c` it is stored there; where columns are left over, and on other strides, it goes through `tile`.
 */
export function emitBlockProduct(module: ModuleBuilder, name: string, element: ProductElement): void {
  const { rows: tileRows } = element;
  const tiles = Array.from({ length: tileRows }, (_, i) => emitTile(module, `${name}${i + 1}`, i + 1, false, element));
  const packed = emitTile(module, `${name}Packed`, tileRows, true, element);
  const tileColumns = ROW_BYTES / element.bytes;
  module.function(
    name,
    {
      rows: "i32",
      columns: "i32",
      depth: "i32",
      a: "i32",
      aPanel: "i32",
      aRow: "i32",
      aStep: "i32",
      b: "i32",
      bPanel: "i32",
      bStep: "i32",
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
      const rows = f.local("i32", "rowsHere");
      const columns = f.local("i32", "columnsHere");
      const whole = f.local("i32", "whole");
      const to = f.local("i32", "to");
      const toRow = f.local("i32", "toRow");
      const accumulate = f.local("i32", "accumulateHere");
      f.loop((nextColumns) => {
        f.get(p.a).set(a);
        f.get(p.c).set(c);
        f.get(p.rows).set(rowsLeft);
        atMost(f, p.columns, tileColumns, columns);
        f.get(columns).i32(tileColumns).op("i32.eq");
        f.get(p.cColumn).i32(element.bytes).op("i32.eq").op("i32.and").set(whole);
        f.get(p.tile).set(to);
        f.i32(ROW_BYTES).set(toRow);
        f.get(whole).if(
          () => {
            f.get(p.cRow).set(toRow);
            f.get(p.accumulate).set(accumulate);
          },
          () => f.i32(0).set(accumulate),
        );
        f.loop((nextRows) => {
          atMost(f, rowsLeft, tileRows, rows);
          f.get(whole).if(() => f.get(c).set(to));
          const call = (tile: FunctionReference): unknown =>
            f
              .get(p.depth)
              .get(a)
              .get(p.aRow)
              .get(p.aStep)
              .get(p.b)
              .get(p.bStep)
              .get(to)
              .get(toRow)
              .get(accumulate)
              .call(tile);
          const callTile = (count: number): void => {
            if (count === 1) call(tiles[0]!);
            else
              f.get(rows)
                .i32(count)
                .op("i32.eq")
                .if(
                  () => call(tiles[count - 1]!),
                  () => callTile(count - 1),
                );
          };
          f.get(rows).i32(tileRows).op("i32.eq").get(p.aRow).i32(element.bytes).op("i32.eq").op("i32.and");
          f.if(
            () => call(packed),
            () => callTile(tileRows),
          );
          f.get(whole)
            .op("i32.eqz")
            .if(() => storePart(f, element, { ...p, rows, columns, c }));
          advanceBy(f, a, p.aPanel);
          f.get(c).get(p.cRow).i32(tileRows).op("i32.mul").op("i32.add").set(c);
          f.get(rowsLeft).i32(tileRows).op("i32.sub").tee(rowsLeft).i32(0).op("i32.gt_s").brIf(nextRows);
        });
        advanceBy(f, p.b, p.bPanel);
        f.get(p.c).get(p.cColumn).i32(tileColumns).op("i32.mul").op("i32.add").set(p.c);
        f.get(p.columns).i32(tileColumns).op("i32.sub").tee(p.columns).i32(0).op("i32.gt_s").brIf(nextColumns);
      });
    },
  );
}

function atMost(f: FunctionBuilder, count: Local<"i32">, most: number, into: Local<"i32">): void {
  f.get(count).i32(most).op("i32.lt_s");
  f.if(
    () => f.get(count),
    () => f.i32(most),
    "i32",
  ).set(into);
}

/** Stores or adds the columns of a tile that exist, element by element, at any strides. */
function storePart(
  f: FunctionBuilder,
  { bytes }: ProductElement,
  p: { readonly [K in "rows" | "columns" | "c" | "cRow" | "cColumn" | "tile" | "accumulate"]: Local<"i32"> },
): void {
  const from = f.local("i32", "from");
  const fromRow = f.local("i32", "fromRow");
  const row = f.local("i32", "partRow");
  const to = f.local("i32", "partTo");
  const rows = f.local("i32", "partRows");
  const columns = f.local("i32", "partColumns");
  const type = bytes === 4 ? "f32" : "f64";
  f.get(p.rows).set(rows);
  f.get(p.c).set(row);
  f.get(p.tile).set(fromRow);
  repeat(f, rows, () => {
    f.get(p.columns).set(columns);
    f.get(row).set(to);
    f.get(fromRow).set(from);
    repeat(f, columns, () => {
      f.get(to).get(from).op(`${type}.load`);
      // Adding -0 changes no sum, -0 included.
      f.get(p.accumulate).if(
        () => f.get(to).op(`${type}.load`),
        () => f.op(`${type}.const`, -0),
        type,
      );
      f.op(`${type}.add`).op(`${type}.store`);
      advance(f, from, bytes);
      advanceBy(f, to, p.cColumn);
    });
    advance(f, fromRow, ROW_BYTES);
    advanceBy(f, row, p.cRow);
  });
}
