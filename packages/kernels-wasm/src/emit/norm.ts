import type { Local, ModuleBuilder } from "../assembler/index.js";
import { ABSENT } from "../kernels/kinds.js";
import { advance, repeat, repeatIfAny } from "../kernels/loops.js";

const UPPER = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];
/** Within these the squares of a row, and within those the size of a weight, leave float32 nothing to lose. */
const SQUARES = [2 ** -80, 2 ** 80] as const;
const WEIGHTS = [2 ** -60, 2 ** 60] as const;

/**
 * Emits `rows, count, isCentred, out, x, weight, bias, normalised, inverse, epsilon`: normalises each of `rows` rows of
 * `count` elements (both at least 1), which lie side by side in every operand: `(x − mean) / √(variance + ε) · weight +
 * bias`, or about 0 in place of the mean. Weight and bias are rows; `normalised` gets what stands before them, `inverse`
 * what rows are multiplied by. Each of the four may be `ABSENT`. The output may be the input. Sums are of float64, so that
 * a row of equal elements has exactly its mean; elements are of float32 where that cannot overflow or lose subnormal
 * numbers on the way, `d · (factor · weight)`, and of float64 elsewhere.
 */
export function emitNormalise(module: ModuleBuilder, name: string): void {
  const i32 = "i32";
  const parameters = {
    rows: i32,
    count: i32,
    isCentred: i32,
    out: i32,
    x: i32,
    weight: i32,
    bias: i32,
    normalised: i32,
    inverse: i32,
    epsilon: "f64",
  } as const;
  module.function(name, parameters, [], (f, p) => {
    const [at, to, left] = [f.local("i32", "at"), f.local("i32", "to"), f.local("i32", "left")];
    const [w, b] = [f.local("i32", "w"), f.local("i32", "b")];
    const element = f.local("v128", "element");
    const sums = f.local("v128", "sums");
    const [middle, factor] = [f.local("v128", "middle"), f.local("v128", "factor")];
    const [isTame, isPlain] = [f.local("i32", "isTame"), f.local("i32", "isPlain")];
    const weight = f.local("f32", "weightHere");
    const [total, mean, size, term] = [
      f.local("f64", "total"),
      f.local("f64", "mean"),
      f.local("f64", "size"),
      f.local("f64", "term"),
    ];
    const distance = f.local("v128", "distance");
    const means = f.local("v128", "means");

    /** Leaves the mean of the elements, or of the squares of their distances, on the stack. */
    const average = (isSquare: boolean): void => {
      f.op("v128.const", new Array(16).fill(0)).set(sums);
      f.get(p.x).set(at);
      f.get(p.count).i32(2).op("i32.shr_u").set(left);
      repeatIfAny(f, left, () => {
        f.get(at).op("v128.load").set(element);
        for (const isUpper of [false, true]) {
          f.get(sums).get(element);
          if (isUpper) f.get(element).op("i8x16.shuffle", UPPER);
          f.op("f64x2.promote_low_f32x4");
          if (isSquare) f.get(means).op("f64x2.sub").tee(distance).get(distance).op("f64x2.mul");
          f.op("f64x2.add").set(sums);
        }
        advance(f, at, 16);
      });
      f.get(sums).op("f64x2.extract_lane", 0).get(sums).op("f64x2.extract_lane", 1).op("f64.add").set(total);
      f.get(p.count).i32(3).op("i32.and").set(left);
      repeatIfAny(f, left, () => {
        f.get(total).get(at).op("f32.load").op("f64.promote_f32");
        if (isSquare) f.get(mean).op("f64.sub").tee(term).get(term).op("f64.mul");
        f.op("f64.add").set(total);
        advance(f, at, 4);
      });
      f.get(total).get(p.count).op("f64.convert_i32_u").op("f64.div");
    };
    /** Runs over the output's row; `value` puts what is stored on the stack. */
    const pass = (target: Local<"i32">, others: readonly Local<"i32">[], value: (load: Load) => void): void => {
      f.get(target).set(to);
      for (const [load, elements] of LOADS) {
        f.get(p.count);
        if (elements === 4) f.i32(2).op("i32.shr_u");
        else f.i32(3).op("i32.and");
        f.set(left);
        repeatIfAny(f, left, () => {
          f.get(to);
          value(load);
          if (elements === 4) f.op("v128.store");
          else f.op("v128.store32_lane", 0, 0);
          for (const pointer of [to, ...others]) advance(f, pointer, 4 * elements);
        });
      }
    };
    const ifThere = (operand: Local<"i32">, then: () => void): void => {
      f.get(operand).i32(ABSENT).op("i32.ne").if(then);
    };
    const nextRow = (operand: Local<"i32">): void => {
      f.get(operand).get(p.count).i32(2).op("i32.shl").op("i32.add").set(operand);
    };
    const within = (value: Local<"f64">, [least, most]: readonly [number, number]): void => {
      f.get(value).op("f64.const", least).op("f64.ge").get(value).op("f64.const", most).op("f64.le").op("i32.and");
    };
    /** Tells whether weights are 0 or of a moderate size. */
    const lookAtWeights = (): void => {
      f.i32(1).set(isTame);
      ifThere(p.weight, () => {
        f.get(p.weight).set(w);
        f.get(p.count).set(left);
        repeat(f, left, () => {
          f.get(w).op("f32.load").op("f32.abs").tee(weight).op("f32.const", WEIGHTS[0]).op("f32.ge");
          f.get(weight).op("f32.const", WEIGHTS[1]).op("f32.le").op("i32.and");
          f.get(weight).op("f32.const", 0).op("f32.eq").op("i32.or").get(isTame).op("i32.and").set(isTame);
          advance(f, w, 4);
        });
      });
    };
    const standardised = (load: Load, isWeighted = false): void => {
      f.get(at).op(load).get(middle).op("f32x4.sub").get(factor);
      if (isWeighted) f.get(w).op(load).op("f32x4.mul");
      f.op("f32x4.mul");
    };
    const inVectors = (): void => {
      f.get(mean).op("f32.demote_f64").op("f32x4.splat").set(middle);
      f.get(size).op("f32.demote_f64").op("f32x4.splat").set(factor);
      ifThere(p.normalised, () => {
        f.get(p.x).set(at);
        pass(p.normalised, [at], (load) => standardised(load));
      });
      f.get(p.x).set(at);
      f.get(p.weight).set(w);
      f.get(p.bias).set(b);
      // The usual way takes one pass, any other one for each operand that is there.
      f.get(p.weight)
        .get(p.bias)
        .op("i32.or")
        .i32(ABSENT)
        .op("i32.ne")
        .if(
          () =>
            pass(p.out, [at, w, b], (load) => {
              standardised(load, true);
              f.get(b).op(load).op("f32x4.add");
            }),
          () => {
            f.get(p.weight)
              .i32(ABSENT)
              .op("i32.ne")
              .if(
                () => pass(p.out, [at, w], (load) => standardised(load, true)),
                () => pass(p.out, [at], (load) => standardised(load)),
              );
            ifThere(p.bias, () => pass(p.out, [b], (load) => f.get(to).op(load).get(b).op(load).op("f32x4.add")));
          },
        );
    };
    const oneByOne = (): void => {
      f.i32(0).set(left);
      f.loop((top) => {
        const here = (operand: Local<"i32">): void => void f.get(operand).get(left).op("i32.add");
        here(p.x);
        f.op("f32.load").op("f64.promote_f32").get(mean).op("f64.sub").get(size).op("f64.mul").set(term);
        ifThere(p.normalised, () => {
          here(p.normalised);
          f.get(term).op("f32.demote_f64").op("f32.store");
        });
        for (const [operand, operation] of [
          [p.weight, "f64.mul"],
          [p.bias, "f64.add"],
        ] as const) {
          ifThere(operand, () => {
            f.get(term);
            here(operand);
            f.op("f32.load").op("f64.promote_f32").op(operation).set(term);
          });
        }
        here(p.out);
        f.get(term).op("f32.demote_f64").op("f32.store");
        f.get(left).i32(4).op("i32.add").tee(left).get(p.count).i32(2).op("i32.shl").op("i32.lt_u").brIf(top);
      });
    };

    lookAtWeights();
    repeat(f, p.rows, () => {
      f.op("f64.const", 0).set(mean);
      f.get(p.isCentred).if(() => {
        average(false);
        f.set(mean);
      });
      f.get(mean).op("f64x2.splat").set(means);
      average(true);
      f.tee(total).get(p.epsilon).op("f64.add").set(size);
      within(total, SQUARES);
      f.get(total).op("f64.const", 0).op("f64.eq").op("i32.or");
      within(size, SQUARES);
      f.op("i32.and").get(isTame).op("i32.and").set(isPlain);
      f.op("f64.const", 1).get(size).op("f64.sqrt").op("f64.div").set(size);
      ifThere(p.inverse, () => {
        f.get(p.inverse).get(size).op("f32.demote_f64").op("f32.store");
        advance(f, p.inverse, 4);
      });
      f.get(isPlain).if(inVectors, oneByOne);
      for (const operand of [p.out, p.x]) nextRow(operand);
      ifThere(p.normalised, () => nextRow(p.normalised));
    });
  });
}

type Load = "v128.load" | "v128.load32_zero";

const LOADS = [
  ["v128.load", 4],
  ["v128.load32_zero", 1],
] as const;
