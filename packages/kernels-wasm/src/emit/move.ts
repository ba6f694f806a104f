import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat } from "../kernels/loops.js";

/** Bytes of an element that is moved. */
export type ElementBytes = 1 | 2 | 4 | 8;

const ACCESS = {
  1: ["i32.load8_u", "i32.store8"],
  2: ["i32.load16_u", "i32.store16"],
  4: ["i32.load", "i32.store"],
  8: ["i64.load", "i64.store"],
} as const;

/**
 * Emits a copy of `rows` × `count` elements (both at least 1), bit for bit, in which both sides have a step for each loop,
 * in bytes: what gathers operands of any strides into a block, and scatters a block.
 */
export function emitMove(module: ModuleBuilder, name: string, bytes: ElementBytes = 4): void {
  const [load, store] = ACCESS[bytes];
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
          f.get(target).get(source).op(load).op(store);
          advanceBy(f, target, p.toStep);
          advanceBy(f, source, p.fromStep);
        });
        advanceBy(f, p.to, p.toRow);
        advanceBy(f, p.from, p.fromRow);
      });
    },
  );
}

/** The side of a square that is turned in registers: its rows fill vectors, those of bytes half of one. */
export function squareSide(bytes: ElementBytes): number {
  return bytes === 1 ? 8 : 16 / bytes;
}

/**
 * Emits a copy of `rows` × `count` elements, both at least the side of a square and multiples of it, bit for bit: the
 * target is contiguous along `count`, the source along `rows`. Squares are turned in registers.
 */
export function emitTurn(module: ModuleBuilder, name: string, bytes: ElementBytes = 4): void {
  const side = squareSide(bytes);
  const shift = Math.log2(side);
  const [load, store] = bytes === 1 ? (["v128.load64_zero", 8] as const) : (["v128.load", 16] as const);
  module.function(
    name,
    { rows: "i32", count: "i32", to: "i32", toRow: "i32", from: "i32", fromStep: "i32" },
    [],
    (f, p) => {
      const [left, target, source, put, take] = ["left", "target", "source", "put", "take"].map((local) =>
        f.local("i32", local),
      ) as [Local<"i32">, Local<"i32">, Local<"i32">, Local<"i32">, Local<"i32">];
      const vectors = Array.from({ length: side }, (_, i) => f.local("v128", `v${i}`));
      const others = Array.from({ length: side }, (_, i) => f.local("v128", `w${i}`));
      f.get(p.rows).i32(shift).op("i32.shr_u").set(p.rows);
      repeat(f, p.rows, () => {
        f.get(p.to).set(target);
        f.get(p.from).set(source);
        f.get(p.count).i32(shift).op("i32.shr_u").set(left);
        repeat(f, left, () => {
          f.get(source).set(take);
          for (const vector of vectors) {
            f.get(take).op(load).set(vector);
            advanceBy(f, take, p.fromStep);
          }
          f.get(take).set(source);
          f.get(target).set(put);
          const turned = turnSquare(f, bytes, vectors, others);
          for (let row = 0; row < side; row++) {
            f.get(put).get(turned[(row * store) >> 4]!);
            if (store === 16) f.op("v128.store");
            else f.op("v128.store64_lane", 0, row & 1);
            advanceBy(f, put, p.toRow);
          }
          advance(f, target, store);
        });
        for (let i = 0; i < side; i++) advanceBy(f, p.to, p.toRow);
        advance(f, p.from, store);
      });
    },
  );
}

/**
 * Turns the square whose rows are vectors, and gives those that hold the result. Interleaving row i with row i + side / 2
 * moves the top bit of an element's row number below its column number, and that of the column into the row's place:
 * after as many steps as there are bits, they are exchanged. Rows of half a vector make half as many vectors.
 */
function turnSquare(
  f: FunctionBuilder,
  bytes: ElementBytes,
  vectors: readonly Local<"v128">[],
  others: readonly Local<"v128">[],
): readonly Local<"v128">[] {
  const half = vectors.length / 2;
  let [from, to] = [vectors, others];
  // In the first step the upper halves are empty.
  if (bytes === 1) {
    for (let i = 0; i < half; i++) interleave(f, bytes, from[i]!, from[i + half]!, 0, to[i]!);
    [from, to] = [to, from];
  }
  const count = bytes === 1 ? half : vectors.length;
  for (let step = bytes === 1 ? 2 : 1; step < vectors.length; step *= 2) {
    for (let i = 0; i < count / 2; i++) {
      for (const upper of [0, 1]) {
        interleave(f, bytes, from[i]!, from[i + count / 2]!, upper, to[2 * i + upper]!);
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** The elements of the lower or the upper halves of two vectors, in turns. */
function interleave(
  f: FunctionBuilder,
  bytes: ElementBytes,
  a: Local<"v128">,
  b: Local<"v128">,
  upper: number,
  result: Local<"v128">,
): void {
  const order = Array.from({ length: 16 }, (_, i) => {
    const element = Math.floor(i / bytes);
    return 8 * upper + (element >> 1) * bytes + (element & 1) * 16 + (i % bytes);
  });
  f.get(a).get(b).op("i8x16.shuffle", order).set(result);
}
