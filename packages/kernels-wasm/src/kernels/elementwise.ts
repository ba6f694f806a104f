import type { Local, ModuleBuilder } from "../assembler/index.js";
import { advance, advanceBy, repeat, repeatIfAny } from "./loops.js";

/** How an input moves along the inner loop: with the output, or not at all. */
export type Pattern = "vector" | "scalar";

type Name = "add" | "sub" | "mul" | "div";

/** One binary loop: an instruction on four lanes and the pattern of each input. */
export interface BinaryLoop {
  readonly name: string;
  readonly instruction: `f32x4.${Name}`;
  readonly a: Pattern;
  readonly b: Pattern;
}

const VECTOR_BYTES = 16;
const ELEMENT_BYTES = 4;
/** Vectors a turn; more gains nothing. */
const UNROLL = 4;

/**
 * Emits `rows` times a loop over `count` elements (both at least 1). The output is contiguous along the inner
 * loop; between rows each operand moves by its own step, in bytes, so that a bias is one call. The tail runs the
 * same vector code on one lane: an element has the same bits wherever it stands.
 */
export function emitBinaryLoop(module: ModuleBuilder, loop: BinaryLoop): void {
  module.function(
    loop.name,
    { rows: "i32", count: "i32", out: "i32", outStep: "i32", a: "i32", aStep: "i32", b: "i32", bStep: "i32" },
    [],
    (f, p) => {
      const out = f.local("i32", "outAt");
      const left = f.local("i32", "left");
      const inputs = [
        { pattern: loop.a, row: p.a, at: f.local("i32", "aAt"), splat: f.local("v128", "aSplat") },
        { pattern: loop.b, row: p.b, at: f.local("i32", "bAt"), splat: f.local("v128", "bSplat") },
      ] as const;
      const moving: readonly Local<"i32">[] = [
        out,
        ...inputs.filter((input) => input.pattern === "vector").map((input) => input.at),
      ];

      const turn = (bytes: number, load: "v128.load" | "v128.load32_zero", offset: number): void => {
        f.get(out);
        for (const input of inputs) {
          if (input.pattern === "vector") f.get(input.at).op(load, offset);
          else f.get(input.splat);
        }
        f.op(loop.instruction);
        if (bytes === VECTOR_BYTES) f.op("v128.store", offset);
        else f.op("v128.store32_lane", offset, 0);
      };
      const forward = (bytes: number): void => {
        for (const pointer of moving) advance(f, pointer, bytes);
      };

      repeat(f, p.rows, () => {
        f.get(p.out).set(out);
        for (const input of inputs) {
          if (input.pattern === "vector") f.get(input.row).set(input.at);
          else f.get(input.row).op("v128.load32_splat").set(input.splat);
        }
        f.get(p.count).i32(4).op("i32.shr_u").set(left);
        repeatIfAny(f, left, () => {
          for (let i = 0; i < UNROLL; i++) turn(VECTOR_BYTES, "v128.load", i * VECTOR_BYTES);
          forward(UNROLL * VECTOR_BYTES);
        });
        f.get(p.count).i32(2).op("i32.shr_u").i32(3).op("i32.and").set(left);
        repeatIfAny(f, left, () => {
          turn(VECTOR_BYTES, "v128.load", 0);
          forward(VECTOR_BYTES);
        });
        f.get(p.count).i32(3).op("i32.and").set(left);
        repeatIfAny(f, left, () => {
          turn(ELEMENT_BYTES, "v128.load32_zero", 0);
          forward(ELEMENT_BYTES);
        });
        advanceBy(f, p.out, p.outStep);
        advanceBy(f, p.a, p.aStep);
        advanceBy(f, p.b, p.bStep);
      });
    },
  );
}

/**
 * Emits a loop over `count` elements (at least 1), one at a time, in which every operand has a step of its own, in
 * bytes: for an output or an input whose neighbours do not lie together.
 */
export function emitStridedBinaryLoop(module: ModuleBuilder, name: string, instruction: `f32.${Name}`): void {
  module.function(
    name,
    { count: "i32", out: "i32", outStep: "i32", a: "i32", aStep: "i32", b: "i32", bStep: "i32" },
    [],
    (f, p) => {
      repeat(f, p.count, () => {
        f.get(p.out).get(p.a).op("f32.load").get(p.b).op("f32.load").op(instruction).op("f32.store");
        advanceBy(f, p.out, p.outStep);
        advanceBy(f, p.a, p.aStep);
        advanceBy(f, p.b, p.bStep);
      });
    },
  );
}
