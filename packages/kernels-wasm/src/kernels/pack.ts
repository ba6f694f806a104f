import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "./loops.js";

/** Interleaves of two vectors of four lanes, as byte numbers of `i8x16.shuffle`. */
const lanes = (...numbers: readonly number[]): number[] =>
  numbers.flatMap((n) => [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3]);
const LOW = lanes(0, 4, 1, 5);
const HIGH = lanes(2, 6, 3, 7);
const LOW_HALVES = lanes(0, 1, 4, 5);
const HIGH_HALVES = lanes(2, 3, 6, 7);

/**
 * Emits the packing of a float32 matrix into panels: `width` neighbours of one panel lie together, one such group
 * per step of the depth. Both directions may have any stride (bytes, either sign), which is what makes a
 * transposed operand cost the same as a plain one. The last panel is filled up with zeros; `count` and `depth`
 * are at least 1.
 *
 * Three loops: contiguous along the depth (4 × 4 transposes in registers), contiguous along the panel (whole
 * vectors), and any strides.
 */
export function emitPack(module: ModuleBuilder, name: string, width: number): void {
  module.function(
    name,
    { target: "i32", source: "i32", panelStep: "i32", depthStep: "i32", count: "i32", depth: "i32" },
    [],
    (f, p) => {
      const left = f.local("i32", "left");
      const at = f.local("i32", "at");
      const pack: Pack = { f, width, target: p.target, panelStep: p.panelStep, depthStep: p.depthStep, left, at };
      const used = f.local("i32", "used");

      f.loop((next) => {
        f.get(p.source).set(at);
        f.get(p.depth).set(left);
        f.get(p.count).i32(width).op("i32.ge_s");
        f.if(
          () => {
            f.get(p.depthStep).i32(4).op("i32.eq");
            f.if(
              () => alongDepth(pack, p.depth),
              () => {
                f.get(p.panelStep).i32(4).op("i32.eq");
                f.if(
                  () => alongPanel(pack),
                  () => {
                    f.i32(width).set(used);
                    anyStrides(pack, used);
                  },
                );
              },
            );
          },
          () => {
            f.get(p.count).set(used);
            anyStrides(pack, used);
          },
        );
        f.get(p.source).get(p.panelStep).i32(width).op("i32.mul").op("i32.add").set(p.source);
        f.get(p.count).i32(width).op("i32.sub").tee(p.count).i32(0).op("i32.gt_s").brIf(next);
      });
    },
  );
}

interface Pack {
  readonly f: FunctionBuilder;
  readonly width: number;
  readonly target: Local<"i32">;
  readonly panelStep: Local<"i32">;
  readonly depthStep: Local<"i32">;
  /** Steps of the depth still to go. */
  readonly left: Local<"i32">;
  /** Where the present step reads. */
  readonly at: Local<"i32">;
}

/** Each of the panel's lines is contiguous: four steps at a time, transposed in registers. */
function alongDepth({ f, width, target, panelStep, left, at }: Pack, depth: Local<"i32">): void {
  const lines = Array.from({ length: width }, (_, i) => f.local("i32", `line${i}`));
  const [r0, r1, r2, r3, t0, t1] = ["r0", "r1", "r2", "r3", "t0", "t1"].map((name) => f.local("v128", name)) as [
    Local,
    Local,
    Local,
    Local,
    Local,
    Local,
  ];
  const step = width * 4;
  lines.forEach((line, i) => {
    if (i === 0) f.get(at).set(line);
    else
      f.get(lines[i - 1]!)
        .get(panelStep)
        .op("i32.add")
        .set(line);
  });
  f.get(depth).i32(2).op("i32.shr_u").set(left);
  repeatIfAny(f, left, () => {
    let line = 0;
    for (; line + 4 <= width; line += 4) {
      [r0, r1, r2, r3].forEach((row, i) => {
        f.get(lines[line + i]!)
          .op("v128.load")
          .set(row);
      });
      const put = (k: number, a: Local, b: Local, halves: readonly number[]): void => {
        f.get(target)
          .get(a)
          .get(b)
          .op("i8x16.shuffle", halves)
          .op("v128.store", k * step + line * 4);
      };
      for (const [k, interleave] of [
        [0, LOW],
        [2, HIGH],
      ] as const) {
        f.get(r0).get(r1).op("i8x16.shuffle", interleave).set(t0);
        f.get(r2).get(r3).op("i8x16.shuffle", interleave).set(t1);
        put(k, t0, t1, LOW_HALVES);
        put(k + 1, t0, t1, HIGH_HALVES);
      }
    }
    for (; line < width; line++) {
      f.get(lines[line]!).op("v128.load").set(r0);
      for (let k = 0; k < 4; k++)
        f.get(target)
          .get(r0)
          .op("v128.store32_lane", k * step + line * 4, k);
    }
    for (const pointer of lines) advance(f, pointer, 16);
    advance(f, target, 4 * step);
  });
  f.get(depth).i32(3).op("i32.and").set(left);
  repeatIfAny(f, left, () => {
    lines.forEach((line, i) => {
      f.get(target)
        .get(line)
        .op("f32.load")
        .op("f32.store", i * 4);
      advance(f, line, 4);
    });
    advance(f, target, step);
  });
}

/** Neighbours of the panel lie together already: whole vectors, and single elements for the rest. */
function alongPanel({ f, width, target, depthStep, left, at }: Pack): void {
  repeat(f, left, () => {
    let i = 0;
    for (; i + 4 <= width; i += 4)
      f.get(target)
        .get(at)
        .op("v128.load", i * 4)
        .op("v128.store", i * 4);
    for (; i < width; i++)
      f.get(target)
        .get(at)
        .op("f32.load", i * 4)
        .op("f32.store", i * 4);
    advanceBy(f, at, depthStep);
    advance(f, target, width * 4);
  });
}

/** Element by element: `used` of the panel's lines exist, the rest are zeros. */
function anyStrides({ f, width, target, panelStep, depthStep, left, at }: Pack, used: Local<"i32">): void {
  const element = f.local("i32", "element");
  const line = f.local("i32", "lineLeft");
  repeat(f, left, () => {
    f.get(at).set(element);
    f.get(used).set(line);
    repeat(f, line, () => {
      f.get(target).get(element).op("f32.load").op("f32.store");
      advanceBy(f, element, panelStep);
      advance(f, target, 4);
    });
    f.i32(width).get(used).op("i32.sub").set(line);
    repeatIfAny(f, line, () => {
      f.get(target).op("f32.const", 0).op("f32.store");
      advance(f, target, 4);
    });
    advanceBy(f, at, depthStep);
  });
}
