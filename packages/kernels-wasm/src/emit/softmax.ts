import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "../kernels/loops.js";
import { Expression, type Node, prepare } from "./expression.js";
import { exponentialWithin } from "./functions/exponential.js";
import { logarithm } from "./functions/logarithm.js";
import { Lanes } from "./lanes.js";

/** Below, `e^x` is nothing beside 1, even as a subnormal number. */
const LOWEST = -104;
/**
 * Exponentials are kept times 2³², so that all of them are normal numbers: the last multiplication takes it away again and
 * rounds what is subnormal once.
 */
const SCALE = 32;
const UNROLLED = 4;
const FIRST_LANE = Array.from({ length: 16 }, (_, i) => (i < 4 ? 0xff : 0));

type Load = "v128.load" | "v128.load32_splat";

/** How a row is cut into turns: the vectors of one, the elements of a vector, how it is loaded; where their number stands in the count. */
const TURNS = [
  { vectors: UNROLLED, elements: 4, load: "v128.load", shift: 4, mask: -1 },
  { vectors: 1, elements: 4, load: "v128.load", shift: 2, mask: UNROLLED - 1 },
  { vectors: 1, elements: 1, load: "v128.load32_splat", shift: 0, mask: 3 },
] as const;

/**
 * Emits `rows, count, out, outRow, x, xRow`: the softmax of each of `rows` contiguous rows of `count` elements (both at
 * least 1), or its logarithm. Rows are `outRow` and `xRow` bytes apart; the output may be the input. A row takes three
 * passes: its maximum, in which NaN has no part; the sum of its exponentials; the results. NaN, +∞, and −∞ alone make what
 * is exponentiated NaN somewhere, which a sum of that tells: it makes the whole row NaN.
 */
export function emitSoftmax(module: ModuleBuilder, name: string, isLogarithm: boolean): void {
  module.function(name, { rows: "i32", count: "i32", out: "i32", outRow: "i32", x: "i32", xRow: "i32" }, [], (f, p) => {
    const at = f.local("i32", "at");
    const to = f.local("i32", "to");
    const left = f.local("i32", "left");
    const element = f.local("v128", "element");
    const maxima = Array.from({ length: UNROLLED }, (_, i) => f.local("v128", `max${i}`));
    const largest = maxima[0]!;
    const [sum, check, factor] = [f.local("v128", "sum"), f.local("v128", "check"), f.local("v128", "factor")];
    const read = (e: Expression, local: Local): Node => e.input(local.index, () => f.get(local));
    /** Runs over a row: `turn` gets how to load, and how far from where it stands. */
    const pass = (turn: (load: Load, offset: number) => void): void => {
      f.get(p.x).set(at);
      f.get(p.out).set(to);
      eachTurn(f, p.count, left, (load, elements, vectors) => {
        for (let i = 0; i < vectors; i++) turn(load, 16 * i);
        advance(f, at, 4 * elements * vectors);
        advance(f, to, 4 * elements * vectors);
      });
    };
    const store = (load: Load, offset: number, value: () => void): void => {
      f.get(to);
      value();
      if (load === "v128.load") f.op("v128.store", offset);
      else f.op("v128.store32_lane", offset, 0);
    };
    const shifted = new Expression();
    const lanes = new Lanes(shifted, "f32x4");
    const argument = prepare(f, lanes.atLeast(lanes.sub(read(shifted, element), read(shifted, largest)), LOWEST));
    const powers = new Expression();
    const exponential = prepare(f, exponentialWithin(powers, read(powers, element), SCALE));

    repeat(f, p.rows, () => {
      emitLargest(f, p.x, p.count, at, left, maxima);
      f.op("v128.const", new Array(16).fill(0)).tee(sum).set(check);
      pass((load, offset) => {
        f.get(at).op(load, offset).set(element);
        argument();
        f.tee(element).get(check).op("f32x4.add").set(check);
        exponential();
        f.set(element);
        if (!isLogarithm) store(load, offset, () => f.get(element));
        f.get(element);
        if (load !== "v128.load") f.op("v128.const", FIRST_LANE).op("v128.and");
        f.get(sum).op("f32x4.add").set(sum);
      });
      emitTotal(f, sum);
      emitTotal(f, check);
      const totals = new Expression();
      const t = new Lanes(totals, "f32x4");
      const whole = isLogarithm
        ? logarithm(totals, t.mul(read(totals, sum), t.of(2 ** -SCALE)))
        : t.div(t.of(1), read(totals, sum));
      prepare(f, t.add(whole, t.mul(read(totals, check), t.of(0))))();
      f.set(factor);
      pass((load, offset) =>
        store(load, offset, () => {
          if (isLogarithm) f.get(at).op(load, offset).get(largest).op("f32x4.sub").get(factor).op("f32x4.sub");
          else f.get(to).op(load, offset).get(factor).op("f32x4.mul");
        }),
      );
      advanceBy(f, p.x, p.xRow);
      advanceBy(f, p.out, p.outRow);
    });
  });
}

/** Loops over a row of `count` elements, by several vectors, by one, and by single elements. */
function eachTurn(
  f: FunctionBuilder,
  count: Local<"i32">,
  left: Local<"i32">,
  turn: (load: Load, elements: number, vectors: number) => void,
): void {
  for (const { vectors, elements, load, shift, mask } of TURNS) {
    f.get(count).i32(shift).op("i32.shr_u").i32(mask).op("i32.and").set(left);
    repeatIfAny(f, left, () => turn(load, elements, vectors));
  }
}

/** Leaves the largest element of a row in every lane of the first vector; NaN is passed over. */
function emitLargest(
  f: FunctionBuilder,
  x: Local<"i32">,
  count: Local<"i32">,
  at: Local<"i32">,
  left: Local<"i32">,
  maxima: readonly Local<"v128">[],
): void {
  const lowest = Array.from(new Uint8Array(new Float32Array(4).fill(Number.NEGATIVE_INFINITY).buffer));
  f.get(x).set(at);
  f.op("v128.const", lowest);
  for (const max of maxima.slice(1)) f.tee(max);
  f.set(maxima[0]!);
  eachTurn(f, count, left, (load, elements, vectors) => {
    for (const [i, max] of maxima.slice(0, vectors).entries()) {
      f.get(max)
        .get(at)
        .op(load, 16 * i)
        .op("f32x4.pmax")
        .set(max);
    }
    advance(f, at, 4 * elements * vectors);
  });
  const [first, ...others] = maxima as [Local<"v128">, ...Local<"v128">[]];
  for (const max of others) f.get(first).get(max).op("f32x4.pmax").set(first);
  for (const lanes of HALVES) f.get(first).get(first).get(first).op("i8x16.shuffle", lanes).op("f32x4.pmax").set(first);
}

/** Leaves the sum of the lanes in every lane. */
function emitTotal(f: FunctionBuilder, vector: Local<"v128">): void {
  for (const lanes of HALVES) {
    f.get(vector).get(vector).get(vector).op("i8x16.shuffle", lanes).op("f32x4.add").set(vector);
  }
}

/** The other two lanes, then the other one. */
const HALVES = [
  [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7],
  [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11],
] as const;
