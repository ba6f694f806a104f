import type { FunctionBuilder, InstructionName, Local, ModuleBuilder } from "../assembler/index.js";
import { advance, repeat } from "./loops.js";
import { STAGES, type StageName, stageBytes } from "./stages.js";

/** What every cast is made of: loops over groups of four elements, of which there is at least one. */
export type CastExports = Readonly<Record<StageName, (groups: number, to: number, from: number) => void>>;

type Op = (name: string, ...immediates: readonly unknown[]) => Writer;

/** Writes the instructions of a stage. */
interface Writer {
  /** Adds an instruction. */
  readonly op: Op;
  /** Pushes where the group lies, and where it goes. */
  from(): Writer;
  to(): Writer;
  /** Pushes a vector of a 32-bit integer in every lane. */
  all(word: number): Writer;
  set(local: Local): Writer;
  get(local: Local): Writer;
  readonly f: FunctionBuilder;
  readonly x: Local<"v128">;
  readonly y: Local<"v128">;
}

type Body = (w: Writer) => unknown;

const LOW_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const BOTH_LOW = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];

const load = (w: Writer, name = "v128.load", offset = 0): Writer => w.from().op(name, offset);
const store4 = (w: Writer): unknown => w.op("v128.store", 0);

/** Stores what `value` pushes, by a store of a vector. */
const whole =
  (value: (w: Writer) => Writer): Body =>
  (w) =>
    store4(value(w.to()));

/** The lanes of four integers as halves, by a rounding of their range, and as bytes. */
const narrow =
  (prepare: (w: Writer) => Writer, halves: "s" | "u", bytes?: "s" | "u"): Body =>
  (w) => {
    prepare(w.to()).set(w.x).get(w.x).get(w.x).op(`i16x8.narrow_i32x4_${halves}`);
    if (bytes === undefined) w.op("v128.store64_lane", 0, 0);
    else w.set(w.x).get(w.x).get(w.x).op(`i8x16.narrow_i16x8_${bytes}`).op("v128.store32_lane", 0, 0);
  };

const widenBytes = (sign: "s" | "u"): Body =>
  whole((w) => load(w, "v128.load32_zero").op(`i16x8.extend_low_i8x16_${sign}`).op(`i32x4.extend_low_i16x8_${sign}`));

/** All bits of the lanes that are not 0, as 0 or 1 in bytes. */
const truth = (words: (w: Writer) => Writer): Body => narrow((w) => words(w).all(1).op("v128.and"), "s", "u");

/** Both halves of a group of elements of eight bytes: their low words, after an instruction. */
const lowWords = (w: Writer, one: (w: Writer) => Writer): Writer => {
  one(load(w));
  return one(load(w, "v128.load", 16)).op("i8x16.shuffle", LOW_WORDS);
};

/** Two of four results that each lie in the lower half of a vector. */
const bothLow = (name: string): Body =>
  whole((w) => load(w).op(name).from().op("v128.load", 16).op(name).op("i8x16.shuffle", BOTH_LOW));

/** Two elements of eight bytes at a time. */
const pairs =
  (from: string, name?: string): Body =>
  (w) => {
    for (const half of [0, 1]) {
      load(w.to(), from, 8 * half);
      if (name !== undefined) w.op(name);
      w.op("v128.store", 16 * half);
    }
  };

/** One element at a time: there are no instructions on vectors. */
const single =
  (name: InstructionName, from: "i64" | "f64", to: "f32" | "f64" | "i64"): Body =>
  (w) => {
    const bytes = to === "f32" ? 4 : 8;
    for (let i = 0; i < 4; i++)
      load(w.to(), `${from}.load`, 8 * i)
        .op(name)
        .op(`${to}.store`, bytes * i);
  };

/** Where a mask's bits are set the one, elsewhere the other; both and the mask are on the stack in this order. */
const choose = (w: Writer): Writer => w.op("v128.bitselect");

/** A binary16 as float32: the fraction and the exponent moved into place, and the exponent corrected by a product. */
const fromHalf: Body = whole((w) => {
  const { f, x, y } = w;
  load(w, "v128.load16x4_u").set(x);
  // Without its sign, as a float32 whose exponent is 112 too small: also right of subnormal numbers.
  w.get(x).all(0x7fff).op("v128.and");
  f.i32(13);
  w.op("i32x4.shl").all(0x77800000).op("f32x4.mul").set(y);
  // Above 65504 stand the infinities and NaN: their exponent is all bits, and NaN is quiet.
  w.get(y).all(0x7f800000).op("v128.or");
  w.get(y).all(0x477fe000).op("i32x4.gt_s").op("v128.and").get(y).op("v128.or").set(y);
  w.get(y).all(0x7f800000).op("i32x4.gt_s").all(0x00400000).op("v128.and").get(y).op("v128.or");
  w.get(x).all(0x8000).op("v128.and");
  f.i32(16);
  return w.op("i32x4.shl").op("v128.or");
});

/** The bits of float32 as bfloat16 in the upper halves of words, rounded to even; NaN becomes quiet. */
const toBfloat16: Body = narrow((w) => {
  const { f, x } = w;
  load(w).set(x);
  w.get(x).all(0x400000).op("v128.or");
  w.get(x).get(x);
  f.i32(16);
  w.op("i32x4.shr_u").all(1).op("v128.and").all(0x7fff).op("i32x4.add").op("i32x4.add");
  w.get(x).get(x).op("f32x4.ne");
  choose(w);
  f.i32(16);
  return w.op("i32x4.shr_u");
}, "u");

/** The bits of float32 as binary16, rounded to even; NaN becomes quiet and keeps its upper payload. */
const toHalf: Body = narrow((w) => {
  const { f, x, y } = w;
  load(w).set(x);
  w.get(x).all(0x7fffffff).op("v128.and").set(y);
  // A normal number: the exponent moved, and the tie broken by the last bit that is kept.
  w.get(y).all(0x38000000).op("i32x4.sub").all(0xfff).op("i32x4.add").get(y);
  f.i32(13);
  w.op("i32x4.shr_u").all(1).op("v128.and").op("i32x4.add");
  f.i32(13);
  w.op("i32x4.shr_u");
  // Too large: infinity.
  w.all(0x7c00).op("i32x4.min_s");
  // Too small: adding 0.5 leaves the number in the last bits, rounded.
  w.get(y).all(0x3f000000).op("f32x4.add").all(0x3f000000).op("i32x4.sub");
  w.get(y).all(0x387fffff).op("i32x4.gt_s");
  choose(w);
  w.get(y);
  f.i32(13);
  w.op("i32x4.shr_u").all(0x1ff).op("v128.and").all(0x7e00).op("v128.or");
  w.get(y).all(0x7f800000).op("i32x4.le_s");
  choose(w);
  w.get(x);
  f.i32(16);
  return w.op("i32x4.shr_u").all(0x8000).op("v128.and").op("v128.or");
}, "u");

function bodies(): Readonly<Record<StageName, Body>> {
  const zero = (w: Writer): Writer => w.all(0);
  return {
    i8_i32: widenBytes("s"),
    u8_i32: widenBytes("u"),
    i16_i32: whole((w) => load(w, "v128.load16x4_s")),
    u16_i32: whole((w) => load(w, "v128.load16x4_u")),
    u8_bool: (w) => load(w.to(), "v128.load32_zero").all(0x01010101).op("i8x16.min_u").op("v128.store32_lane", 0, 0),
    i32_low8: narrow((w) => load(w).all(0xff).op("v128.and"), "u", "u"),
    i32_low16: narrow((w) => load(w).all(0xffff).op("v128.and"), "u"),
    i32_i8: narrow(load, "s", "s"),
    i32_u8: narrow(load, "s", "u"),
    i32_i16: narrow(load, "s"),
    i32_u16: narrow(load, "u"),
    i32_bool: truth((w) => zero(load(w)).op("i32x4.ne")),
    f32_bool: truth((w) => zero(load(w)).op("f32x4.ne")),
    f64_bool: truth((w) => lowWords(w, (half) => zero(half).op("f64x2.ne"))),
    i64_bool: truth((w) => lowWords(w, (half) => zero(half).op("i64x2.ne"))),
    f32_i32: whole((w) => load(w).op("i32x4.trunc_sat_f32x4_s")),
    f32_u32: whole((w) => load(w).op("i32x4.trunc_sat_f32x4_u")),
    i32_f32: whole((w) => load(w).op("f32x4.convert_i32x4_s")),
    u32_f32: whole((w) => load(w).op("f32x4.convert_i32x4_u")),
    f16_f32: fromHalf,
    f32_f16: toHalf,
    bf16_f32: whole((w) => {
      load(w, "v128.load16x4_u");
      w.f.i32(16);
      w.op("i32x4.shl").set(w.x);
      return w.get(w.x).get(w.x).op("f32x4.ne").all(0x400000).op("v128.and").get(w.x).op("v128.or");
    }),
    f32_bf16: toBfloat16,
    f32_f64: pairs("v128.load64_zero", "f64x2.promote_low_f32x4"),
    f64_f32: bothLow("f32x4.demote_f64x2_zero"),
    i32_f64: pairs("v128.load64_zero", "f64x2.convert_low_i32x4_s"),
    u32_f64: pairs("v128.load64_zero", "f64x2.convert_low_i32x4_u"),
    f64_i32: bothLow("i32x4.trunc_sat_f64x2_s_zero"),
    f64_u32: bothLow("i32x4.trunc_sat_f64x2_u_zero"),
    i32_i64: pairs("v128.load32x2_s"),
    u32_i64: pairs("v128.load32x2_u"),
    i64_i32: whole((w) => lowWords(w, (half) => half)),
    i64_f32: single("f32.convert_i64_s", "i64", "f32"),
    u64_f32: single("f32.convert_i64_u", "i64", "f32"),
    i64_f64: single("f64.convert_i64_s", "i64", "f64"),
    u64_f64: single("f64.convert_i64_u", "i64", "f64"),
    f64_i64: single("i64.trunc_sat_f64_s", "f64", "i64"),
    f64_u64: single("i64.trunc_sat_f64_u", "f64", "i64"),
  };
}

/** Emits every stage. */
export function emitCasts(module: ModuleBuilder): void {
  const table = bodies();
  for (const name of STAGES) {
    const bytes = stageBytes(name);
    module.function(name, { groups: "i32", to: "i32", from: "i32" }, [], (f, p) => {
      const [x, y] = [f.local("v128", "x"), f.local("v128", "y")];
      const untyped = f.op as unknown as (this: FunctionBuilder, ...instruction: readonly unknown[]) => unknown;
      const chained = (act: () => unknown): Writer => {
        act();
        return writer;
      };
      const writer: Writer = {
        f,
        x,
        y,
        op: (...instruction) => chained(() => untyped.call(f, ...instruction)),
        from: () => chained(() => f.get(p.from)),
        to: () => chained(() => f.get(p.to)),
        all: (word) =>
          chained(() => f.op("v128.const", Array.from(new Uint8Array(new Uint32Array(4).fill(word).buffer)))),
        set: (local) => chained(() => f.set(local)),
        get: (local) => chained(() => f.get(local)),
      };
      repeat(f, p.groups, () => {
        table[name](writer);
        advance(f, p.to, 4 * bytes.to);
        advance(f, p.from, 4 * bytes.from);
      });
    });
  }
}
