// The loops that casts are made of, as names alone: what emits them is not needed where they are called.

/** A loop over groups of four neighbouring elements: from what stands there to what it becomes. */
export const STAGES = [
  "i8_i32",
  "u8_i32",
  "i16_i32",
  "u16_i32",
  "u8_bool",
  "i32_low8",
  "i32_low16",
  "i32_i8",
  "i32_u8",
  "i32_i16",
  "i32_u16",
  "i32_bool",
  "f32_bool",
  "f64_bool",
  "i64_bool",
  "f32_i32",
  "f32_u32",
  "i32_f32",
  "u32_f32",
  "f16_f32",
  "f32_f16",
  "bf16_f32",
  "f32_bf16",
  "f32_f64",
  "f64_f32",
  "i32_f64",
  "u32_f64",
  "f64_i32",
  "f64_u32",
  "i32_i64",
  "u32_i64",
  "i64_i32",
  "i64_f32",
  "u64_f32",
  "i64_f64",
  "u64_f64",
  "f64_i64",
  "f64_u64",
] as const;

/** A loop that casts are made of. */
export type StageName = (typeof STAGES)[number];

/** Bytes of an element by the first letters and the digits of its name in a stage. */
const BYTES: { readonly [station: string]: number } = { bool: 1, low8: 1, low16: 2, bf16: 2 };

/** Bytes of an element on both sides of a stage. */
export function stageBytes(name: StageName): { readonly from: number; readonly to: number } {
  const [from, to] = name.split("_").map((station) => BYTES[station] ?? Number(station.slice(1)) / 8);
  return { from: from!, to: to! };
}
