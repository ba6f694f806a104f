import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "../kernels/loops.js";

type Counter = Local<"i32">;

const EVEN = [0, 1, 2, 3, 8, 9, 10, 11, 20, 21, 22, 23, 28, 29, 30, 31];
const UPPER = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];
const LOW = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];

/** What an output has of the elements of its window: it begins, takes one after another, and ends on the stack. */
interface Gathering {
  readonly begin: () => void;
  /** The elements of four windows are on the stack. */
  readonly take: () => void;
  readonly end: () => void;
  /** What else is stored for as many windows, whose place in the output is at hand. */
  readonly store?: (windows: 4 | 1) => void;
}

/** What a gathering may look at. */
interface Surroundings {
  readonly divisor: Local<"f64">;
  readonly columnStep: Counter;
  /** The address of the image. */
  readonly image: Counter;
  /** How far behind the output the numbers of what wins lie. */
  readonly indices: Counter;
  /** Where the first of the elements lies that are taken. */
  readonly tap: Counter;
  /** Where the first of the outputs lies. */
  readonly to: Counter;
}

const PLANE = {
  rows: "i32",
  columns: "i32",
  out: "i32",
  outRow: "i32",
  x: "i32",
  xRow: "i32",
  kernelRows: "i32",
  kernelColumns: "i32",
  line: "i32",
  columnStep: "i32",
  divisor: "f64",
  image: "i32",
  indices: "i32",
} as const;

/**
 * Emits `rows, columns, out, outRow, x, xRow, kernelRows, kernelColumns, line, columnStep, divisor, image, indices`: gathers the windows of
 * a rectangle of outputs, all of which lie in the image whole. Windows of neighbouring columns are `columnStep` bytes apart,
 * of neighbouring rows `xRow`, the lines of a window `line`; nothing is read outside of them.
 */
function emitPool(
  module: ModuleBuilder,
  name: string,
  gathering: (f: FunctionBuilder, around: Surroundings) => Gathering,
): void {
  module.function(name, PLANE, [], (f, p) => {
    const [at, to, left] = [f.local("i32", "at"), f.local("i32", "to"), f.local("i32", "left")];
    const [tap, line, kernelRow, kernelColumn] = ["tap", "line", "kernelRow", "kernelColumn"].map((key) =>
      f.local("i32", key),
    ) as [Counter, Counter, Counter, Counter];
    const [step2, step3] = [f.local("i32", "step2"), f.local("i32", "step3")];
    const taps = f.local("v128", "taps");
    const { begin, take, end, store } = gathering(f, { ...p, tap, to });
    /** Puts the elements at `tap` of four windows on the stack, or of one. */
    const load = (windows: 4 | 1): void => {
      if (windows === 1) {
        f.get(tap).op("v128.load32_splat");
        return;
      }
      f.get(p.columnStep).i32(8).op("i32.eq");
      f.if(
        () => f.get(tap).op("v128.load").get(tap).op("v128.load", 12).op("i8x16.shuffle", EVEN).set(taps),
        () => {
          f.get(tap).op("v128.load32_zero").set(taps);
          for (const [lane, step] of [
            [1, p.columnStep],
            [2, step2],
            [3, step3],
          ] as const) {
            f.get(tap).get(step).op("i32.add").get(taps).op("v128.load32_lane", 0, lane).set(taps);
          }
        },
      );
      f.get(taps);
    };
    f.get(p.columnStep).i32(1).op("i32.shl").tee(step2).get(p.columnStep).op("i32.add").set(step3);
    repeat(f, p.rows, () => {
      f.get(p.x).set(at);
      f.get(p.out).set(to);
      for (const windows of [4, 1] as const) {
        f.get(p.columns);
        if (windows === 4) f.i32(2).op("i32.shr_u");
        else f.i32(3).op("i32.and");
        f.set(left);
        repeatIfAny(f, left, () => {
          f.get(at).tee(line).set(tap);
          begin();
          f.get(p.kernelRows).set(kernelRow);
          repeat(f, kernelRow, () => {
            f.get(line).set(tap);
            f.get(p.kernelColumns).set(kernelColumn);
            repeat(f, kernelColumn, () => {
              load(windows);
              take();
              advance(f, tap, 4);
            });
            advanceBy(f, line, p.line);
          });
          f.get(to);
          end();
          if (windows === 4) f.op("v128.store");
          else f.op("v128.store32_lane", 0, 0);
          store?.(windows);
          advance(f, to, 4 * windows);
          f.get(at).get(p.columnStep);
          if (windows === 4) f.i32(2).op("i32.shl");
          f.op("i32.add").set(at);
        });
      }
      advanceBy(f, p.x, p.xRow);
      advanceBy(f, p.out, p.outRow);
    });
  });
}

/** Emits `maxPool`, `maxPoolIndices`, which writes the number in the image of what wins as well, and `averagePool`. */
export function emitPools(module: ModuleBuilder): void {
  for (const name of ["maxPool", "maxPoolIndices"]) {
    emitPool(module, name, (f, { columnStep, image, indices, tap, to }) => {
      const [best, next, wins] = [f.local("v128", "best"), f.local("v128", "next"), f.local("v128", "wins")];
      const winner = f.local("v128", "winner");
      const isIndexed = name === "maxPoolIndices";
      const lowest = Array.from(new Uint8Array(new Float32Array(4).fill(Number.NEGATIVE_INFINITY).buffer));
      const lanes = Array.from(new Uint8Array(new Int32Array([0, 1, 2, 3]).buffer));
      /** The numbers of the elements in the image. */
      const numbers = (): void => {
        f.get(columnStep).i32(2).op("i32.shr_u").op("i32x4.splat").op("v128.const", lanes).op("i32x4.mul");
        f.get(tap).get(image).op("i32.sub").i32(2).op("i32.shr_u").op("i32x4.splat").op("i32x4.add");
      };
      return {
        begin: () => {
          f.op("v128.const", lowest).set(best);
          if (!isIndexed) return;
          // Of -Infinity alone the first wins without being larger.
          numbers();
          f.set(winner);
        },
        // What is larger wins, and the first NaN; of equals the first.
        take: () => {
          f.set(next);
          f.get(best).get(best).op("f32x4.eq").get(next).get(best).op("f32x4.le").op("v128.andnot").set(wins);
          f.get(next).get(best).get(wins).op("v128.bitselect").set(best);
          if (!isIndexed) return;
          numbers();
          f.get(winner).get(wins).op("v128.bitselect").set(winner);
        },
        end: () => f.get(best),
        ...(isIndexed && {
          store: (windows: 4 | 1) => {
            f.get(to).get(indices).op("i32.add").get(winner);
            if (windows === 4) f.op("v128.store");
            else f.op("v128.store32_lane", 0, 0);
          },
        }),
      };
    });
  }
  emitPool(module, "averagePool", (f, { divisor }) => {
    const [low, high, next] = [f.local("v128", "low"), f.local("v128", "high"), f.local("v128", "next")];
    return {
      begin: () => f.op("v128.const", new Array(16).fill(0)).tee(low).set(high),
      take: () => {
        f.tee(next).op("f64x2.promote_low_f32x4").get(low).op("f64x2.add").set(low);
        f.get(next).get(next).op("i8x16.shuffle", UPPER).op("f64x2.promote_low_f32x4");
        f.get(high).op("f64x2.add").set(high);
      },
      end: () => {
        for (const half of [low, high]) {
          f.get(half).get(divisor).op("f64x2.splat").op("f64x2.div").op("f32x4.demote_f64x2_zero");
        }
        f.op("i8x16.shuffle", LOW);
      },
    };
  });
}
