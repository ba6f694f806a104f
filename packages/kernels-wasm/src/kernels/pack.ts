import type { FunctionBuilder, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "./loops.js";

/** Interleaves of two vectors of four lanes, as byte numbers of `i8x16.shuffle`. */
const lanes = (...numbers: readonly number[]): number[] =>
  numbers.flatMap((n) => [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3]);
export const LOW: readonly number[] = lanes(0, 4, 1, 5);
export const HIGH: readonly number[] = lanes(2, 6, 3, 7);
export const LOW_HALVES: readonly number[] = lanes(0, 1, 4, 5);
export const HIGH_HALVES: readonly number[] = lanes(2, 3, 6, 7);

/**
 * Emits the packing of a float32 matrix into panels: `width` neighbours of one panel lie together, one such group
 * per step of the depth. Both directions may have any stride (bytes, either sign), which is what makes a
 * transposed operand cost the same as a plain one. The last panel is filled up with zeros; `count` and `depth`
 * are at least 1.
 *
 * Three loops for float32: contiguous along the panel (whole vectors), contiguous along the depth (4 × 4 transposes in registers),
 * and any strides. Float64 has the last of them alone.
 */
export function emitPack(module: ModuleBuilder, name: string, width: number, bytes: 4 | 8 = 4): void {
  module.function(
    name,
    { target: "i32", source: "i32", panelStep: "i32", depthStep: "i32", count: "i32", depth: "i32" },
    [],
    (f, p) => {
      const left = f.local("i32", "left");
      const at = f.local("i32", "at");
      const pack: Pack = {
        f,
        bytes,
        width,
        target: p.target,
        panelStep: p.panelStep,
        depthStep: p.depthStep,
        left,
        at,
      };
      const used = f.local("i32", "used");

      if (bytes === 4) {
        f.get(p.panelStep).i32(4).op("i32.eq");
        f.get(p.count).i32(width).op("i32.ge_s").op("i32.and");
        f.if(() => alongPanels(f, width, p));
      }
      f.get(p.count).if(() => {
        f.loop((next) => {
          f.get(p.source).set(at);
          f.get(p.depth).set(left);
          f.get(p.count).i32(width).op("i32.ge_s");
          f.if(
            () => f.i32(width),
            () => f.get(p.count),
            "i32",
          ).set(used);
          if (bytes === 4) {
            f.get(used).i32(width).op("i32.eq").get(p.depthStep).i32(4).op("i32.eq").op("i32.and");
            f.if(
              () => alongDepth(pack, p.depth),
              () => anyStrides(pack, used),
            );
          } else {
            anyStrides(pack, used);
          }
          f.get(p.source).get(p.panelStep).i32(width).op("i32.mul").op("i32.add").set(p.source);
          f.get(p.count).i32(width).op("i32.sub").tee(p.count).i32(0).op("i32.gt_s").brIf(next);
        });
      });
    },
  );
}

interface Pack {
  readonly f: FunctionBuilder;
  readonly bytes: 4 | 8;
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
  lines.forEach((line, i) => {
    if (i === 0) f.get(at);
    else
      f.get(lines[i - 1]!)
        .get(panelStep)
        .op("i32.add");
    f.set(line);
  });
  f.get(depth).i32(2).op("i32.shr_u").set(left);
  repeatIfAny(f, left, () => linesByFours(f, target, lines));
  f.get(depth).i32(3).op("i32.and").set(left);
  repeatIfAny(f, left, () => linesByOnes(f, target, lines, () => f.i32(4)));
}

/** Packs four steps of contiguous lines and moves on. */
export function linesByFours(f: FunctionBuilder, target: Local<"i32">, lines: readonly Local<"i32">[]): void {
  const row = (name: string): Local => f.local("v128", name);
  const rows = [row("r0"), row("r1"), row("r2"), row("r3")] as const;
  const [t0, t1] = [row("t0"), row("t1")] as const;
  const step = lines.length * 4;
  let line = 0;
  for (; line + 4 <= lines.length; line += 4) {
    rows.forEach((r, i) => {
      f.get(lines[line + i]!)
        .op("v128.load")
        .set(r);
    });
    const put = (k: number, halves: readonly number[]): void => {
      f.get(target)
        .get(t0)
        .get(t1)
        .op("i8x16.shuffle", halves)
        .op("v128.store", k * step + line * 4);
    };
    for (const [k, interleave] of [
      [0, LOW],
      [2, HIGH],
    ] as const) {
      f.get(rows[0]).get(rows[1]).op("i8x16.shuffle", interleave).set(t0);
      f.get(rows[2]).get(rows[3]).op("i8x16.shuffle", interleave).set(t1);
      put(k, LOW_HALVES);
      put(k + 1, HIGH_HALVES);
    }
  }
  for (; line < lines.length; line++) {
    f.get(lines[line]!).op("v128.load").set(rows[0]);
    for (let k = 0; k < 4; k++) {
      f.get(target)
        .get(rows[0])
        .op("v128.store32_lane", k * step + line * 4, k);
    }
  }
  for (const pointer of lines) advance(f, pointer, 16);
  advance(f, target, 4 * step);
}

/** Packs one step of lines and moves on by what is pushed. */
export function linesByOnes(
  f: FunctionBuilder,
  target: Local<"i32">,
  lines: readonly Local<"i32">[],
  pushStep: () => FunctionBuilder,
): void {
  lines.forEach((line, i) => {
    f.get(target)
      .get(line)
      .op("f32.load")
      .op("f32.store", i * 4);
    f.get(line);
    pushStep().op("i32.add").set(line);
  });
  advance(f, target, lines.length * 4);
}

/**
 * Neighbours of a panel lie together already: whole vectors, and single elements for the rest. Eight steps of the depth
 * pass over all whole panels at a time, so that lines are read to their end and the panels are written in long runs.
 * Leaves the source and the target behind the whole panels, and the count of what is left over.
 */
function alongPanels(
  f: FunctionBuilder,
  width: number,
  p: { readonly [K in "target" | "source" | "depthStep" | "count" | "depth"]: Local<"i32"> },
): void {
  const local = (name: string): Local<"i32"> => f.local("i32", name);
  const steps = local("steps");
  const panels = local("panels");
  const line = local("line");
  const panelTo = local("panelTo");
  const from = local("from");
  const to = local("to");
  const bytes = width * 4;
  const copyStep = (): void => {
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      f.get(to)
        .get(from)
        .op("v128.load", i * 4)
        .op("v128.store", i * 4);
    }
    for (; i < width; i++) {
      f.get(to)
        .get(from)
        .op("f32.load", i * 4)
        .op("f32.store", i * 4);
    }
    advanceBy(f, from, p.depthStep);
    advance(f, to, bytes);
  };
  const overPanels = (body: () => void): void => {
    f.get(line).set(from);
    f.get(panelTo).set(to);
    f.get(p.count).i32(width).op("i32.div_u").set(panels);
    repeat(f, panels, body);
  };
  f.get(p.source).set(line);
  f.get(p.target).set(panelTo);
  f.get(p.depth).i32(3).op("i32.shr_u").set(steps);
  repeatIfAny(f, steps, () => {
    overPanels(() => {
      for (let i = 0; i < 8; i++) copyStep();
      f.get(from).get(p.depthStep).i32(3).op("i32.shl").op("i32.sub").i32(bytes).op("i32.add").set(from);
      f.get(to).get(p.depth).i32(8).op("i32.sub").i32(bytes).op("i32.mul").op("i32.add").set(to);
    });
    f.get(line).get(p.depthStep).i32(3).op("i32.shl").op("i32.add").set(line);
    advance(f, panelTo, 8 * bytes);
  });
  f.get(p.depth).i32(7).op("i32.and").set(steps);
  repeatIfAny(f, steps, () => {
    overPanels(() => {
      copyStep();
      f.get(from).get(p.depthStep).op("i32.sub").i32(bytes).op("i32.add").set(from);
      f.get(to).get(p.depth).i32(1).op("i32.sub").i32(bytes).op("i32.mul").op("i32.add").set(to);
    });
    advanceBy(f, line, p.depthStep);
    advance(f, panelTo, bytes);
  });
  // What is left over: less than a panel.
  f.get(p.count)
    .i32(width)
    .op("i32.div_u")
    .tee(panels)
    .i32(bytes)
    .op("i32.mul")
    .get(p.source)
    .op("i32.add")
    .set(p.source);
  f.get(panels).get(p.depth).op("i32.mul").i32(bytes).op("i32.mul").get(p.target).op("i32.add").set(p.target);
  f.get(p.count).i32(width).op("i32.rem_u").set(p.count);
}

/** Element by element: `used` of the panel's lines exist, the rest are zeros. */
function anyStrides({ f, bytes, width, target, panelStep, depthStep, left, at }: Pack, used: Local<"i32">): void {
  const type = bytes === 4 ? "f32" : "f64";
  const element = f.local("i32", "element");
  const line = f.local("i32", "lineLeft");
  repeat(f, left, () => {
    f.get(at).set(element);
    f.get(used).set(line);
    repeat(f, line, () => {
      f.get(target).get(element).op(`${type}.load`).op(`${type}.store`);
      advanceBy(f, element, panelStep);
      advance(f, target, bytes);
    });
    f.i32(width).get(used).op("i32.sub").set(line);
    repeatIfAny(f, line, () => {
      f.get(target).op(`${type}.const`, 0).op(`${type}.store`);
      advance(f, target, bytes);
    });
    advanceBy(f, at, depthStep);
  });
}
