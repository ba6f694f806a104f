import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat } from "../kernels/loops.js";

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

/**
 * Emits a copy of `rows` × `count` elements of 4 bytes, both at least 4 and multiples of it, bit for bit: the target is
 * contiguous along `count`, the source along `rows`. Squares of four by four are turned in registers.
 */
export function emitTurn(module: ModuleBuilder, name: string): void {
  module.function(
    name,
    { rows: "i32", count: "i32", to: "i32", toRow: "i32", from: "i32", fromStep: "i32" },
    [],
    (f, p) => {
      const [left, target, source, put, take] = ["left", "target", "source", "put", "take"].map((local) =>
        f.local("i32", local),
      ) as [Local<"i32">, Local<"i32">, Local<"i32">, Local<"i32">, Local<"i32">];
      const vectors = Array.from({ length: 8 }, (_, i) => f.local("v128", `v${i}`));
      f.get(p.rows).i32(2).op("i32.shr_u").set(p.rows);
      repeat(f, p.rows, () => {
        f.get(p.to).set(target);
        f.get(p.from).set(source);
        f.get(p.count).i32(2).op("i32.shr_u").set(left);
        repeat(f, left, () => {
          f.get(source).set(take);
          for (const vector of vectors.slice(0, 4)) {
            f.get(take).op("v128.load").set(vector);
            advanceBy(f, take, p.fromStep);
          }
          f.get(take).set(source);
          f.get(target).set(put);
          turnSquare(f, vectors, (vector) => {
            f.get(put).get(vector).op("v128.store");
            advanceBy(f, put, p.toRow);
          });
          advance(f, target, 16);
        });
        for (let i = 0; i < 4; i++) advanceBy(f, p.to, p.toRow);
        advance(f, p.from, 16);
      });
    },
  );
}

/** Turns the square whose rows are the first four vectors; the others are room. */
function turnSquare(f: FunctionBuilder, vectors: readonly Local<"v128">[], store: (row: Local<"v128">) => void): void {
  const [a, b, c, d, ...pairs] = vectors as Local<"v128">[];
  const shuffle = (x: Local, y: Local, words: readonly number[], result: Local): void => {
    const bytes = words.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));
    f.get(x).get(y).op("i8x16.shuffle", bytes).set(result);
  };
  const [low, high] = [
    [0, 4, 1, 5],
    [2, 6, 3, 7],
  ] as const;
  shuffle(a!, b!, low, pairs[0]!);
  shuffle(c!, d!, low, pairs[1]!);
  shuffle(a!, b!, high, pairs[2]!);
  shuffle(c!, d!, high, pairs[3]!);
  for (const half of [0, 2]) {
    for (const words of [
      [0, 1, 4, 5],
      [2, 3, 6, 7],
    ]) {
      shuffle(pairs[half]!, pairs[half + 1]!, words, a!);
      store(a!);
    }
  }
}
