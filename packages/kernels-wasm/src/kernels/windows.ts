import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { TILE_COLUMNS } from "./blocking.js";
import { advance, advanceBy, repeat, repeatIfAny } from "./loops.js";
import { linesByFours, linesByOnes } from "./pack.js";
import { ROW_BYTES } from "./tile.js";

// The windows of a convolution as a matrix [taps of all channels, pixels of the result] that is never made: its element
// lies at the address of a pixel's window plus the offset of a tap, which is what these packings read.

/**
 * A walk over pixels of the result by the addresses of their windows: `at` is the first one, `left` are still to go in its
 * row, `columns` in every other; windows are `columnStep` apart, and `rowSkip` more from row to row. All in bytes.
 */
const WALK = { at: "i32", left: "i32", columns: "i32", columnStep: "i32", rowSkip: "i32" } as const;

/**
 * Emits the packing of windows into panels of `count` pixels: in each, TILE_COLUMNS neighbours for every one of `depth`
 * taps, whose offsets are in `table`. A panel that is not full repeats its last pixel. Counts are at least 1.
 */
export function emitPackWindows(module: ModuleBuilder, name: string): void {
  const half = emitPackFour(module, `${name}Four`);
  module.function(name, { target: "i32", table: "i32", depth: "i32", count: "i32", ...WALK }, [], (f, p) => {
    const pixels = Array.from({ length: TILE_COLUMNS }, (_, i) => f.local("i32", `pixel${i}`));
    const tap = f.local("i32", "tap");
    const from = f.local("i32", "from");
    const steps = f.local("i32", "steps");
    f.loop((nextPanel) => {
      for (const pixel of pixels) {
        f.get(p.at).set(pixel);
        f.get(p.count).i32(1).op("i32.sub").tee(p.count).i32(0).op("i32.gt_s");
        f.if(() => {
          advanceBy(f, p.at, p.columnStep);
          f.get(p.left).i32(1).op("i32.sub").tee(p.left).op("i32.eqz");
          f.if(() => {
            f.get(p.columns).set(p.left);
            advanceBy(f, p.at, p.rowSkip);
          });
        });
      }
      together(f, pixels);
      f.if(
        () => {
          f.get(p.table).set(tap);
          f.get(p.depth).set(steps);
          repeat(f, steps, () => {
            f.get(pixels[0]!).get(tap).op("i32.load").op("i32.add").set(from);
            for (const offset of [0, 16]) f.get(p.target).get(from).op("v128.load", offset).op("v128.store", offset);
            advance(f, tap, 4);
            advance(f, p.target, ROW_BYTES);
          });
        },
        () => {
          for (const first of [0, 4]) {
            f.get(p.target)
              .i32(first * 4)
              .op("i32.add");
            f.get(p.table).get(p.depth);
            for (const pixel of pixels.slice(first, first + 4)) f.get(pixel);
            f.call(half);
          }
          f.get(p.depth).i32(ROW_BYTES).op("i32.mul").get(p.target).op("i32.add").set(p.target);
        },
      );
      f.get(p.count).i32(0).op("i32.gt_s").brIf(nextPanel);
    });
  });
}

/** Pushes whether pixels are neighbours in memory. */
function together(f: FunctionBuilder, pixels: readonly Local<"i32">[]): void {
  for (let i = 1; i < pixels.length; i++) {
    f.get(pixels[i]!)
      .get(pixels[i - 1]!)
      .op("i32.sub")
      .i32(4)
      .op("i32.eq");
    if (i > 1) f.op("i32.and");
  }
}

/** Half a panel: one vector for each tap, loaded whole where its pixels are neighbours, else lane by lane. */
function emitPackFour(module: ModuleBuilder, name: string): ReturnType<ModuleBuilder["function"]> {
  return module.function(
    name,
    {
      target: "i32",
      table: "i32",
      depth: "i32",
      pixel0: "i32",
      pixel1: "i32",
      pixel2: "i32",
      pixel3: "i32",
    },
    [],
    (f, p) => {
      const offset = f.local("i32", "offset");
      const pixels = [p.pixel0, p.pixel1, p.pixel2, p.pixel3];
      const eachTap = (load: () => void): void =>
        repeat(f, p.depth, () => {
          f.get(p.table).op("i32.load").set(offset);
          f.get(p.target);
          load();
          f.op("v128.store");
          advance(f, p.table, 4);
          advance(f, p.target, ROW_BYTES);
        });
      together(f, pixels);
      f.if(
        () => eachTap(() => f.get(p.pixel0).get(offset).op("i32.add").op("v128.load")),
        () => {
          const lanes = f.local("v128", "lanes");
          eachTap(() => {
            f.get(p.pixel0).get(offset).op("i32.add").op("v128.load32_zero").set(lanes);
            for (let lane = 1; lane < 4; lane++) {
              f.get(pixels[lane]!).get(offset).op("i32.add").get(lanes).op("v128.load32_lane", 0, lane).set(lanes);
            }
            f.get(lanes);
          });
        },
      );
    },
    { exported: false },
  );
}

/**
 * Emits the packing of the transposed matrix into panels of `count` taps: in each, TILE_COLUMNS taps for every one of
 * `depth` pixels. A panel that is not full repeats its last tap. Counts are at least 1.
 */
export function emitPackTaps(module: ModuleBuilder, name: string): void {
  module.function(name, { target: "i32", table: "i32", depth: "i32", count: "i32", ...WALK }, [], (f, p) => {
    const lines = Array.from({ length: TILE_COLUMNS }, (_, i) => f.local("i32", `line${i}`));
    const pixels = f.local("i32", "pixels");
    const run = f.local("i32", "run");
    const steps = f.local("i32", "steps");
    const left = f.local("i32", "leftHere");
    f.loop((nextPanel) => {
      for (const line of lines) {
        f.get(p.at).get(p.table).op("i32.load").op("i32.add").set(line);
        f.get(p.count).i32(1).op("i32.sub").tee(p.count).i32(0).op("i32.gt_s");
        f.if(() => advance(f, p.table, 4));
      }
      f.get(p.left).set(left);
      f.get(p.depth).set(pixels);
      f.loop((nextRow) => {
        f.get(left).get(pixels).op("i32.lt_s");
        f.if(
          () => f.get(left),
          () => f.get(pixels),
          "i32",
        ).set(run);
        f.get(pixels).get(run).op("i32.sub").set(pixels);
        f.get(p.columnStep).i32(4).op("i32.eq");
        f.if(() => {
          f.get(run).i32(2).op("i32.shr_u").set(steps);
          repeatIfAny(f, steps, () => linesByFours(f, p.target, lines));
          f.get(run).i32(3).op("i32.and").set(run);
        });
        repeatIfAny(f, run, () => linesByOnes(f, p.target, lines, () => f.get(p.columnStep)));
        for (const line of lines) advanceBy(f, line, p.rowSkip);
        f.get(p.columns).set(left);
        f.get(pixels).brIf(nextRow);
      });
      f.get(p.count).i32(0).op("i32.gt_s").brIf(nextPanel);
    });
  });
}

/** Two planes of `rows` × `columns` elements (both at least 1), of any steps, in bytes. */
const PLANES = {
  rows: "i32",
  columns: "i32",
  to: "i32",
  toRow: "i32",
  toColumn: "i32",
  from: "i32",
  fromRow: "i32",
  fromColumn: "i32",
} as const;

/** Emits `to = from`, bit for bit. */
export function emitCopyPlane(module: ModuleBuilder, name: string): void {
  module.function(name, PLANES, [], (f, p) => {
    overPlanes(
      f,
      p,
      (to, from) => f.get(to).get(from).op("v128.load").op("v128.store"),
      (to, from) => f.get(to).get(from).op("i32.load").op("i32.store"),
    );
  });
}

/** Emits `to += factor · from`. */
export function emitAddPlane(module: ModuleBuilder, name: string): void {
  module.function(name, { ...PLANES, factor: "f32" }, [], (f, p) => {
    const factor = f.local("v128", "factors");
    const sum = f.local("v128", "sum");
    f.get(p.factor).op("f32x4.splat").set(factor);
    const turn = (to: Local<"i32">, from: Local<"i32">, load: "v128.load" | "v128.load32_zero"): void => {
      f.get(to).op(load).get(from).op(load).get(factor).op("f32x4.mul").op("f32x4.add").set(sum);
      f.get(to).get(sum);
    };
    overPlanes(
      f,
      p,
      (to, from) => {
        turn(to, from, "v128.load");
        f.op("v128.store");
      },
      (to, from) => {
        turn(to, from, "v128.load32_zero");
        f.op("v128.store32_lane", 0, 0);
      },
    );
  });
}

/** Goes over two planes, by vectors where both lie contiguous along their rows, and by elements. */
function overPlanes(
  f: FunctionBuilder,
  p: { readonly [K in keyof typeof PLANES]: Local<"i32"> },
  vector: (to: Local<"i32">, from: Local<"i32">) => void,
  element: (to: Local<"i32">, from: Local<"i32">) => void,
): void {
  const to = f.local("i32", "toAt");
  const from = f.local("i32", "fromAt");
  const left = f.local("i32", "left");
  repeat(f, p.rows, () => {
    f.get(p.to).set(to);
    f.get(p.from).set(from);
    f.get(p.columns).set(left);
    f.get(p.toColumn).i32(4).op("i32.eq").get(p.fromColumn).i32(4).op("i32.eq").op("i32.and");
    f.if(() => {
      f.get(p.columns).i32(2).op("i32.shr_u").set(left);
      repeatIfAny(f, left, () => {
        vector(to, from);
        advance(f, from, 16);
        advance(f, to, 16);
      });
      f.get(p.columns).i32(3).op("i32.and").set(left);
    });
    repeatIfAny(f, left, () => {
      element(to, from);
      advanceBy(f, from, p.fromColumn);
      advanceBy(f, to, p.toColumn);
    });
    advanceBy(f, p.to, p.toRow);
    advanceBy(f, p.from, p.fromRow);
  });
}

/** Emits the sum of `x · 0` over `count` elements (at least 1): zero where all are finite, else NaN. */
export function emitFiniteProbe(module: ModuleBuilder, name: string): void {
  module.function(name, { count: "i32", at: "i32" }, ["f32"], (f, p) => {
    const sum = f.local("v128", "sum");
    const zero = f.local("v128", "zero");
    const left = f.local("i32", "left");
    const turn = (load: "v128.load" | "v128.load32_zero", bytes: number): void => {
      f.get(sum).get(p.at).op(load).get(zero).op("f32x4.mul").op("f32x4.add").set(sum);
      advance(f, p.at, bytes);
    };
    f.get(p.count).i32(2).op("i32.shr_u").set(left);
    repeatIfAny(f, left, () => turn("v128.load", 16));
    f.get(p.count).i32(3).op("i32.and").set(left);
    repeatIfAny(f, left, () => turn("v128.load32_zero", 4));
    for (let lane = 0; lane < 4; lane++) {
      f.get(sum).op("f32x4.extract_lane", lane);
      if (lane > 0) f.op("f32.add");
    }
  });
}
